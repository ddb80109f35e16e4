/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test code on several CPUs at once. */
#include <arch/cpu.h>
#include <lib/test.h>

static test_runner_fn runner;

test_runner_fn test_set_runner(test_runner_fn new_runner)
{
	test_runner_fn before = runner;

	runner = new_runner;
	return before;
}

void test_run_on_cpus(cpumask_t mask, void (*fn)(void *arg), void *arg)
{
	if (runner)
		runner(mask, fn, arg);
	else
		fn(arg);
}
