/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The test core's boot parameters, and its door for the rest of the kernel. */
#include <arch/clock.h>
#include <lib/param.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test_core.h>

char test_glob[64];
unsigned int test_repeat = 1;
uint64_t test_base_seed = 1;
const char *test_words;
static const struct leak_check *leak_check;

PARAM_STR("test", test_glob, "tests to run: a glob of suite or suite.case");
PARAM_UINT("repeat", test_repeat,
	   "how often each test case runs, each time with the next seed");

/* A draw from the clock, which differs from boot to boot where time is real. */
static uint64_t draw_seed(void)
{
	struct rng rng;

	rng_seed(&rng, clock_ticks());
	return rng_below(&rng, 1000000000);
}

static int set_seed(const char *value)
{
	if (strcmp(value, "random"))
		return parse_u64(value, &test_base_seed);
	test_base_seed = draw_seed();
	printk("seed=%lu\n", test_base_seed);
	return 0;
}

PARAM_FN("seed", set_seed, "seed of random tests: a number or random");

void test_set_leak_check(const struct leak_check *check)
{
	leak_check = check;
}

void test_set_words(const char *cmdline)
{
	test_words = cmdline;
}

struct test_result test_run(const char *glob)
{
	static struct test_session session;

	if (!glob)
		glob = *test_glob ? test_glob : "*";
	memset(&session, 0, sizeof(session));
	session.set = TEST_SET(test_cases, test_suites);
	session.glob = glob;
	session.seed = test_base_seed;
	session.repeat = test_repeat;
	session.leak = leak_check;
	session.words = test_words;
	return test_session_run(&session);
}
