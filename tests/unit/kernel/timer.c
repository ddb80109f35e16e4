/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers and sleep: never early, in order, from interrupts, cancelled. */
#include <arch/cpumask.h>
#include <arch/smp.h>
#include <arch/timer.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <lib/test.h>
#include <mm/slab.h>
#include <mm/vmalloc.h>

#define MS       1000000UL /* ns */
#define TICK     (1000 * MS / TIMER_HZ)
#define NR       6
#define MANY     40
#define TOO_LONG (5000 * MS)

/* A timer that notes its calls. */
struct noted {
	struct timer timer;
	uint64_t called_at; /* ns */
	unsigned int cpu;
	bool in_interrupt, irq_enabled;
	int *counter;
	int order;
	_Atomic int calls;
};

static void note(struct timer *timer)
{
	struct noted *noted = container_of(timer, struct noted, timer);

	noted->called_at = timer_now_ns();
	noted->cpu = cpu_id();
	noted->in_interrupt = in_interrupt();
	noted->irq_enabled = irq_enabled();
	if (noted->counter)
		noted->order = (*noted->counter)++;
	atomic_fetch_add(&noted->calls, 1);
}

#define NOTED                                                                  \
	{                                                                      \
		.timer = TIMER_INIT(note)                                      \
	}

/* Return: whether @noted has been called @calls times, some time or other. */
static bool wait_for_calls(struct noted *noted, int calls)
{
	uint64_t until = timer_now_ns() + TOO_LONG;

	while (atomic_load(&noted->calls) < calls && timer_now_ns() < until)
		thread_sleep_ns(MS);
	return atomic_load(&noted->calls) == calls;
}

TEST(timer, called_once_in_an_interrupt_not_early)
{
	struct noted noted = NOTED;
	uint64_t before = timer_now_ns();
	unsigned int cpu = cpu_id();

	timer_arm(&noted.timer, 3 * MS);
	EXPECT(wait_for_calls(&noted, 1));
	EXPECT_GE(noted.called_at, before + 3 * MS);
	EXPECT(noted.in_interrupt);
	EXPECT(!noted.irq_enabled);
	EXPECT_EQ(noted.cpu, cpu);
	thread_sleep_ns(2 * TICK);
	EXPECT_EQ(noted.calls, 1);
	EXPECT(!timer_cancel(&noted.timer));
}

TEST(timer, called_in_order_of_time_then_of_arming)
{
	static const uint64_t ms[NR] = {50, 10, 30, 0, 30, 20};
	static const int order[NR] = {5, 1, 3, 0, 4, 2};
	struct noted noted[NR];
	int counter = 0;

	for (int i = 0; i < NR; i++) {
		noted[i] = (struct noted)NOTED;
		noted[i].counter = &counter;
		timer_arm(&noted[i].timer, ms[i] * MS);
	}
	/* The two of the same time: by their times, whatever the clock said as
	 * they were armed. */
	EXPECT_LE(noted[2].timer.expires, noted[4].timer.expires);
	EXPECT(wait_for_calls(&noted[0], 1));
	for (int i = 0; i < NR; i++) {
		EXPECT_EQ(noted[i].calls, 1);
		EXPECT_EQ(noted[i].order, order[i]);
	}
}

TEST(timer, at_the_same_time_the_first_armed_is_first)
{
	struct noted a = NOTED, b = NOTED, c = NOTED;

	timer_arm(&a.timer, UINT64_MAX);
	timer_arm(&b.timer, UINT64_MAX);
	timer_arm(&c.timer, 1000000 * MS);
	EXPECT_EQ(list_next_entry(&a.timer, node), &b.timer);
	EXPECT_EQ(list_next_entry(&c.timer, node), &a.timer);
	EXPECT(timer_cancel(&a.timer));
	EXPECT(timer_cancel(&b.timer));
	EXPECT(timer_cancel(&c.timer));
}

/* Ticks are further apart than these: most expire between two of them. */
TEST(timer, many_between_ticks_and_none_is_early)
{
	struct noted noted[MANY];
	uint64_t due[MANY];

	for (int i = 0; i < MANY; i++) {
		noted[i] = (struct noted)NOTED;
		due[i] = timer_now_ns() + i * MS;
		timer_arm(&noted[i].timer, i * MS);
	}
	EXPECT(wait_for_calls(&noted[MANY - 1], 1));
	for (int i = 0; i < MANY; i++) {
		EXPECT_EQ(noted[i].calls, 1);
		EXPECT_GE(noted[i].called_at, due[i]);
	}
}

TEST(timer, cancelled_it_is_not_called)
{
	struct noted noted = NOTED;

	EXPECT(!timer_cancel(&noted.timer));
	timer_arm(&noted.timer, 5 * MS);
	EXPECT(timer_cancel(&noted.timer));
	EXPECT(!timer_cancel(&noted.timer));
	thread_sleep_ns(5 * MS + 2 * TICK);
	EXPECT_EQ(noted.calls, 0);
}

TEST(timer, armed_again_the_new_time_counts)
{
	struct noted noted = NOTED;
	uint64_t before = timer_now_ns();

	timer_arm(&noted.timer, 0);
	timer_arm(&noted.timer, 1000000 * MS);
	timer_arm(&noted.timer, 40 * MS);
	EXPECT(wait_for_calls(&noted, 1));
	EXPECT_GE(noted.called_at, before + 40 * MS);
	EXPECT_LT(noted.called_at, before + TOO_LONG);
	timer_arm(&noted.timer, UINT64_MAX);
	EXPECT_EQ(noted.timer.expires, UINT64_MAX);
	EXPECT(timer_cancel(&noted.timer));
	EXPECT_EQ(noted.calls, 1);
}

static void note_and_arm(struct timer *timer)
{
	note(timer);
	if (container_of(timer, struct noted, timer)->calls < 3)
		timer_arm(timer, MS);
}

TEST(timer, its_callback_may_arm_it)
{
	struct noted noted = {.timer = TIMER_INIT(note_and_arm)};

	timer_arm(&noted.timer, MS);
	EXPECT(wait_for_calls(&noted, 3));
	EXPECT(!timer_cancel(&noted.timer));
}

static void arm_here(void *arg)
{
	timer_arm(&((struct noted *)arg)->timer, 2 * TICK);
}

/* Run @fn(@arg) on @cpu. */
static void on_cpu(unsigned int cpu, void (*fn)(void *), void *arg)
{
	struct thread *thread = thread_create("on cpu", fn, arg, (int)cpu);

	REQUIRE_NOT_NULL(thread);
	thread_join(thread);
}

TEST(timer, on_each_cpu)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		struct noted noted = NOTED, never = NOTED;

		on_cpu(cpu, arm_here, &noted);
		on_cpu(cpu, arm_here, &never);
		EXPECT(timer_cancel(&never.timer));
		EXPECT(wait_for_calls(&noted, 1));
		EXPECT_EQ(noted.cpu, cpu);
		EXPECT_EQ(never.calls, 0);
		timer_cancel(&noted.timer);
	}
}

struct slow {
	struct timer timer;
	_Atomic bool begun, ended;
};

static void be_slow(struct timer *timer)
{
	struct slow *slow = container_of(timer, struct slow, timer);
	uint64_t until = timer_now_ns() + 5 * MS;

	atomic_store(&slow->begun, true);
	while (timer_now_ns() < until)
		cpu_relax();
	atomic_store(&slow->ended, true);
}

static void arm_slow(void *arg)
{
	timer_arm(&((struct slow *)arg)->timer, 0);
}

TEST(timer, cancel_waits_for_a_call_under_way)
{
	struct slow slow = {.timer = TIMER_INIT(be_slow)};
	uint64_t until = timer_now_ns() + TOO_LONG;

	if (cpus_online() < 2)
		SKIP("needs 2 CPUs, have 1");
	on_cpu(1, arm_slow, &slow);
	while (!atomic_load(&slow.begun) && timer_now_ns() < until)
		cpu_relax();
	EXPECT(slow.begun);
	EXPECT(!timer_cancel(&slow.timer));
	EXPECT(slow.ended);
}

struct garbage {
	struct timer timer;
	void *object, *area;
	_Atomic bool done;
};

static void collect(struct timer *timer)
{
	struct garbage *garbage = container_of(timer, struct garbage, timer);

	kfree(garbage->object);
	vfree(garbage->area);
	atomic_store(&garbage->done, true);
}

TEST(timer, memory_is_freed_from_an_interrupt)
{
	struct garbage garbage = {
		.timer = TIMER_INIT(collect),
		.object = kmalloc(100, GFP_KERNEL),
		.area = vmalloc(5 * PAGE_SIZE),
	};
	uint64_t until = timer_now_ns() + TOO_LONG;

	EXPECT_NOT_NULL(garbage.object);
	EXPECT_NOT_NULL(garbage.area);
	timer_arm(&garbage.timer, 0);
	while (!atomic_load(&garbage.done) && timer_now_ns() < until)
		thread_yield();
	EXPECT(garbage.done);
	timer_cancel(&garbage.timer);
}

TEST(timer, sleep_is_not_early)
{
	static const uint64_t lengths[] = {0, 1, 1000, MS, 7 * MS, 25 * MS};

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		uint64_t before = timer_now_ns(), slept;

		thread_sleep_ns(lengths[i]);
		slept = timer_now_ns() - before;
		EXPECT_GE(slept, lengths[i]);
		EXPECT_LT(slept, lengths[i] + TOO_LONG);
	}
}

TEST(timer, a_stray_wake_up_ends_no_sleep)
{
	uint64_t before = timer_now_ns();

	thread_wake(thread_current());
	thread_sleep_ns(12 * MS);
	EXPECT_GE(timer_now_ns(), before + 12 * MS);
}

struct sleeper {
	struct thread *thread;
	uint64_t ms;
	_Atomic int *counter;
	int order;
	bool early;
};

static void sleep_once(void *arg)
{
	struct sleeper *sleeper = arg;
	uint64_t before = timer_now_ns();

	thread_sleep_ns(sleeper->ms * MS);
	sleeper->early = timer_now_ns() < before + sleeper->ms * MS;
	sleeper->order = atomic_fetch_add(sleeper->counter, 1);
}

TEST(timer, sleepers_wake_in_order)
{
	_Atomic int counter = 0;
	struct sleeper sleepers[NR];

	/* On one CPU, and further apart than ticks are. */
	for (int i = 0; i < NR; i++) {
		sleepers[i] = (struct sleeper){
			.ms = 20 * (NR - i),
			.counter = &counter,
		};
		sleepers[i].thread =
			thread_create("sleeper", sleep_once, &sleepers[i], 0);
		REQUIRE_NOT_NULL(sleepers[i].thread);
	}
	for (int i = 0; i < NR; i++)
		thread_join(sleepers[i].thread);
	for (int i = 0; i < NR; i++) {
		EXPECT(!sleepers[i].early);
		EXPECT_EQ(sleepers[i].order, NR - 1 - i);
	}
}

static void sleep_a_little(void *arg)
{
	for (int i = 0; i < 3; i++) {
		uint64_t before = timer_now_ns();

		thread_sleep_ns(2 * MS);
		EXPECT_GE(timer_now_ns(), before + 2 * MS);
	}
	atomic_fetch_add((_Atomic int *)arg, 1);
}

TEST(timer, all_cpus_sleep_and_so_do_free_threads)
{
	struct thread *threads[NR];
	_Atomic int done = 0;

	for (int i = 0; i < NR; i++) {
		threads[i] = thread_create("free sleeper", sleep_a_little,
					   &done, THREAD_ANY_CPU);
		REQUIRE_NOT_NULL(threads[i]);
	}
	test_run_on_cpus(cpu_online_mask(), sleep_a_little, &done);
	for (int i = 0; i < NR; i++)
		thread_join(threads[i]);
	EXPECT_EQ(done, NR + cpus_online());
}
