/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_frag_test: the benchmark that page_frag caches are compared by, with the
 * names, parameters and line of Linux's module of that name.
 * `bench=page_frag_test` runs it.
 *
 *   CPU push                          CPU pop
 *   cache --alloc--> fragment --> ring of 512 --> free
 *
 * Each side is a thread bound to its CPU. A fragment for which the ring has no
 * room is freed where it was allocated, and not counted; whoever finds the
 * ring full, or empty, lets others run. So both may share a CPU.
 *
 * An emulated CPU runs only when its host lets it. A side that has let others
 * run for long in vain therefore waits to be woken, which leaves its host's CPU
 * to the other side. That looks at times whether there is somebody to wake.
 */
#include <arch/clock.h>
#include <arch/cpumask.h>
#include <kernel/completion.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <lib/bench.h>
#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/param.h>
#include <lib/printk.h>
#include <lib/ptr_ring.h>
#include <mm/page_alloc.h>
#include <mm/page_frag_cache.h>
#include <tests/bench/kernel/page_frag_test.h>

#define RING       512
#define CACHE_LINE 64U
#define PATIENCE   10000000000UL /* ns */
#define DEFAULT    UINT32_MAX    /* CPU 1, or 0 without */
#define IN_VAIN    30            /* times to let others run, before waiting */
#define WAKE_EVERY 64            /* fragments */

static unsigned int nr_test = 2000000;
static unsigned int test_alloc_len = 2048;
static bool test_align;
static unsigned int test_push_cpu;
static unsigned int test_pop_cpu = DEFAULT;

PARAM_UINT("page_frag_test.nr_test", nr_test, "fragments to push");
PARAM_UINT("page_frag_test.test_alloc_len", test_alloc_len,
	   "bytes of each: 1..4096");
PARAM_BOOL("page_frag_test.test_align", test_align,
	   "1: each at the beginning of a cache line");
PARAM_UINT("page_frag_test.test_push_cpu", test_push_cpu,
	   "the CPU that allocates");
PARAM_UINT("page_frag_test.test_pop_cpu", test_pop_cpu,
	   "the CPU that frees: 1 by default, if there is one");

struct run;

/* One of the two. */
struct side {
	const char *name;
	void (*work)(void *run);
	bool (*stuck)(struct run *run); /* can it not go on? */
	struct side *other;
	unsigned int cpu;
	struct thread *thread;
	unsigned int in_vain;        /* its own */
	_Atomic unsigned long count; /* fragments; its own */
	_Atomic bool waits;          /* to be woken by the other */
	unsigned long seen;          /* the watchdog's: count, changed */
	uint64_t seen_ns;            /* then */
} __aligned(CACHE_LINE);

struct run {
	struct page_frag_test *test;
	struct ptr_ring ring;
	struct side push, pop;
	struct completion start, done;
	_Atomic unsigned int working; /* sides */
	_Atomic int err;              /* not 0: both end */
	uint64_t ended;               /* ticks; whoever was last */
	struct timer watchdog;
};

static void *_Atomic slots[RING];

/* --- the sides ------------------------------------------------------------ */

static bool goes_on(const struct run *run, const struct side *side)
{
	return side->count < run->test->nr_test && !run->err;
}

static void wake(struct side *side)
{
	if (side->waits)
		thread_wake(side->thread);
}

static void count(struct side *side)
{
	unsigned long n = side->count + 1;

	atomic_store_explicit(&side->count, n, memory_order_relaxed);
	side->in_vain = 0;
	if (unlikely(n % WAKE_EVERY == 0))
		wake(side->other);
}

/*
 * Let others run. No wake-up is lost for good: each side looks for the other
 * once more before it waits itself, or ends.
 */
static void give_way(struct run *run, struct side *side)
{
	thread_yield();
	if (++side->in_vain < IN_VAIN)
		return;
	side->in_vain = 0;
	atomic_store(&side->waits, true);
	wake(side->other);
	if (goes_on(run, side) && side->stuck(run))
		thread_block();
	atomic_store(&side->waits, false);
}

static void end(struct run *run, struct side *side)
{
	atomic_thread_fence(memory_order_seq_cst);
	wake(side->other);
	if (atomic_fetch_sub(&run->working, 1) > 1)
		return;
	run->ended = clock_ticks();
	complete(&run->done);
}

static bool push_stuck(struct run *run)
{
	return ptr_ring_full(&run->ring);
}

static bool pop_stuck(struct run *run)
{
	return run->test->asleep || ptr_ring_empty(&run->ring);
}

static __always_inline void push_all(struct run *run, unsigned int align)
{
	unsigned int len = run->test->alloc_len;
	struct page_frag_cache nc = {0};

	while (goes_on(run, &run->push)) {
		void *frag = page_frag_alloc_align(
			&nc, len, GFP_KERNEL | __GFP_NOWARN, align);

		if (unlikely(!frag)) {
			thread_yield();
		} else if (unlikely((uintptr_t)frag % align)) {
			printk("page_frag_test: fragment %p is not aligned to "
			       "%u bytes\n",
			       frag, align);
			page_frag_free(frag);
			run->err = -EFAULT;
		} else if (unlikely(ptr_ring_produce(&run->ring, frag))) {
			page_frag_free(frag);
			give_way(run, &run->push);
		} else {
			count(&run->push);
		}
	}
	page_frag_cache_drain(&nc);
}

static void push(void *arg)
{
	struct run *run = arg;

	wait_for_completion(&run->start);
	if (run->test->align)
		push_all(run, CACHE_LINE);
	else
		push_all(run, 1);
	end(run, &run->push);
}

static void pop(void *arg)
{
	struct run *run = arg;

	wait_for_completion(&run->start);
	while (goes_on(run, &run->pop)) {
		void *frag =
			run->test->asleep ? NULL : ptr_ring_consume(&run->ring);

		if (unlikely(!frag)) {
			give_way(run, &run->pop);
			continue;
		}
		count(&run->pop);
		page_frag_free(frag);
	}
	end(run, &run->pop);
}

/* --- the watchdog ----------------------------------------------------------*/

static void watch_side(struct run *run, struct side *side, uint64_t now)
{
	const struct page_frag_test *test = run->test;
	unsigned long done = side->count;

	if (done != side->seen || done == test->nr_test) {
		side->seen = done;
		side->seen_ns = now;
	} else if (now - side->seen_ns >= test->patience_ns && !run->err) {
		printk("page_frag_test: %s on CPU %u stands still at %lu of %u "
		       "for %lu ms\n",
		       side->name, side->cpu, done, test->nr_test,
		       (now - side->seen_ns) / 1000000);
		run->err = -EBUSY;
	}
}

static void watch(struct timer *timer)
{
	struct run *run = container_of(timer, struct run, watchdog);
	uint64_t now = timer_now_ns();

	watch_side(run, &run->push, now);
	watch_side(run, &run->pop, now);
	if (run->err) {
		thread_wake(run->push.thread);
		thread_wake(run->pop.thread);
	}
	timer_arm(timer, run->test->patience_ns / 8);
}

/* --- a run
 * ------------------------------------------------------------------*/

static int check_cpu(const char *name, unsigned int cpu)
{
	if (cpumask_test(cpu_online_mask(), cpu))
		return 0;
	printk("page_frag_test.%s=%u: there is no such CPU, %u are online\n",
	       name, cpu, cpus_online());
	return -EINVAL;
}

static int check(const struct page_frag_test *test)
{
	if (test->alloc_len < 1 || test->alloc_len > PAGE_SIZE)
		printk("page_frag_test.test_alloc_len=%u: must be 1..%lu\n",
		       test->alloc_len, PAGE_SIZE);
	else if (test->nr_test < 1)
		printk("page_frag_test.nr_test=0: must be at least 1\n");
	else
		return check_cpu("test_push_cpu", test->push_cpu)
			       ?: check_cpu("test_pop_cpu", test->pop_cpu);
	return -EINVAL;
}

static bool start_side(struct run *run, struct side *side)
{
	side->thread =
		thread_create(side->name, side->work, run, (int)side->cpu);
	side->seen_ns = timer_now_ns();
	return side->thread;
}

/* Let both sides go, and wait for them. Each may wake the other until both are
 * done. */
static int race(struct run *run)
{
	uint64_t started;

	timer_arm(&run->watchdog, run->test->patience_ns / 8);
	started = clock_ticks();
	complete_all(&run->start);
	wait_for_completion(&run->done);
	timer_cancel(&run->watchdog);
	thread_join(run->push.thread);
	thread_join(run->pop.thread);
	run->test->ticks = run->ended - started;
	return run->err;
}

int page_frag_test_run(struct page_frag_test *test)
{
	static struct run run;
	void *left;
	int err = check(test);

	if (err)
		return err;
	run = (struct run){
		.test = test,
		.push = {.name = "push",
			 .work = push,
			 .stuck = push_stuck,
			 .other = &run.pop,
			 .cpu = test->push_cpu},
		.pop = {.name = "pop",
			.work = pop,
			.stuck = pop_stuck,
			.other = &run.push,
			.cpu = test->pop_cpu},
		.working = 2,
		.watchdog = TIMER_INIT(watch),
	};
	completion_init(&run.start);
	completion_init(&run.done);
	ptr_ring_init(&run.ring, slots, RING);
	if (!start_side(&run, &run.push))
		return -ENOMEM;
	if (!start_side(&run, &run.pop)) {
		run.err = -ENOMEM;
		complete_all(&run.start);
		thread_join(run.push.thread);
		return -ENOMEM;
	}
	err = race(&run);
	while ((left = ptr_ring_consume(&run.ring)))
		page_frag_free(left);
	test->pushed = run.push.count;
	test->popped = run.pop.count;
	return err;
}

/* The operation is one fragment, allocated here and freed there. */
BENCH(page_frag_test, .ops = 1, .min_pages = 1024, .cold = true)
{
	struct page_frag_test test = {
		.nr_test = nr_test,
		.alloc_len = test_alloc_len,
		.align = test_align,
		.push_cpu = test_push_cpu,
		.pop_cpu = test_pop_cpu,
		.patience_ns = PATIENCE,
	};
	int err;

	if (test.pop_cpu == DEFAULT)
		test.pop_cpu = cpus_online() > 1;
	err = page_frag_test_run(&test);
	if (err) {
		bench_fail(b, "error %d", err);
		return;
	}
	printk("%u of iterations for %s testing took: %luus\n", test.nr_test,
	       test.align ? "aligned" : "non-aligned",
	       clock_ticks_to_ns(test.ticks) / 1000);
	b->ops = test.nr_test;
	b->ticks = test.ticks;
	b->pairs = 1;
}
