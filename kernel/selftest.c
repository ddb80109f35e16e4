/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels that end badly on purpose. Each is a test of its own, in a set that
 * no ordinary run includes; the cases of threads are in selftest_threads.c.
 */
#include <arch/cpu.h>
#include <arch/machine.h>
#include <kernel/selftest.h>
#include <lib/panic.h>
#include <lib/param.h>
#include <lib/printf.h>
#include <lib/test_core.h>

static char wanted[16];
PARAM_STR("selftest", wanted,
	  "end badly on purpose: fail, panic, hang, triple, null, overflow...");

TEST_IN(selftest_cases, selftest, fail)
{
	EXPECT_EQ(1, 2);
}

TEST_IN(selftest_cases, selftest, panic)
{
	panic("as asked by selftest=panic");
}

TEST_IN(selftest_cases, selftest, hang)
{
	for (;;)
		cpu_relax();
}

TEST_IN(selftest_cases, selftest, triple)
{
	machine_reset();
}

bool selftest_wanted(void)
{
	return *wanted;
}

bool selftest_run(void)
{
	static struct test_session session;
	char glob[32];

	snprintf(glob, sizeof(glob), "selftest.%s", wanted);
	session = (struct test_session){
		.set = TEST_SET(selftest_cases, selftest_suites),
		.glob = glob,
		.seed = test_base_seed,
		.words = test_words,
	};
	return test_session_run(&session).failed == 0;
}
