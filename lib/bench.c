/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs benchmarks and prints a line for each. */
#include <arch/cpu.h>
#include <lib/bench_core.h>
#include <lib/param.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <lib/test_core.h>
#include <stdarg.h>

/* The cheapest of so many empty pairs counts. */
#define OVERHEAD_ROUNDS 16

char bench_glob[64];

PARAM_STR("bench", bench_glob, "benchmarks to run: a glob of their rows");

void bench_fail(struct bench *b, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vscnprintf(b->failure, sizeof(b->failure), fmt, args);
	va_end(args);
}

/* Return: the clock ticks that an empty pair of begin and end counts. */
static uint64_t pair_overhead(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < OVERHEAD_ROUNDS; i++) {
		struct bench b = {0};

		bench_begin(&b);
		bench_end(&b);
		if (b.ticks < least)
			least = b.ticks;
	}
	return least;
}

uint64_t bench_per_op(uint64_t ticks, unsigned long ops)
{
	return ticks / ops + (ticks % ops >= ops - ops / 2);
}

static void run_body(const struct bench_case *c, struct bench *b)
{
	*b = (struct bench){.bench_case = c, .ops = c->ops};
	c->run(b);
	if (!*b->failure && !b->pairs)
		bench_fail(b, "it did not measure anything");
}

static void print_measured(const struct bench *b, uint64_t ticks)
{
	bool instructions = clock_kind() == CLOCK_INSTRUCTIONS;
	uint64_t cost = instructions ? ticks : clock_ticks_to_ns(ticks);

	printk("bench: row=%s clock=%s cpus=%u ops=%lu ticks=%lu per_op=%lu\n",
	       b->bench_case->row, instructions ? "instructions" : "ns",
	       cpus_online(), b->ops, ticks, bench_per_op(cost, b->ops));
}

/* Run once to warm up, unless cold, and once to measure. Return: false when
 * either failed. */
static bool measure(const struct bench_case *c)
{
	struct bench b;
	uint64_t overhead;

	run_body(c, &b);
	if (!*b.failure && !c->cold)
		run_body(c, &b);
	if (*b.failure) {
		printk("bench: row=%s failed: %s\n", c->row, b.failure);
		return false;
	}
	overhead = pair_overhead() * b.pairs;
	print_measured(&b, b.ticks > overhead ? b.ticks - overhead : 0);
	return true;
}

static void run_one(const struct bench_case *c, struct test_result *result)
{
	char reason[TEST_MAX_REASON];

	if (!test_machine_has(c->min_pages, c->min_cpus, NULL, reason,
			      sizeof(reason))) {
		printk("bench: row=%s skipped: %s\n", c->row, reason);
		result->skipped++;
	} else if (measure(c)) {
		result->passed++;
	} else {
		result->failed++;
	}
}

/* Return: the row that @glob matches and that follows @last by name (NULL: the
 * first one); NULL: there is none. */
static const struct bench_case *next_row(const struct bench_set *set,
					 const char *glob, const char *last)
{
	const struct bench_case *next = NULL;

	for (const struct bench_case *const *it = set->cases;
	     it < set->cases_end; it++) {
		if (last && strcmp((*it)->row, last) <= 0)
			continue;
		if (next && strcmp((*it)->row, next->row) >= 0)
			continue;
		if (glob_match(glob, (*it)->row))
			next = *it;
	}
	return next;
}

struct test_result bench_run_set(const struct bench_set *set, const char *glob)
{
	struct test_result result = {0};
	const struct bench_case *c = next_row(set, glob, NULL);

	if (!c) {
		printk("bench=\"%s\": no benchmark matches\n", glob);
		result.failed++;
	}
	for (; c; c = next_row(set, glob, c->row))
		run_one(c, &result);
	return result;
}

struct test_result bench_run(const char *glob)
{
	const struct bench_set set = BENCH_SET(bench_cases);

	if (!glob)
		glob = *bench_glob ? bench_glob : "*";
	return bench_run_set(&set, glob);
}
