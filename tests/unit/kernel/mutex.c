/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mutexes: exclusion, order, ownership. */
#include <arch/cpumask.h>
#include <kernel/mutex.h>
#include <kernel/sched.h>
#include <kernel/thread.h>
#include <lib/random.h>
#include <lib/test.h>
#include <tests/unit/kernel/budget.h>

#define COMERS 4
#define ROUNDS 300

TEST(mutex, lock_and_unlock_alone)
{
	DEFINE_MUTEX(mutex);

	EXPECT(!mutex_is_mine(&mutex));
	mutex_lock(&mutex);
	EXPECT(mutex_is_mine(&mutex));
	mutex_unlock(&mutex);
	EXPECT(!mutex_is_mine(&mutex));
	EXPECT(mutex_trylock(&mutex));
	EXPECT(mutex_is_mine(&mutex));
	mutex_unlock(&mutex);
	EXPECT(irq_enabled());
}

struct contest {
	struct mutex mutex;
	int order[COMERS];
	int got;
	bool stolen;
};

struct comer {
	struct contest *contest;
	int number;
};

static void come(void *arg)
{
	struct comer *comer = arg;
	struct contest *contest = comer->contest;

	contest->stolen |= mutex_trylock(&contest->mutex);
	contest->stolen |= mutex_is_mine(&contest->mutex);
	mutex_lock(&contest->mutex);
	contest->order[comer->number] = contest->got++;
	thread_yield(); /* an owner may */
	mutex_unlock(&contest->mutex);
}

TEST(mutex, handed_over_in_order_of_coming)
{
	struct contest contest = {.got = 0};
	struct comer comers[COMERS];
	struct thread *threads[COMERS];

	mutex_init(&contest.mutex);
	mutex_lock(&contest.mutex);
	for (int i = 0; i < COMERS; i++) {
		comers[i] = (struct comer){&contest, i};
		threads[i] = thread_create("comer", come, &comers[i], 0);
		REQUIRE_NOT_NULL(threads[i]);
	}
	thread_yield();
	EXPECT_EQ(contest.got, 0);
	EXPECT(!contest.stolen);
	EXPECT_STREQ(sched_state(threads[COMERS - 1]), "blocked");
	mutex_unlock(&contest.mutex);
	/* X1: the next owner has not run yet, and yet it is no longer free. */
	EXPECT(!mutex_trylock(&contest.mutex));
	for (int i = 0; i < COMERS; i++) {
		thread_join(threads[i]);
		EXPECT_EQ(contest.order[i], i);
	}
	EXPECT(mutex_trylock(&contest.mutex));
	mutex_unlock(&contest.mutex);
}

TEST(mutex, a_stray_wake_up_gives_no_lock)
{
	struct contest contest = {.got = 0};
	struct comer comer = {&contest, 0};
	struct thread *thread;

	mutex_init(&contest.mutex);
	mutex_lock(&contest.mutex);
	thread = thread_create("comer", come, &comer, 0);
	REQUIRE_NOT_NULL(thread);
	thread_yield();
	thread_wake(thread);
	thread_yield();
	EXPECT_EQ(contest.got, 0);
	mutex_unlock(&contest.mutex);
	thread_join(thread);
	EXPECT_EQ(contest.got, 1);
}

static struct mutex counter_mutex;
static volatile unsigned long counter; /* the mutex is to be enough */
static _Atomic unsigned long nr_counted;

static void count(void *arg)
{
	struct rng rng;

	rng_seed(&rng, test_seed() + cpu_id());
	for_budget(i, ROUNDS) {
		unsigned long old;

		mutex_lock(&counter_mutex);
		old = counter;
		if (rng_below(&rng, 8) == 0)
			thread_yield();
		counter = old + 1;
		mutex_unlock(&counter_mutex);
		atomic_fetch_add(&nr_counted, 1);
	}
}

TEST(mutex, keeps_a_counter_exact)
{
	struct thread *more[COMERS];

	mutex_init(&counter_mutex);
	counter = 0;
	nr_counted = 0;
	for (int i = 0; i < COMERS; i++) {
		more[i] = thread_create("counts", count, NULL, THREAD_ANY_CPU);
		REQUIRE_NOT_NULL(more[i]);
	}
	test_run_on_cpus(cpu_online_mask(), count, NULL);
	for (int i = 0; i < COMERS; i++)
		thread_join(more[i]);
	EXPECT_EQ(counter, nr_counted);
	EXPECT_GE(counter, cpus_online() + COMERS);
}
