/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels that end badly on purpose, part 2: threads that do what they must
 * not. Each ends in a panic whose line says what was wrong.
 */
#include <arch/smp.h>
#include <kernel/mutex.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <lib/test_core.h>

/* Run @fn in a thread, on the CPU with the highest number. */
static void run_in_thread(const char *name, void (*fn)(void *), void *arg)
{
	struct thread *thread =
		thread_create(name, fn, arg, (int)cpus_online() - 1);

	REQUIRE_NOT_NULL(thread);
	thread_join(thread);
}

/* Call itself @depth times, one inside the other. */
static noinline unsigned long fall(unsigned long depth)
{
	volatile unsigned long here = depth;

	return here ? fall(here - 1) + here : 0;
}

static void overflow(void *arg)
{
	fall(THREAD_STACK_SIZE);
}

TEST_IN(selftest_cases, selftest, overflow)
{
	run_in_thread("falls", overflow, NULL);
}

struct object {
	unsigned long field[2];
};

static void follow(void *arg)
{
	((volatile struct object *)arg)->field[1]++;
}

TEST_IN(selftest_cases, selftest, null)
{
	run_in_thread("careless", follow, NULL);
}

static void unlock(void *arg)
{
	mutex_unlock(arg);
}

TEST_IN(selftest_cases, selftest, mutex_unlock)
{
	DEFINE_MUTEX(mutex);

	mutex_lock(&mutex);
	run_in_thread("thief", unlock, &mutex);
}

TEST_IN(selftest_cases, selftest, mutex_twice)
{
	DEFINE_MUTEX(mutex);

	mutex_lock(&mutex);
	mutex_lock(&mutex);
}

TEST_IN(selftest_cases, selftest, mutex_irqs_off)
{
	DEFINE_MUTEX(mutex);

	irq_save();
	mutex_lock(&mutex);
}

static void lock_mutex(struct timer *timer)
{
	static DEFINE_MUTEX(mutex);

	mutex_lock(&mutex);
}

TEST_IN(selftest_cases, selftest, mutex_in_irq)
{
	struct timer timer = TIMER_INIT(lock_mutex);

	timer_arm(&timer, 0);
	thread_sleep_ns(1000000000);
}

static void do_nothing(void *unused)
{
}

static void call_oneself(struct timer *timer)
{
	cpu_call(cpu_id(), do_nothing, NULL, true);
}

TEST_IN(selftest_cases, selftest, call_in_irq)
{
	struct timer timer = TIMER_INIT(call_oneself);

	timer_arm(&timer, 0);
	thread_sleep_ns(1000000000);
}

TEST_IN(selftest_cases, selftest, call_irqs_off)
{
	irq_save();
	cpu_call(cpu_id(), do_nothing, NULL, true);
}

TEST_IN(selftest_cases, selftest, join_itself)
{
	thread_join(thread_current());
}

static void nothing(void *arg)
{
}

TEST_IN(selftest_cases, selftest, join_detached)
{
	struct thread *thread =
		thread_create("free", nothing, NULL, THREAD_ANY_CPU);

	REQUIRE_NOT_NULL(thread);
	thread_detach(thread);
	thread_join(thread);
}

static void cancel_itself(struct timer *timer)
{
	timer_cancel(timer);
}

TEST_IN(selftest_cases, selftest, timer_cancel)
{
	struct timer timer = TIMER_INIT(cancel_itself);

	timer_arm(&timer, 0);
	thread_sleep_ns(1000000000);
}
