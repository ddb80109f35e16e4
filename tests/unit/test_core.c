/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The test core, tested by itself: small sets of tests that pass, fail, skip
 * and leak on purpose are run in sessions of their own, and the report that
 * they print is compared byte by byte.
 */
#include <arch/cpu.h>
#include <lib/printf.h>
#include <lib/string.h>
#include <lib/test_core.h>

static char report[4096];
static unsigned int runs; /* of inner cases */

/* Run the tests of @set that @glob matches, as a session whose other settings
 * are @given's; what it prints goes to report. */
static struct test_result run(struct test_set set, const char *glob,
			      const struct test_session *given)
{
	static struct test_session session;
	struct printk_capture capture = PRINTK_CAPTURE(report);
	struct printk_capture *before = printk_set_capture(&capture);
	struct test_result result;

	memset(&session, 0, sizeof(session));
	session.set = set;
	session.glob = glob;
	session.seed = 1;
	if (given) {
		session.seed = given->seed;
		session.repeat = given->repeat;
		session.leak = given->leak;
		session.words = given->words;
	}
	runs = 0;
	result = test_session_run(&session);
	printk_set_capture(before);
	return result;
}

static void expect_result(struct test_result result, unsigned int passed,
			  unsigned int failed, unsigned int skipped)
{
	EXPECT_EQ(result.passed, passed);
	EXPECT_EQ(result.failed, failed);
	EXPECT_EQ(result.skipped, skipped);
}

/* Lines below name the place of an expectation: replace each "tests/…c:12" of
 * the report by "HERE". */
static void hide_places(void)
{
	char *from = report, *to = report;
	const size_t n = sizeof(__FILE__) - 1;

	while (*from) {
		if (strncmp(from, __FILE__ ":", n + 1)) {
			*to++ = *from++;
			continue;
		}
		memcpy(to, "HERE", 4);
		to += 4;
		for (from += n + 1; *from >= '0' && *from <= '9';)
			from++;
	}
	*to = '\0';
}

/* --- passing, in the order of names and of the file ----------------------- */

TEST_IN(plain_cases, zebra, one)
{
	runs++;
}

TEST_IN(plain_cases, ant, third_in_the_alphabet)
{
	runs++;
}

TEST_IN(plain_cases, ant, first_in_the_alphabet)
{
	runs++;
}

TEST_IN(plain_cases, zebra, two)
{
	runs++;
}

#define PLAIN TEST_SET(plain_cases, plain_suites)

TEST(test_core, order_and_format)
{
	expect_result(run(PLAIN, "*", NULL), 4, 0, 0);
	EXPECT_STREQ(report, "KTAP version 1\n"
			     "1..2\n"
			     "  KTAP version 1\n"
			     "  # Subtest: ant\n"
			     "  1..2\n"
			     "  ok 1 third_in_the_alphabet\n"
			     "  ok 2 first_in_the_alphabet\n"
			     "ok 1 ant\n"
			     "  KTAP version 1\n"
			     "  # Subtest: zebra\n"
			     "  1..2\n"
			     "  ok 1 one\n"
			     "  ok 2 two\n"
			     "ok 2 zebra\n"
			     "Summary: 4 passed, 0 failed, 0 skipped\n");
}

TEST(test_core, glob_of_one_case)
{
	expect_result(run(PLAIN, "zebra.o*", NULL), 1, 0, 0);
	EXPECT_STREQ(report, "KTAP version 1\n"
			     "1..1\n"
			     "  KTAP version 1\n"
			     "  # Subtest: zebra\n"
			     "  1..1\n"
			     "  ok 1 one\n"
			     "ok 1 zebra\n"
			     "Summary: 1 passed, 0 failed, 0 skipped\n");
}

TEST(test_core, glob_of_a_suite)
{
	expect_result(run(PLAIN, "zebr?", NULL), 2, 0, 0);
	expect_result(run(PLAIN, "zebra.*", NULL), 2, 0, 0);
	expect_result(run(PLAIN, "*.*_in_the_*", NULL), 2, 0, 0);
}

TEST(test_core, glob_that_matches_nothing)
{
	expect_result(run(PLAIN, "zebra.three", NULL), 0, 1, 0);
	EXPECT_STREQ(report, "test=\"zebra.three\": no test matches\n"
			     "Summary: 0 passed, 1 failed, 0 skipped\n");
	EXPECT_EQ(runs, 0);
}

TEST(test_core, empty_set)
{
	expect_result(run(TEST_SET(no_such_cases, no_such_suites), "*", NULL),
		      0, 1, 0);
}

/* --- failing ---------------------------------------------------------------*/

TEST_IN(failing_cases, both, goes_on_after_expect)
{
	int a = 3;
	unsigned long b = 4;

	EXPECT_EQ(a, b);
	EXPECT(a > 5);
	runs++;
}

TEST_IN(failing_cases, both, returns_after_require)
{
	REQUIRE(runs > 100);
	runs++;
}

TEST_IN(failing_cases, both, passes)
{
}

TEST(test_core, failures)
{
	expect_result(run(TEST_SET(failing_cases, no_suites), "*", NULL), 1, 2,
		      0);
	hide_places();
	EXPECT_STREQ(report,
		     "KTAP version 1\n"
		     "1..1\n"
		     "  KTAP version 1\n"
		     "  # Subtest: both\n"
		     "  1..3\n"
		     "  # EXPECT_EQ(a, b) failed at HERE: "
		     "a = 3 (0x3), b = 4 (0x4)\n"
		     "  # EXPECT(a > 5) failed at HERE\n"
		     "  not ok 1 goes_on_after_expect\n"
		     "  # REQUIRE(runs > 100) failed at HERE\n"
		     "  not ok 2 returns_after_require\n"
		     "  ok 3 passes\n"
		     "not ok 1 both\n"
		     "Summary: 1 passed, 2 failed, 0 skipped\n"
		     "reproduce: test=both.goes_on_after_expect seed=1\n"
		     "reproduce: test=both.returns_after_require "
		     "seed=1\n");
	EXPECT_EQ(runs, 1);
}

/* --- what expectations print ---------------------------------------------- */

TEST_IN(value_cases, value, integers)
{
	int8_t small = -1;
	uint8_t byte = 200;
	uint64_t big = UINT64_MAX;
	int64_t least = INT64_MIN;
	enum { RED, GREEN } colour = GREEN;

	EXPECT_EQ(small, byte);
	EXPECT_NE(big, UINT64_MAX);
	EXPECT_LT(least, least);
	EXPECT_LE(byte, 'a');
	EXPECT_GT(small, 0U);
	EXPECT_GE(colour, 2);
	EXPECT_EQ(small, big);
}

TEST_IN(value_cases, value, others)
{
	bool yes = true;
	int *p = (int *)0xffff888000001000, *none = NULL;
	const char *s = "a\t\"b\"\n", *null = NULL;

	EXPECT_EQ(yes, false);
	EXPECT_NULL(p);
	EXPECT_NOT_NULL(none);
	EXPECT_EQ(p, none);
	EXPECT_STREQ(s, "ab");
	EXPECT_STREQ(null, "");
	EXPECT_CONTAINS(s, "c");
	EXPECT_CONTAINS(null, s);
	EXPECTF(s == null, "%d of %s", 7, "ten");
}

TEST(test_core, integers_printed)
{
	run(TEST_SET(value_cases, no_suites), "value.integers", NULL);
	hide_places();
	EXPECT_CONTAINS(report,
			"  # EXPECT_EQ(small, byte) failed at HERE: "
			"small = -1 (0xffffffffffffffff), byte = 200 (0xc8)\n"
			"  # EXPECT_NE(big, UINT64_MAX) failed at HERE: "
			"big = 18446744073709551615 (0xffffffffffffffff), "
			"UINT64_MAX = 18446744073709551615 "
			"(0xffffffffffffffff)\n"
			"  # EXPECT_LT(least, least) failed at HERE: "
			"least = -9223372036854775808 (0x8000000000000000), "
			"least = -9223372036854775808 (0x8000000000000000)\n"
			"  # EXPECT_LE(byte, 'a') failed at HERE: "
			"byte = 200 (0xc8), 'a' = 97 (0x61)\n"
			"  # EXPECT_GT(small, 0U) failed at HERE: "
			"small = -1 (0xffffffffffffffff), 0U = 0 (0x0)\n"
			"  # EXPECT_GE(colour, 2) failed at HERE: "
			"colour = 1 (0x1), 2 = 2 (0x2)\n"
			"  # EXPECT_EQ(small, big) failed at HERE: "
			"small = -1 (0xffffffffffffffff), "
			"big = 18446744073709551615 (0xffffffffffffffff)\n"
			"  not ok 1 integers\n");
}

TEST(test_core, other_values_printed)
{
	run(TEST_SET(value_cases, no_suites), "value.others", NULL);
	hide_places();
	EXPECT_CONTAINS(report, "  # EXPECT_EQ(yes, false) failed at HERE: "
				"yes = true, false = ");
	EXPECT_CONTAINS(report,
			"  # EXPECT_NULL(p) failed at HERE: "
			"p = 0xffff888000001000\n"
			"  # EXPECT_NOT_NULL(none) failed at HERE: "
			"none = 0x0000000000000000\n"
			"  # EXPECT_EQ(p, none) failed at HERE: "
			"p = 0xffff888000001000, none = 0x0000000000000000\n"
			"  # EXPECT_STREQ(s, \"ab\") failed at HERE: "
			"s = \"a\\x09\\\"b\\\"\\n\", \"ab\" = \"ab\"\n"
			"  # EXPECT_STREQ(null, \"\") failed at HERE: "
			"null = (null), \"\" = \"\"\n"
			"  # EXPECT_CONTAINS(s, \"c\") failed at HERE: "
			"s = \"a\\x09\\\"b\\\"\\n\", \"c\" = \"c\"\n"
			"  # EXPECT_CONTAINS(null, s) failed at HERE: "
			"null = (null), s = \"a\\x09\\\"b\\\"\\n\"\n"
			"  # EXPECT(s == null) failed at HERE: 7 of ten\n"
			"  not ok 1 others\n");
}

/* Numbers compare as numbers, whatever their types. */
TEST(test_core, expectations_that_hold)
{
	int8_t minus = -1;
	uint32_t wide = UINT32_MAX;
	const char *s = "text";

	EXPECT_LT(minus, wide);
	EXPECT_NE(minus, wide);
	EXPECT_NE(minus, UINT64_MAX);
	EXPECT_GT(0, minus);
	EXPECT_LT(-2, minus);
	EXPECT_LE(minus, minus);
	EXPECT_GE(wide, wide);
	EXPECT_EQ(wide, 4294967295);
	EXPECT_EQ('a', 97UL);
	EXPECT_EQ(s, s);
	EXPECT_NOT_NULL(s);
	EXPECT_NULL(NULL);
	EXPECT_STREQ(s, "text");
	EXPECT_STREQ(NULL, NULL);
	EXPECT_CONTAINS(s, "ex");
	EXPECT_CONTAINS(s, "");
}

static int evaluations;

static int evaluated(void)
{
	return ++evaluations;
}

TEST(test_core, arguments_are_evaluated_once)
{
	evaluations = 0;
	EXPECT_EQ(evaluated(), 1);
	EXPECT_LT(evaluated(), 3);
	EXPECT(evaluated() == 3);
	EXPECT_EQ(evaluations, 3);
}

TEST_IN(flood_cases, flood, many)
{
	for (int i = 0; i < 100; i++)
		EXPECT_EQ(i, -1);
}

TEST(test_core, many_failures_are_cut_short)
{
	unsigned int lines = 0;

	expect_result(run(TEST_SET(flood_cases, no_suites), "*", NULL), 0, 1,
		      0);
	for (const char *s = report; (s = strstr(s, "# EXPECT_EQ")); s++)
		lines++;
	EXPECT_EQ(lines, TEST_MAX_SHOWN);
	EXPECT_CONTAINS(report, "i = 19 (0x13), -1 = -1 (0xffffffffffffffff)\n"
				"  # more failures are not shown\n"
				"  not ok 1 many\n");
}

#define FAIL_CASE(n)                                                           \
	TEST_IN(numerous_cases, numerous, fails_##n)                           \
	{                                                                      \
		EXPECT(false);                                                 \
	}

FAIL_CASE(1)
FAIL_CASE(2)
FAIL_CASE(3)
FAIL_CASE(4)
FAIL_CASE(5)
FAIL_CASE(6)
FAIL_CASE(7)
FAIL_CASE(8)
FAIL_CASE(9)
FAIL_CASE(10)
FAIL_CASE(11)
FAIL_CASE(12)
FAIL_CASE(13)
FAIL_CASE(14)
FAIL_CASE(15)
FAIL_CASE(16)
FAIL_CASE(17)
FAIL_CASE(18)

TEST(test_core, not_all_failures_are_listed)
{
	expect_result(run(TEST_SET(numerous_cases, no_suites), "*", NULL), 0,
		      18, 0);
	EXPECT_CONTAINS(report, "reproduce: test=numerous.fails_16 seed=1\n"
				"reproduce: 2 more\n");
}

TEST(test_core, words_of_the_machine_reproduce_too)
{
	const struct test_session given = {
		.seed = 7,
		.words = "prompt=0 fail_page_alloc=5  test=* x=\"a b\" "
			 "seed=3 \"seed=4\" prompt tests=1",
	};

	run(TEST_SET(numerous_cases, no_suites), "numerous.fails_2", &given);
	EXPECT_CONTAINS(report, "reproduce: test=numerous.fails_2 seed=7 "
				"fail_page_alloc=5 x=\"a b\" tests=1\n");
}

/* --- log, skip, needs ------------------------------------------------------*/

TEST_IN(skip_cases, skips, logs)
{
	test_log("seen %d", 5);
}

TEST_IN(skip_cases, skips, leaves)
{
	SKIP("needs %d arms", 3);
	EXPECT(false);
}

TEST_IN(skip_cases, skips, after_a_failure)
{
	EXPECT(false);
	SKIP("too late");
}

TEST(test_core, log_and_skip)
{
	expect_result(run(TEST_SET(skip_cases, no_suites), "*", NULL), 1, 1, 1);
	hide_places();
	EXPECT_CONTAINS(report, "  1..3\n"
				"  # seen 5\n"
				"  ok 1 logs\n"
				"  ok 2 leaves # SKIP needs 3 arms\n"
				"  # EXPECT(false) failed at HERE\n"
				"  not ok 3 after_a_failure\n"
				"not ok 1 skips\n"
				"Summary: 1 passed, 1 failed, 1 skipped\n");
}

TEST_SUITE_IN(need_suites, big, .min_pages = 16384, .why = "for the holes");
TEST_SUITE_IN(need_suites, little, .min_pages = 3);
TEST_SUITE_IN(need_suites, wide, .min_cpus = MAX_CPUS + 1);

TEST_IN(need_cases, big, one)
{
	runs++;
}

TEST_IN(need_cases, big, two)
{
	runs++;
}

TEST_IN(need_cases, little, one)
{
	runs++;
}

TEST_IN(need_cases, wide, one)
{
	runs++;
}

static size_t pages_to_report;

static size_t report_pages(void)
{
	return pages_to_report;
}

/* Run the suites with needs where @pages are free. */
static struct test_result run_with_pages(const char *glob, size_t pages)
{
	test_pages_fn before = test_set_free_pages(report_pages);
	struct test_result result;

	pages_to_report = pages;
	result = run(TEST_SET(need_cases, need_suites), glob, NULL);
	test_set_free_pages(before);
	return result;
}

TEST(test_core, too_little_memory)
{
	expect_result(run_with_pages("big", 16383), 0, 0, 2);
	EXPECT_EQ(runs, 0);
	EXPECT_CONTAINS(report, "  1..2\n"
				"  ok 1 one # SKIP needs 64 MiB, have 63: for "
				"the holes\n"
				"  ok 2 two # SKIP needs 64 MiB, have 63: for "
				"the holes\n"
				"ok 1 big\n"
				"Summary: 0 passed, 0 failed, 2 skipped\n");
	expect_result(run_with_pages("little", 2), 0, 0, 1);
	EXPECT_CONTAINS(report, "  ok 1 one # SKIP needs 12 KiB, have 8\n");
}

TEST(test_core, memory_enough)
{
	expect_result(run_with_pages("big", 16384), 2, 0, 0);
	expect_result(run_with_pages("little", 3), 1, 0, 0);
}

TEST(test_core, too_few_cpus)
{
	char line[80];

	expect_result(run_with_pages("wide", 0), 0, 0, 1);
	snprintf(line, sizeof(line),
		 "  ok 1 one # SKIP needs %u CPUs, have %u\n", MAX_CPUS + 1,
		 cpus_online());
	EXPECT_CONTAINS(report, line);
}

/* --- set-up and tear-down --------------------------------------------------*/

static char happened[32]; /* a letter for each thing, in order */

static void note(char what)
{
	size_t n = strlen(happened);

	happened[n] = what;
	happened[n + 1] = '\0';
}

static void good_setup(void)
{
	note('s');
}

static void bad_setup(void)
{
	note('s');
	EXPECT(false);
}

static void skipping_setup(void)
{
	note('s');
	SKIP("not today");
}

static void good_teardown(void)
{
	note('t');
}

static void bad_teardown(void)
{
	note('t');
	EXPECT(false);
}

TEST_SUITE_IN(setup_suites, good, .setup = good_setup,
	      .teardown = good_teardown);
TEST_SUITE_IN(setup_suites, bad, .setup = bad_setup, .teardown = good_teardown);
TEST_SUITE_IN(setup_suites, skipped, .setup = skipping_setup,
	      .teardown = good_teardown);
TEST_SUITE_IN(setup_suites, untidy, .teardown = bad_teardown);

TEST_IN(setup_cases, good, one)
{
	note('1');
}

TEST_IN(setup_cases, good, two)
{
	note('2');
}

TEST_IN(setup_cases, bad, one)
{
	note('1');
}

TEST_IN(setup_cases, skipped, one)
{
	note('1');
}

TEST_IN(setup_cases, untidy, one)
{
	note('1');
}

static struct test_result run_setup(const char *glob)
{
	happened[0] = '\0';
	return run(TEST_SET(setup_cases, setup_suites), glob, NULL);
}

TEST(test_core, setup_and_teardown_once_a_suite)
{
	expect_result(run_setup("good"), 2, 0, 0);
	EXPECT_STREQ(happened, "s12t");
	expect_result(run_setup("good.two"), 1, 0, 0);
	EXPECT_STREQ(happened, "s2t");
}

TEST(test_core, failing_setup)
{
	expect_result(run_setup("bad"), 0, 1, 0);
	EXPECT_STREQ(happened, "s");
	hide_places();
	EXPECT_CONTAINS(report, "  1..1\n"
				"  # EXPECT(false) failed at HERE\n"
				"  # not run, since the set-up failed\n"
				"  not ok 1 one\n"
				"not ok 1 bad\n");
}

TEST(test_core, skipping_setup)
{
	expect_result(run_setup("skipped"), 0, 0, 1);
	EXPECT_STREQ(happened, "s");
	EXPECT_CONTAINS(report, "  ok 1 one # SKIP not today\n"
				"ok 1 skipped\n");
}

TEST(test_core, failing_teardown)
{
	expect_result(run_setup("untidy"), 1, 1, 0);
	EXPECT_STREQ(happened, "1t");
	hide_places();
	EXPECT_CONTAINS(report, "  ok 1 one\n"
				"  # EXPECT(false) failed at HERE\n"
				"not ok 1 untidy\n"
				"Summary: 1 passed, 1 failed, 0 skipped\n"
				"reproduce: test=untidy seed=1\n");
}

/* --- seed and repeat -------------------------------------------------------*/

static uint64_t seeds[8];

TEST_IN(seed_cases, seeds, noted)
{
	seeds[runs++] = test_seed();
}

TEST_IN(seed_cases, unlucky, thirteen)
{
	runs++;
	EXPECT_NE(test_seed(), 13);
}

TEST(test_core, every_repeat_has_its_seed)
{
	struct test_session given = {.seed = 41, .repeat = 3};

	expect_result(run(TEST_SET(seed_cases, no_suites), "seeds", &given), 1,
		      0, 0);
	EXPECT_EQ(runs, 3);
	EXPECT_EQ(seeds[0], 41);
	EXPECT_EQ(seeds[1], 42);
	EXPECT_EQ(seeds[2], 43);
}

TEST(test_core, the_failing_seed_is_told)
{
	struct test_session given = {.seed = 11, .repeat = 10};

	expect_result(run(TEST_SET(seed_cases, no_suites), "unlucky", &given),
		      0, 1, 0);
	EXPECT_EQ(runs, 3);
	EXPECT_CONTAINS(report, "reproduce: test=unlucky.thirteen seed=13\n");
}

/* --- leak check ------------------------------------------------------------*/

static uint64_t pages_used, objects_used;
static size_t counters_told;

static size_t fake_snapshot(uint64_t values[], const char *names[], size_t max)
{
	EXPECT_GE(max, 2);
	names[0] = "pages";
	values[0] = pages_used;
	names[1] = "objects";
	values[1] = objects_used;
	return counters_told;
}

static const struct leak_check fake_leak_check = {fake_snapshot};

TEST_IN(leak_cases, leaky, tidy)
{
	pages_used += 3;
	pages_used -= 3;
}

TEST_IN(leak_cases, leaky, untidy)
{
	pages_used += 2;
	objects_used--;
}

TEST_IN(leak_cases, leaky, loses_a_counter)
{
	counters_told = 1;
}

TEST_IN(leak_cases, leaky, skipped)
{
	SKIP("not today");
}

static struct test_result run_leaky(const char *glob)
{
	struct test_session given = {.seed = 1, .leak = &fake_leak_check};

	pages_used = 100;
	objects_used = 50;
	counters_told = 2;
	return run(TEST_SET(leak_cases, no_suites), glob, &given);
}

TEST(test_core, no_leak)
{
	expect_result(run_leaky("leaky.tidy"), 2, 0, 0);
	EXPECT_CONTAINS(report, "  1..2\n"
				"  ok 1 tidy\n"
				"  ok 2 leak_check\n"
				"ok 1 leaky\n");
	expect_result(run_leaky("leaky.skipped"), 1, 0, 1);
}

TEST(test_core, leak)
{
	expect_result(run_leaky("leaky.untidy"), 1, 1, 0);
	EXPECT_CONTAINS(report, "  ok 1 untidy\n"
				"  # leak_check: pages: 100 before, 102 after\n"
				"  # leak_check: objects: 50 before, 49 after\n"
				"  not ok 2 leak_check\n"
				"not ok 1 leaky\n"
				"Summary: 1 passed, 1 failed, 0 skipped\n"
				"reproduce: test=leaky seed=1\n");
}

TEST(test_core, leak_check_that_lost_a_counter)
{
	expect_result(run_leaky("leaky.loses*"), 1, 1, 0);
	EXPECT_CONTAINS(report, "  # leak_check: 2 counters before, 1 after\n"
				"  not ok 2 leak_check\n");
}

/* --- captures --------------------------------------------------------------*/

TEST_IN(capture_cases, captures, failing_inside)
{
	char text[64];
	struct printk_capture capture = PRINTK_CAPTURE(text);
	struct printk_capture *before = printk_set_capture(&capture);

	printk("swallowed\n");
	EXPECT(false);
	printk("this too\n");
	printk_set_capture(before);
	EXPECT_STREQ(text, "swallowed\nthis too\n");
}

TEST_IN(capture_cases, captures, left_open)
{
	static char text[64];
	static struct printk_capture capture;

	capture = PRINTK_CAPTURE(text);
	printk_set_capture(&capture);
	REQUIRE(false);
}

/* A failure is reported though the case captures what is printed, and a capture
 * ends with its case. */
TEST(test_core, captures_do_not_hide_the_report)
{
	expect_result(run(TEST_SET(capture_cases, no_suites), "*", NULL), 0, 2,
		      0);
	hide_places();
	EXPECT_CONTAINS(report, "  1..2\n"
				"  # EXPECT(false) failed at HERE\n"
				"  not ok 1 failing_inside\n"
				"  # REQUIRE(false) failed at HERE\n"
				"  not ok 2 left_open\n"
				"not ok 1 captures\n");
}

/* After all those sessions the one that runs us is still whole. */
TEST(test_core, outer_session_is_untouched)
{
	EXPECT_STREQ(test_session->suite, "test_core");
	EXPECT_STREQ(test_session->leaf, "outer_session_is_untouched");
	EXPECT_EQ(test_session->failures, 0);
}
