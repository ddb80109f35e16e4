/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The benchmark core, run over benchmarks that are known beforehand. */
#include <arch/cpu.h>
#include <lib/bench_core.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <lib/test.h>

static char report[1024];
static unsigned int runs;

static struct test_result run(const char *glob)
{
	const struct bench_set set = BENCH_SET(inner_benches);
	struct printk_capture capture = PRINTK_CAPTURE(report);
	struct printk_capture *before = printk_set_capture(&capture);
	struct test_result result;

	runs = 0;
	result = bench_run_set(&set, glob);
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

BENCH_IN(inner_benches, empty, .ops = 10)
{
	runs++;
	bench_begin(b);
	bench_end(b);
}

BENCH_IN(inner_benches, thousand_ticks, .ops = 4)
{
	runs++;
	EXPECT_EQ(b->ops, 4);
	/* Two pairs, which add up. */
	for (int i = 0; i < 2; i++) {
		bench_begin(b);
		while (clock_ticks() - b->started < 100000)
			cpu_relax();
		bench_end(b);
	}
}

BENCH_IN(inner_benches, broken, .ops = 10)
{
	runs++;
	bench_fail(b, "no memory for %d pages", 7);
}

BENCH_IN(inner_benches, broken_forgetful, .ops = 10)
{
	runs++;
}

BENCH_IN(inner_benches, wide, .ops = 10, .min_cpus = MAX_CPUS + 1)
{
	runs++;
	bench_begin(b);
	bench_end(b);
}

TEST(bench_core, measured_line)
{
	char start[80];

	expect_result(run("thousand*"), 1, 0, 0);
	EXPECT_EQ(runs, 2); /* one to warm up */
	snprintf(start, sizeof(start),
		 "bench: row=thousand_ticks clock=%s cpus=%u ops=4 ticks=",
		 clock_kind() == CLOCK_INSTRUCTIONS ? "instructions" : "ns",
		 cpus_online());
	EXPECT_EQ(strstr(report, start), report);
	EXPECT_CONTAINS(report, " per_op=");
	EXPECT_EQ(report[strlen(report) - 1], '\n');
}

/* Return: the number behind @key in the report. */
static uint64_t reported(const char *key)
{
	const char *p = strstr(report, key);
	uint64_t value = 0;

	for (p = p ? p + strlen(key) : ""; *p >= '0' && *p <= '9'; p++)
		value = 10 * value + (uint64_t)(*p - '0');
	return value;
}

TEST(bench_core, measured_figures)
{
	uint64_t ticks, cost;

	run("thousand*");
	ticks = reported(" ticks=");
	cost = clock_kind() == CLOCK_INSTRUCTIONS ? ticks
						  : clock_ticks_to_ns(ticks);
	/* Little is lost by what the pairs themselves cost. */
	EXPECT_GT(ticks, 150000);
	EXPECT_EQ(reported(" per_op="), bench_per_op(cost, 4));
}

TEST(bench_core, failures)
{
	expect_result(run("broken*"), 0, 2, 0);
	EXPECT_STREQ(report, "bench: row=broken failed: no memory for 7 "
			     "pages\n"
			     "bench: row=broken_forgetful failed: it did not "
			     "measure anything\n");
	EXPECT_EQ(runs, 2); /* a failed warm-up is not repeated */
}

TEST(bench_core, skipped)
{
	char line[80];

	expect_result(run("wide"), 0, 0, 1);
	snprintf(line, sizeof(line),
		 "bench: row=wide skipped: needs %u CPUs, have %u\n",
		 MAX_CPUS + 1, cpus_online());
	EXPECT_STREQ(report, line);
	EXPECT_EQ(runs, 0);
}

TEST(bench_core, order_of_names)
{
	const char *last = "";

	expect_result(run("*"), 2, 2, 1);
	for (const char *row = report; (row = strstr(row, "row=")); row++) {
		EXPECT_LT(strcmp(last, row), 0);
		last = row;
	}
}

TEST(bench_core, no_match)
{
	expect_result(run("nothing"), 0, 1, 0);
	EXPECT_STREQ(report, "bench=\"nothing\": no benchmark matches\n");
}

TEST(bench_core, rounding)
{
	EXPECT_EQ(bench_per_op(0, 1), 0);
	EXPECT_EQ(bench_per_op(7, 1), 7);
	EXPECT_EQ(bench_per_op(4, 3), 1);
	EXPECT_EQ(bench_per_op(5, 3), 2);
	EXPECT_EQ(bench_per_op(1499, 1000), 1);
	EXPECT_EQ(bench_per_op(1500, 1000), 2);
	EXPECT_EQ(bench_per_op(UINT64_MAX, 2), 1UL << 63);
}
