/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's way to run test code on several CPUs; what any machine's way has
 * to do is tested in test_cpus.c. */
#include <arch/cpumask.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <lib/test.h>

struct late {
	_Atomic bool begun, over;
};

static void be_busy(void *arg)
{
	uint64_t until = timer_now_ns() + 5000000;
	struct late *late = arg;

	late->begun = true;
	while (timer_now_ns() < until)
		cpu_relax();
	late->over = true;
}

static void expect_over(void *arg)
{
	EXPECT(((struct late *)arg)->over);
}

TEST(test_runner, none_starts_before_all_can)
{
	unsigned int last = cpus_online() - 1;
	struct late late = {.over = false};
	struct thread *busy = thread_create("busy", be_busy, &late, (int)last);

	REQUIRE_NOT_NULL(busy);
	while (!late.begun)
		thread_yield();
	test_run_on_cpus(cpu_online_mask(), expect_over, &late);
	thread_join(busy);
}

static void expect_thread(void *arg)
{
	EXPECT(thread_may_block());
	EXPECT(thread_current()->bound);
	EXPECT_EQ(thread_current()->cpu, cpu_id());
	thread_yield();
	EXPECT_EQ(thread_current()->cpu, cpu_id());
}

TEST(test_runner, runs_in_bound_threads)
{
	test_run_on_cpus(cpu_online_mask(), expect_thread, NULL);
}
