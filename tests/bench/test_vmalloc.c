/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_vmalloc: the benchmark that vmalloc is compared by, with the names,
 * parameters and lines of Linux's module of that name. `bench=test_vmalloc`
 * runs it. The time of a test is that of all of it: set-up, loops, tear-down.
 */
#include <arch/clock.h>
#include <arch/cpu.h>
#include <lib/bench.h>
#include <lib/compiler.h>
#include <lib/math.h>
#include <lib/param.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/random.h>
#include <mm/hooks.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <tests/bench/test_vmalloc.h>
#include <tests/bench/vmalloc_loops.h>

#define MAX_THREADS 65535U

/* 2000 loops keep the whole run at a few seconds under emulation. */
static unsigned int nr_threads = 1;
static bool sequential_test_order = true;
static int test_repeat_count = 1;
static int test_loop_count = 2000;
static unsigned int nr_pages;
static bool use_huge;
static unsigned int run_test_mask = UINT32_MAX;
static unsigned int nr_pcpu_objects = 35000;

PARAM_UINT("test_vmalloc.nr_threads", nr_threads, "workers, 1 to 65535");
PARAM_BOOL("test_vmalloc.sequential_test_order", sequential_test_order,
	   "0: each worker shuffles the tests");
PARAM_INT("test_vmalloc.test_repeat_count", test_repeat_count,
	  "calls of each test");
PARAM_INT("test_vmalloc.test_loop_count", test_loop_count,
	  "loops in each call");
PARAM_UINT("test_vmalloc.nr_pages", nr_pages,
	   "pages for ids 1 and 2048; 0: one");
PARAM_BOOL("test_vmalloc.use_huge", use_huge,
	   "1: 2 MiB mappings for id 1 where they fit");
PARAM_UINT("test_vmalloc.run_test_mask", run_test_mask,
	   "sum of test ids: 1, 2, 4, … 64, 256, 512, 2048, 4096; all ones: "
	   "every test");
PARAM_UINT("test_vmalloc.nr_pcpu_objects", nr_pcpu_objects,
	   "objects for id 128, which is not here");

/* ---- tests: 0 is passed ------------------------------------------------- */

static int fix_size_alloc_test(unsigned long loops)
{
	size_t pages = max(nr_pages, 1U);

	return use_huge ? fix_size_huge_loop(loops, pages)
			: fix_size_loop(loops, pages);
}

static int full_fit_alloc_test(unsigned long loops)
{
	struct full_fit f;
	int err = full_fit_setup(&f);

	if (!err)
		err = full_fit_loop(loops);
	full_fit_teardown(&f);
	return err;
}

static int long_busy_list_alloc_test(unsigned long loops)
{
	void *array;
	int err = long_busy_setup(&array);

	if (!err)
		err = long_busy_loop(loops);
	long_busy_teardown(array);
	return err;
}

static int random_size_alloc_test(unsigned long loops)
{
	struct rng rng;

	rng_seed(&rng, VMALLOC_LOOPS_SEED);
	return random_size_loop(loops, &rng);
}

static int fix_align_alloc_test(unsigned long loops)
{
	return fix_align_loop(loops);
}

static int random_size_align_alloc_test(unsigned long loops)
{
	struct rng rng;

	rng_seed(&rng, VMALLOC_LOOPS_SEED);
	return random_size_align_loop(loops, &rng);
}

static int align_shift_alloc_test(unsigned long loops)
{
	return align_shift_once();
}

/* So many loops, then others run: what waits for a grace period is freed. */
#define KVFREE_LOOPS 128

static int kvfree_rcu_test(unsigned long loops, bool with_head)
{
	int err = 0;

	while (loops && !err) {
		unsigned long some = min(loops, (unsigned long)KVFREE_LOOPS);

		err = kvfree_rcu_loop(some, with_head);
		loops -= some;
		mm_yield();
	}
	return err;
}

static int kvfree_rcu_1_arg_vmalloc_test(unsigned long loops)
{
	return kvfree_rcu_test(loops, false);
}

static int kvfree_rcu_2_arg_vmalloc_test(unsigned long loops)
{
	return kvfree_rcu_test(loops, true);
}

static int no_block_alloc_test(unsigned long loops)
{
	struct rng rng;

	rng_seed(&rng, VMALLOC_LOOPS_SEED);
	return no_block_loop(loops, max(nr_pages, 1U), &rng);
}

static int vrealloc_test(unsigned long loops)
{
	return vrealloc_loop(loops);
}

static size_t few_pages(void)
{
	return 256;
}

static size_t kvfree_pages(void)
{
	return 8 * KVFREE_LOOPS;
}

static size_t fix_size_pages(void)
{
	return (size_t)max(nr_pages, 1U) + 64;
}

static size_t random_size_pages(void)
{
	return 100 + 64;
}

static const struct vmalloc_test {
	const char *name;
	unsigned int id; /* a bit of run_test_mask */
	int (*run)(unsigned long loops);
	size_t (*pages)(void); /* that have to be free */
	bool xfail;            /* a failure is expected */
} tests[] = {
	{"fix_size_alloc_test", 1, fix_size_alloc_test, fix_size_pages, false},
	{"full_fit_alloc_test", 2, full_fit_alloc_test, full_fit_pages, false},
	{"long_busy_list_alloc_test", 4, long_busy_list_alloc_test,
	 long_busy_pages, false},
	{"random_size_alloc_test", 8, random_size_alloc_test, random_size_pages,
	 false},
	{"fix_align_alloc_test", 16, fix_align_alloc_test, few_pages, false},
	{"random_size_align_alloc_test", 32, random_size_align_alloc_test,
	 few_pages, false},
	{"align_shift_alloc_test", 64, align_shift_alloc_test, few_pages, true},
	{"kvfree_rcu_1_arg_vmalloc_test", 256, kvfree_rcu_1_arg_vmalloc_test,
	 kvfree_pages, false},
	{"kvfree_rcu_2_arg_vmalloc_test", 512, kvfree_rcu_2_arg_vmalloc_test,
	 kvfree_pages, false},
	{"no_block_alloc_test", 2048, no_block_alloc_test, fix_size_pages,
	 true},
	{"vrealloc_test", 4096, vrealloc_test, few_pages, false},
};

#define NR_TESTS ARRAY_SIZE(tests)

struct outcome {
	unsigned int passed, failed, xfailed;
	uint64_t usec; /* of one call */
	bool ran;
};

/* ---- parameters --------------------------------------------------------- */

static unsigned int known_ids(void)
{
	unsigned int ids = 0;

	for (unsigned int i = 0; i < NR_TESTS; i++)
		ids |= tests[i].id;
	return ids;
}

static unsigned int wanted_ids(void)
{
	return run_test_mask == UINT32_MAX ? known_ids() : run_test_mask;
}

static unsigned int workers(void)
{
	return clamp(nr_threads, 1U, MAX_THREADS);
}

/* Return: NULL, or why nothing can be run. */
static const char *refusal(void)
{
	static char why[96];
	unsigned int unknown = wanted_ids() & ~known_ids();

	if (unknown || !wanted_ids())
		snprintf(why, sizeof(why),
			 "test_vmalloc.run_test_mask=%u: no tests with the ids "
			 "%u, those there are sum up to %u",
			 run_test_mask, unknown, known_ids());
	else if (workers() > 1 && !test_vmalloc_start)
		snprintf(why, sizeof(why),
			 "test_vmalloc.nr_threads=%u: there are no threads "
			 "here",
			 nr_threads);
	else if (nr_pages > nr_free_pages())
		snprintf(why, sizeof(why),
			 "test_vmalloc.nr_pages=%u: only %zu pages are free",
			 nr_pages, nr_free_pages());
	else
		return NULL;
	return why;
}

/* ---- workers ------------------------------------------------------------ */

struct worker {
	struct outcome outcomes[NR_TESTS];
	uint64_t ticks; /* for all tests */
};

/* All workers wait until all are there, and the last to end is waited for. */
static struct {
	struct worker *worker;
	_Atomic unsigned int at_gate, done;
} run;

/* Fill @order with the tests' indices, shuffled unless it is sequential. */
static void make_order(unsigned int order[NR_TESTS], unsigned int worker)
{
	struct rng rng;

	for (unsigned int i = 0; i < NR_TESTS; i++)
		order[i] = i;
	rng_seed(&rng, VMALLOC_LOOPS_SEED + worker);
	if (!sequential_test_order)
		rng_shuffle(&rng, order, NR_TESTS, sizeof(*order));
}

static bool enough_memory(const struct vmalloc_test *t)
{
	unsigned long needs = t->pages() * workers();
	unsigned long free = nr_free_pages();

	if (free >= needs)
		return true;
	printk("test_vmalloc: %s skipped: needs %lu MiB, %lu MiB are free\n",
	       t->name, (needs + 255) / 256, free / 256);
	return false;
}

static void run_one(const struct vmalloc_test *t, struct outcome *o)
{
	unsigned int repeat = (unsigned int)max(test_repeat_count, 1);
	unsigned int loops = (unsigned int)max(test_loop_count, 1);
	uint64_t start;

	if (!(wanted_ids() & t->id) || !enough_memory(t))
		return;
	start = clock_ticks();
	for (unsigned int i = 0; i < repeat; i++) {
		if (!t->run(loops))
			o->passed++;
		else if (t->xfail)
			o->xfailed++;
		else
			o->failed++;
	}
	o->usec = clock_ticks_to_ns(clock_ticks() - start) / 1000 / repeat;
	o->ran = true;
}

static void work(unsigned int number)
{
	struct worker *me = &run.worker[number];
	unsigned int order[NR_TESTS];
	uint64_t start;

	make_order(order, number);
	atomic_fetch_add(&run.at_gate, 1);
	while (atomic_load(&run.at_gate) < workers()) {
		mm_yield();
		cpu_relax();
	}
	start = clock_ticks();
	for (unsigned int i = 0; i < NR_TESTS; i++) {
		run_one(&tests[order[i]], &me->outcomes[order[i]]);
		mm_yield();
	}
	me->ticks = clock_ticks() - start;
	atomic_fetch_add(&run.done, 1);
}

/* Run all workers; this thread is the first of them. */
static void run_workers(void)
{
	unsigned int i;

	atomic_store(&run.at_gate, 0);
	atomic_store(&run.done, 0);
	for (i = 1; i < workers(); i++)
		if (!test_vmalloc_start(work, i))
			break;
	if (i < workers()) {
		printk("test_vmalloc: %u of %u workers could be started\n", i,
		       workers());
		nr_threads = i;
	}
	work(0);
	while (atomic_load(&run.done) < workers()) {
		mm_yield();
		cpu_relax();
	}
}

/* Print worker @number's lines. Return: false when a test failed. */
static bool report(unsigned int number)
{
	const struct worker *w = &run.worker[number];
	bool ok = true;

	for (unsigned int i = 0; i < NR_TESTS; i++) {
		const struct outcome *o = &w->outcomes[i];

		if (!o->ran)
			continue;
		printk("Summary: %s passed: %u failed: %u xfailed: %u "
		       "repeat: %d loops: %d avg: %lu usec\n",
		       tests[i].name, o->passed, o->failed, o->xfailed,
		       max(test_repeat_count, 1), max(test_loop_count, 1),
		       o->usec);
		ok = ok && !o->failed;
	}
	printk("All test took worker%u=%lu cycles\n", number, w->ticks);
	return ok;
}

const char *test_vmalloc_run(void)
{
	const char *why = refusal();

	if (why)
		return why;
	if (run_test_mask == UINT32_MAX)
		printk("test_vmalloc: pcpu_alloc_test (128) and "
		       "vm_map_ram_test "
		       "(1024) are left out: what they test is not here\n");
	run.worker = kzalloc(workers() * sizeof(*run.worker), GFP_KERNEL);
	if (!run.worker)
		return "no memory for the workers";
	run_workers();
	for (unsigned int i = 0; i < workers(); i++)
		if (!report(i))
			why = "a test failed";
	kfree(run.worker);
	return why;
}

BENCH(test_vmalloc, .ops = 1, .cold = true)
{
	const char *why;

	bench_begin(b);
	why = test_vmalloc_run();
	bench_end(b);
	if (why)
		bench_fail(b, "%s", why);
}
