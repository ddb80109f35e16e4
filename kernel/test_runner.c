/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Test code on several CPUs at once, by bound threads. All wait at a gate until
 * the last one has come, spinning, so that they start within a moment of each
 * other.
 */
#include <kernel/test_runner.h>
#include <kernel/thread.h>
#include <lib/test_core.h>

struct test_gate {
	void (*fn)(void *arg);
	void *arg;
	_Atomic unsigned int missing; /* threads that are not there yet */
};

static void run(void *arg)
{
	struct test_gate *gate = arg;

	atomic_fetch_sub(&gate->missing, 1);
	while (atomic_load(&gate->missing))
		cpu_relax();
	gate->fn(gate->arg);
}

static void run_on_cpus(cpumask_t mask, void (*fn)(void *arg), void *arg)
{
	struct thread *threads[MAX_CPUS] = {NULL};
	struct test_gate gate = {fn, arg, cpumask_weight(mask)};
	unsigned int cpu;

	for_each_cpu(cpu, mask) {
		threads[cpu] = thread_create("test", run, &gate, (int)cpu);
		if (!threads[cpu]) {
			test_fail("no thread on CPU %u", cpu);
			atomic_fetch_sub(&gate.missing, 1);
		}
	}
	for_each_cpu(cpu, mask) {
		if (threads[cpu])
			thread_join(threads[cpu]);
	}
}

void test_runner_init(void)
{
	test_set_runner(run_on_cpus);
}
