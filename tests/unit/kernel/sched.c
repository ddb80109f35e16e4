/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How threads share the CPUs: order, wake-ups that are not lost, load. */
#include <arch/cpumask.h>
#include <kernel/sched.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <lib/random.h>
#include <lib/spinlock.h>
#include <lib/string.h>
#include <lib/test.h>
#include <tests/unit/kernel/budget.h>

#define ROUNDS   500 /* of a stress; each thread's own */
#define NR_PAIRS 8
#define TOO_LONG 5000000000 /* ns */

/* A text that threads of one CPU append to. */
struct record {
	char text[32];
	size_t len;
};

struct writer {
	struct record *record;
	char c;
};

static void write_and_yield(void *arg)
{
	struct writer *writer = arg;

	for (int i = 0; i < 3; i++) {
		writer->record->text[writer->record->len++] = writer->c;
		thread_yield();
	}
}

TEST(sched, threads_take_turns_in_order)
{
	struct record record = {0};
	struct writer writers[] = {
		{&record, 'a'}, {&record, 'b'}, {&record, 'c'}};
	struct thread *threads[3];

	for (int i = 0; i < 3; i++) {
		threads[i] = thread_create("writer", write_and_yield,
					   &writers[i], 0);
		REQUIRE_NOT_NULL(threads[i]);
	}
	for (int i = 0; i < 3; i++)
		thread_join(threads[i]);
	EXPECT_STREQ(record.text, "abcabcabc");
}

TEST(sched, yield_alone_goes_on)
{
	unsigned int cpu = cpu_id();

	for (int i = 0; i < 10; i++)
		thread_yield();
	EXPECT_EQ(cpu_id(), cpu);
	EXPECT(irq_enabled());
}

TEST(sched, waits_are_for_threads_that_hold_nothing)
{
	spinlock_t lock = SPINLOCK_INIT;
	unsigned long flags;

	EXPECT(thread_may_block());
	flags = irq_save();
	EXPECT(!thread_may_block());
	irq_restore(flags);
	spin_lock(&lock);
	/* The release build does not know. */
	EXPECT_EQ(thread_may_block(), spin_locks_held() == 0);
	spin_unlock(&lock);
	EXPECT(thread_may_block());
}

TEST(sched, wake_before_block_is_kept)
{
	thread_wake(thread_current());
	thread_block(); /* else it would never return */
	EXPECT(irq_enabled());
}

struct wait {
	int blocks; /* that ended */
	bool stop;
};

static void count_blocks(void *arg)
{
	struct wait *wait = arg;

	while (!wait->stop) {
		thread_block();
		wait->blocks++;
	}
}

TEST(sched, one_token_however_often_woken)
{
	struct wait wait = {0};
	struct thread *thread = thread_create("waits", count_blocks, &wait, 0);

	REQUIRE_NOT_NULL(thread);
	EXPECT_STREQ(sched_state(thread), "ready");
	thread_wake(thread);
	thread_wake(thread);
	thread_yield();
	thread_yield();
	EXPECT_EQ(wait.blocks, 1);
	EXPECT_STREQ(sched_state(thread), "blocked");
	thread_wake(thread);
	EXPECT_STREQ(sched_state(thread), "ready");
	thread_yield();
	EXPECT_EQ(wait.blocks, 2);
	wait.stop = true;
	thread_wake(thread);
	thread_join(thread);
	EXPECT_EQ(wait.blocks, 3);
}

/* Two threads that wake each other in turn. */
struct pair {
	struct thread *threads[2];
	_Atomic unsigned int arrived;
	_Atomic unsigned int turn;
	_Atomic bool over;
	unsigned int turns[2]; /* taken by each */
};

struct player {
	struct pair *pair;
	unsigned int me;
};

/* Wait for both players of @pair to have come here @times times. */
static void meet(struct pair *pair, unsigned int times)
{
	atomic_fetch_add(&pair->arrived, 1);
	while (atomic_load(&pair->arrived) < 2 * times)
		thread_yield();
}

static void play(void *arg)
{
	struct player *player = arg;
	struct pair *pair = player->pair;
	unsigned int me = player->me;

	pair->threads[me] = thread_current();
	meet(pair, 1);
	for_budget(i, ROUNDS) {
		while (atomic_load(&pair->turn) != me && !pair->over)
			thread_block();
		if (pair->over)
			break;
		pair->turns[me]++;
		atomic_store(&pair->turn, !me);
		thread_wake(pair->threads[!me]);
	}
	pair->over = true;
	thread_wake(pair->threads[!me]);
	/* The other one's last wake-up may be under way to us still. */
	meet(pair, 2);
}

static void play_pairs(unsigned int nr_pairs, bool bound)
{
	struct pair pairs[NR_PAIRS] = {0};
	struct player players[2 * NR_PAIRS];
	struct thread *threads[2 * NR_PAIRS];
	unsigned int nr = cpus_online();

	for (unsigned int i = 0; i < 2 * nr_pairs; i++) {
		players[i] = (struct player){&pairs[i / 2], i % 2};
		threads[i] =
			thread_create("player", play, &players[i],
				      bound ? (int)(i % nr) : THREAD_ANY_CPU);
		REQUIRE_NOT_NULL(threads[i]);
	}
	for (unsigned int i = 0; i < 2 * nr_pairs; i++)
		thread_join(threads[i]);
	for (unsigned int i = 0; i < nr_pairs; i++) {
		EXPECT_GE(pairs[i].turns[0], pairs[i].turns[1]);
		EXPECT_LE(pairs[i].turns[0], pairs[i].turns[1] + 1);
		EXPECT_GT(pairs[i].turns[1], 0);
	}
}

TEST(sched, no_wake_up_between_bound_threads_is_lost)
{
	play_pairs(1, true);
	play_pairs(NR_PAIRS, true);
}

TEST(sched, no_wake_up_between_unbound_threads_is_lost)
{
	play_pairs(1, false);
	play_pairs(NR_PAIRS, false);
}

/* A thread that is woken by all CPUs at once. */
struct crowd {
	struct thread *sleeper;
	_Atomic unsigned long asked, seen; /* wake-ups */
	_Atomic unsigned int done;
	unsigned int nr;
};

static void wake_often(void *arg)
{
	struct crowd *crowd = arg;
	struct rng rng;

	rng_seed(&rng, test_seed() + cpu_id());
	for_budget(i, ROUNDS) {
		atomic_fetch_add_explicit(&crowd->asked, 1,
					  memory_order_relaxed);
		thread_wake(crowd->sleeper);
		for (uint64_t n = rng_below(&rng, 20); n; n--)
			cpu_relax();
		if (rng_below(&rng, 4) == 0)
			thread_yield();
	}
	atomic_fetch_add(&crowd->done, 1);
	thread_wake(crowd->sleeper);
}

static void sleep_often(void *arg)
{
	struct crowd *crowd = arg;

	while (atomic_load(&crowd->done) < crowd->nr) {
		thread_block();
		atomic_store(&crowd->seen,
			     atomic_load_explicit(&crowd->asked,
						  memory_order_relaxed));
	}
	/* Joined only after all have made their last wake-up. */
}

TEST(sched, what_was_written_before_a_wake_up_is_seen)
{
	struct crowd crowd = {.nr = cpus_online()};

	crowd.sleeper =
		thread_create("sleeper", sleep_often, &crowd, THREAD_ANY_CPU);
	REQUIRE_NOT_NULL(crowd.sleeper);
	test_run_on_cpus(cpu_online_mask(), wake_often, &crowd);
	thread_join(crowd.sleeper);
	EXPECT_EQ(crowd.seen, crowd.asked);
	EXPECT_GE(crowd.seen, crowd.nr);
}

/* Return: whether the load of @cpu becomes @load. */
static bool wait_for_load(unsigned int cpu, unsigned int load)
{
	uint64_t until = timer_now_ns() + TOO_LONG;

	while (sched_load(cpu) != load && timer_now_ns() < until)
		thread_yield();
	return sched_load(cpu) == load;
}

TEST(sched, load_comes_back_to_rest)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask())
		EXPECTF(wait_for_load(cpu, cpu == 0), "CPU %u: load %u", cpu,
			sched_load(cpu));
}

static void set_flag(void *arg)
{
	atomic_store((_Atomic bool *)arg, true);
}

TEST(sched, unbound_thread_runs_where_there_is_least_to_do)
{
	uint64_t until = timer_now_ns() + TOO_LONG;
	_Atomic bool ran = false;
	struct thread *thread;

	if (cpus_online() < 2)
		SKIP("needs 2 CPUs, have 1");
	EXPECT(wait_for_load(1, 0));
	thread = thread_create("free", set_flag, &ran, THREAD_ANY_CPU);
	REQUIRE_NOT_NULL(thread);
	/* We do not yield: it can only run elsewhere. */
	while (!ran && timer_now_ns() < until)
		cpu_relax();
	EXPECT(ran);
	thread_join(thread);
}

static void spin_until_told(void *arg)
{
	while (!*(_Atomic bool *)arg)
		cpu_relax();
}

/* An unbound thread that waits, while the CPU where it ran is kept busy. */
struct mover {
	_Atomic bool go_on, done, stop;
	_Atomic unsigned int cpu; /* where it runs */
	unsigned int first;       /* where it ran at first */
	struct thread *thread, *busy;
};

static void wait_once(void *arg)
{
	struct mover *mover = arg;

	mover->cpu = cpu_id();
	while (!mover->go_on)
		thread_block();
	mover->cpu = cpu_id();
	mover->done = true;
}

static void start_mover(struct mover *mover)
{
	mover->cpu = MAX_CPUS;
	mover->thread =
		thread_create("mover", wait_once, mover, THREAD_ANY_CPU);
	REQUIRE_NOT_NULL(mover->thread);
	while (mover->cpu == MAX_CPUS || mover->thread->on_cpu)
		thread_yield();
	EXPECT_STREQ(sched_state(mover->thread), "blocked");
	mover->first = mover->cpu;
	mover->busy = thread_create("busy", spin_until_told, &mover->stop,
				    (int)mover->first);
	REQUIRE_NOT_NULL(mover->busy);
}

static void end_mover(struct mover *mover)
{
	mover->stop = true;
	thread_join(mover->thread);
	thread_join(mover->busy);
}

TEST(sched, unbound_thread_is_woken_where_there_is_least_to_do)
{
	uint64_t until = timer_now_ns() + TOO_LONG;
	struct mover mover = {.go_on = false};

	if (cpus_online() < 3)
		SKIP("needs 3 CPUs, have %u", cpus_online());
	start_mover(&mover);
	mover.go_on = true;
	thread_wake(mover.thread);
	while (!mover.done && timer_now_ns() < until)
		cpu_relax();
	EXPECT(mover.done);
	EXPECT_NE(mover.cpu, mover.first);
	end_mover(&mover);
}

TEST(sched, not_moved_before_its_stack_is_free)
{
	struct mover mover = {.go_on = false};

	if (cpus_online() < 3)
		SKIP("needs 3 CPUs, have %u", cpus_online());
	start_mover(&mover);
	mover.go_on = true;
	/* S2: as if its CPU were still on the way to the next thread. */
	atomic_store(&mover.thread->on_cpu, true);
	thread_wake(mover.thread);
	EXPECT_EQ(mover.thread->cpu, mover.first);
	end_mover(&mover);
	EXPECT_EQ(mover.cpu, mover.first);
}

TEST(sched, bound_thread_waits_for_its_cpu)
{
	_Atomic bool ran = false;
	struct thread *thread = thread_create("bound", set_flag, &ran, 0);
	uint64_t until = timer_now_ns() + 2000000;

	REQUIRE_NOT_NULL(thread);
	while (timer_now_ns() < until)
		cpu_relax();
	EXPECT(!ran);
	thread_join(thread);
	EXPECT(ran);
}
