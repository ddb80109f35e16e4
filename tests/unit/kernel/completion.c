/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completions: before and after the wait, from threads and from interrupts. */
#include <arch/cpumask.h>
#include <arch/smp.h>
#include <kernel/completion.h>
#include <kernel/sched.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <lib/string.h>
#include <lib/test.h>
#include <tests/unit/kernel/budget.h>

#define WAITERS 8
#define ROUNDS  200

TEST(completion, done_before_the_wait_is_counted)
{
	DEFINE_COMPLETION(c);

	EXPECT(!try_wait_for_completion(&c));
	complete(&c);
	complete(&c);
	wait_for_completion(&c);
	EXPECT(try_wait_for_completion(&c));
	EXPECT(!try_wait_for_completion(&c));
}

struct waiters {
	struct completion c;
	int gone;
	int order[WAITERS];
};

struct waiter {
	struct waiters *all;
	int number;
};

static void wait_once(void *arg)
{
	struct waiter *waiter = arg;

	wait_for_completion(&waiter->all->c);
	waiter->all->order[waiter->number] = waiter->all->gone++;
}

/* Start all waiters on this CPU, and let them come to wait. */
static void start_waiters(struct waiters *all, struct waiter *waiters,
			  struct thread **threads)
{
	completion_init(&all->c);
	all->gone = 0;
	for (int i = 0; i < WAITERS; i++) {
		waiters[i] = (struct waiter){all, i};
		threads[i] = thread_create("waiter", wait_once, &waiters[i], 0);
		REQUIRE_NOT_NULL(threads[i]);
	}
	thread_yield();
}

TEST(completion, who_waits_longest_is_first)
{
	struct waiters all;
	struct waiter waiters[WAITERS];
	struct thread *threads[WAITERS];

	start_waiters(&all, waiters, threads);
	EXPECT_EQ(all.gone, 0);
	complete(&all.c);
	thread_yield();
	EXPECT_EQ(all.gone, 1);
	for (int i = 1; i < WAITERS; i++)
		complete(&all.c);
	for (int i = 0; i < WAITERS; i++) {
		thread_join(threads[i]);
		EXPECT_EQ(all.order[i], i);
	}
	EXPECT(!try_wait_for_completion(&all.c));
}

TEST(completion, complete_all_opens_for_good)
{
	struct waiters all;
	struct waiter waiters[WAITERS];
	struct thread *threads[WAITERS];

	start_waiters(&all, waiters, threads);
	complete_all(&all.c);
	for (int i = 0; i < WAITERS; i++)
		thread_join(threads[i]);
	EXPECT_EQ(all.gone, WAITERS);
	wait_for_completion(&all.c);
	EXPECT(try_wait_for_completion(&all.c));
	complete(&all.c);
	EXPECT(try_wait_for_completion(&all.c));
	EXPECT_EQ(all.c.done, COMPLETION_ALL);
}

TEST(completion, a_stray_wake_up_ends_no_wait)
{
	struct waiters all = {.gone = 0};
	struct waiter waiter = {&all, 0};
	struct thread *thread;

	completion_init(&all.c);
	thread = thread_create("waiter", wait_once, &waiter, 0);
	REQUIRE_NOT_NULL(thread);
	thread_yield();
	thread_wake(thread);
	thread_yield();
	EXPECT_EQ(all.gone, 0);
	EXPECT_STREQ(sched_state(thread), "blocked");
	complete(&all.c);
	thread_join(thread);
	EXPECT_EQ(all.gone, 1);
}

struct from_timer {
	struct timer timer;
	struct completion c;
	bool in_interrupt;
};

static void complete_from_timer(struct timer *timer)
{
	struct from_timer *t = container_of(timer, struct from_timer, timer);

	t->in_interrupt = in_interrupt();
	complete(&t->c);
}

TEST(completion, by_an_interrupt)
{
	struct from_timer t = {.timer = TIMER_INIT(complete_from_timer)};

	completion_init(&t.c);
	timer_arm(&t.timer, 1000000);
	wait_for_completion(&t.c);
	EXPECT(t.in_interrupt);
	timer_cancel(&t.timer);
}

/* Each round's completion stands on the waiter's stack and is gone at once. */
struct service {
	_Atomic(struct completion *) wanted;
	_Atomic bool stop;
};

static void serve(void *arg)
{
	struct service *service = arg;

	while (!service->stop) {
		struct completion *c = atomic_exchange(&service->wanted, NULL);

		if (c)
			complete(c);
		else
			thread_yield();
	}
}

TEST(completion, gone_as_soon_as_the_waiter_goes_on)
{
	struct service service = {.wanted = NULL};
	struct thread *server =
		thread_create("server", serve, &service, THREAD_ANY_CPU);

	REQUIRE_NOT_NULL(server);
	for_budget(i, ROUNDS) {
		DEFINE_COMPLETION(c);

		atomic_store(&service.wanted, &c);
		wait_for_completion(&c);
		memset((void *)&c, 0x5a, sizeof(c));
		cpu_relax();
		EXPECT_EQ(c.done, 0x5a5a5a5a);
	}
	service.stop = true;
	thread_join(server);
}

static struct completion token;
static _Atomic int holders;

static void take_and_give(void *arg)
{
	for_budget(i, ROUNDS) {
		wait_for_completion(&token);
		EXPECT_EQ(atomic_fetch_add(&holders, 1), 0);
		atomic_fetch_sub(&holders, 1);
		complete(&token);
	}
}

TEST(completion, one_token_goes_round_all_cpus)
{
	completion_init(&token);
	complete(&token);
	test_run_on_cpus(cpu_online_mask(), take_and_give, NULL);
	EXPECT(try_wait_for_completion(&token));
	EXPECT(!try_wait_for_completion(&token));
}
