/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test code on several CPUs at once. */
#include <arch/cpumask.h>
#include <lib/test.h>
#include <stdatomic.h>

struct seen {
	_Atomic uint64_t cpus;
	_Atomic unsigned int calls;
};

static void note_cpu(void *arg)
{
	struct seen *seen = arg;

	atomic_fetch_or(&seen->cpus, cpumask_of(cpu_id()).bits);
	atomic_fetch_add(&seen->calls, 1);
}

TEST(test_cpus, runs_on_each_cpu_once)
{
	cpumask_t all = cpu_online_mask();
	struct seen seen = {0};

	test_run_on_cpus(all, note_cpu, &seen);
	EXPECT_EQ(seen.cpus, all.bits);
	EXPECT_EQ(seen.calls, cpumask_weight(all));
}

TEST(test_cpus, runs_on_one_of_them)
{
	unsigned int cpu = cpus_online() - 1;
	struct seen seen = {0};

	test_run_on_cpus(cpumask_of(cpu), note_cpu, &seen);
	EXPECT_EQ(seen.cpus, cpumask_of(cpu).bits);
	EXPECT_EQ(seen.calls, 1);
}

/* All must be there at the same time for it to end. */
static void meet(void *arg)
{
	_Atomic unsigned int *missing = arg;

	atomic_fetch_sub(missing, 1);
	while (atomic_load(missing))
		cpu_relax();
}

TEST(test_cpus, at_the_same_time)
{
	_Atomic unsigned int missing = cpus_online();

	test_run_on_cpus(cpu_online_mask(), meet, (void *)&missing);
	EXPECT_EQ(missing, 0);
}

TEST(test_cpus, without_a_runner_on_this_cpu)
{
	test_runner_fn runner = test_set_runner(NULL);
	unsigned int cpu = cpu_id();
	struct seen seen = {0};

	test_run_on_cpus(cpu_online_mask(), note_cpu, &seen);
	EXPECT_NULL(test_set_runner(runner));
	EXPECT_EQ(seen.cpus, cpumask_of(cpu).bits);
	EXPECT_EQ(seen.calls, 1);
}
