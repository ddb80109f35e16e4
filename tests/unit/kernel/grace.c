/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grace periods: not before every section is over, and always then. */
#include <arch/cpumask.h>
#include <arch/smp.h>
#include <kernel/completion.h>
#include <kernel/grace.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <lib/random.h>
#include <lib/test.h>
#include <mm/slab.h>
#include <tests/unit/kernel/budget.h>

#define MS       1000000UL /* ns */
#define TOO_LONG (5000 * MS)
#define NR       8
#define ROUNDS   100

struct noted {
	struct grace_head head;
	_Atomic int calls;
	bool in_interrupt, may_block;
	_Atomic int *counter;
	int order;
};

static void note(struct grace_head *head)
{
	struct noted *noted = container_of(head, struct noted, head);

	noted->in_interrupt = in_interrupt();
	noted->may_block = thread_may_block();
	if (noted->counter)
		noted->order = atomic_fetch_add(noted->counter, 1);
	atomic_fetch_add(&noted->calls, 1);
}

TEST(grace, called_once_in_a_thread)
{
	struct noted noted = {.calls = 0};
	unsigned long before = grace_periods();

	call_after_grace(&noted.head, note);
	grace_barrier();
	EXPECT_EQ(noted.calls, 1);
	EXPECT(!noted.in_interrupt);
	EXPECT(noted.may_block);
	EXPECT_GT(grace_periods(), before);
}

TEST(grace, not_while_this_cpu_is_in_a_section)
{
	struct noted noted = {.calls = 0};
	uint64_t until;

	call_after_grace(&noted.head, note);
	until = timer_now_ns() + 5 * MS;
	while (timer_now_ns() < until)
		cpu_relax();
	EXPECT_EQ(noted.calls, 0);
	grace_barrier();
	EXPECT_EQ(noted.calls, 1);
}

struct section {
	_Atomic bool entered, leave;
};

static void stay_in_section(void *arg)
{
	struct section *section = arg;

	section->entered = true;
	while (!section->leave)
		cpu_relax();
}

/* Have one thread of each other CPU stay in a section in turn. */
TEST(grace, not_while_another_cpu_is_in_a_section)
{
	unsigned int cpu;

	if (cpus_online() < 2)
		SKIP("needs 2 CPUs, have 1");
	for_each_cpu(cpu, cpu_online_mask()) {
		struct section section = {.entered = false};
		struct noted noted = {.calls = 0};
		struct thread *thread;
		uint64_t until = timer_now_ns() + 5 * MS;

		if (cpu == cpu_id())
			continue;
		thread = thread_create("section", stay_in_section, &section,
				       (int)cpu);
		REQUIRE_NOT_NULL(thread);
		while (!section.entered)
			thread_yield();
		call_after_grace(&noted.head, note);
		while (timer_now_ns() < until)
			thread_yield();
		EXPECT_EQ(noted.calls, 0);
		section.leave = true;
		grace_barrier();
		EXPECT_EQ(noted.calls, 1);
		thread_join(thread);
	}
}

TEST(grace, callbacks_of_one_cpu_run_in_order)
{
	struct noted noted[NR];
	_Atomic int counter = 0;

	for (int i = 0; i < NR; i++) {
		noted[i] = (struct noted){.counter = &counter};
		call_after_grace(&noted[i].head, note);
	}
	grace_barrier();
	for (int i = 0; i < NR; i++)
		EXPECT_EQ(noted[i].order, i);
}

struct chain {
	struct grace_head head;
	int left;
	struct completion done;
};

static void call_again(struct grace_head *head)
{
	struct chain *chain = container_of(head, struct chain, head);

	if (--chain->left)
		call_after_grace(head, call_again);
	else
		complete(&chain->done);
}

TEST(grace, a_callback_may_ask_again)
{
	struct chain chain = {.left = 3};
	unsigned long before = grace_periods();

	completion_init(&chain.done);
	call_after_grace(&chain.head, call_again);
	wait_for_completion(&chain.done);
	EXPECT_EQ(chain.left, 0);
	EXPECT_GE(grace_periods() - before, 3);
}

struct from_timer {
	struct timer timer;
	struct noted noted;
	struct completion done;
};

static void call_from_timer(struct timer *timer)
{
	struct from_timer *t = container_of(timer, struct from_timer, timer);

	call_after_grace(&t->noted.head, note);
	complete(&t->done);
}

TEST(grace, asked_for_by_an_interrupt)
{
	struct from_timer t = {.timer = TIMER_INIT(call_from_timer)};

	completion_init(&t.done);
	timer_arm(&t.timer, 0);
	wait_for_completion(&t.done);
	grace_barrier();
	EXPECT_EQ(t.noted.calls, 1);
	timer_cancel(&t.timer);
}

static void ask_often(void *arg)
{
	for_budget(i, ROUNDS) {
		struct noted noted = {.calls = 0};

		call_after_grace(&noted.head, note);
		if (i % 10 == 0)
			synchronize_grace();
		grace_barrier();
		EXPECT_EQ(noted.calls, 1);
	}
}

TEST(grace, all_cpus_wait_at_once)
{
	test_run_on_cpus(cpu_online_mask(), ask_often, NULL);
}

/* An object that readers of all CPUs follow a pointer to, while it is replaced
 * by another and poisoned as soon as nobody can see it. */
#define GOOD   0x600d600d600d600dUL
#define POISON 0xdeadbeefdeadbeefUL

struct shared {
	struct grace_head head;
	_Atomic uint64_t value;
};

static _Atomic(struct shared *) current_object;
static _Atomic unsigned long nr_poisoned;

static struct shared *make(void)
{
	struct shared *object = kmalloc(sizeof(*object), GFP_KERNEL);

	if (object)
		atomic_store(&object->value, GOOD);
	return object;
}

static void poison(struct grace_head *head)
{
	struct shared *object = container_of(head, struct shared, head);

	atomic_store(&object->value, POISON);
	atomic_fetch_add(&nr_poisoned, 1);
	kfree(object);
}

/* Return: whether the object stayed good for as long as it was looked at. */
static bool read_section(struct rng *rng)
{
	const struct shared *object = atomic_load(&current_object);
	bool good = true;

	for (uint64_t n = rng_below(rng, 60); n; n--) {
		good &= atomic_load(&object->value) == GOOD;
		cpu_relax();
	}
	return good;
}

static void replace_object(void)
{
	struct shared *fresh = make(), *old;

	EXPECT_NOT_NULL(fresh);
	if (!fresh)
		return;
	old = atomic_exchange(&current_object, fresh);
	call_after_grace(&old->head, poison);
}

static void read_and_replace(void *arg)
{
	struct rng rng;

	rng_seed(&rng, test_seed() + cpu_id());
	for_budget(i, ROUNDS) {
		EXPECT(read_section(&rng));
		if (rng_below(&rng, 2) == 0)
			replace_object();
		if (rng_below(&rng, 2) == 0)
			thread_yield();
		if (rng_below(&rng, 20) == 0)
			synchronize_grace();
	}
}

TEST(grace, readers_never_see_what_was_freed)
{
	struct shared *last;

	atomic_store(&current_object, make());
	REQUIRE_NOT_NULL(atomic_load(&current_object));
	nr_poisoned = 0;
	test_run_on_cpus(cpu_online_mask(), read_and_replace, NULL);
	grace_barrier();
	EXPECT_GT(nr_poisoned, 0);
	last = atomic_exchange(&current_object, NULL);
	EXPECT_EQ(last->value, GOOD);
	kfree(last);
}
