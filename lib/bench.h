/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Benchmarks: what one operation costs.
 *
 *   BENCH(fix_size_1, .ops = 1000, .min_pages = 16)
 *   {
 *           ... set-up, not measured ...
 *           bench_begin(b);
 *           for (unsigned long i = 0; i < b->ops; i++)
 *                   operation();
 *           bench_end(b);
 *           ... tear-down, not measured ...
 *   }
 *
 * The body runs twice, first unmeasured to warm up caches of every kind, unless
 * it is .cold. What an empty bench_begin/bench_end pair costs is subtracted.
 * One line is printed:
 *
 *   bench: row=fix_size_1 clock=instructions cpus=1 ops=1000 ticks=123456
 *   per_op=123
 *
 * (on one line), where ticks are those of the clock, per_op instructions or
 * nanoseconds, rounded to nearest; or `bench: row=X skipped: needs …`, or
 * `bench: row=X failed: …`.
 */
#ifndef LIB_BENCH_H
#define LIB_BENCH_H

#include <arch/clock.h>
#include <lib/test.h>

struct bench;

struct bench_case {
	const char *row;
	void (*run)(struct bench *b);
	unsigned long ops;     /* operations between begin and end, > 0 */
	size_t min_pages;      /* free pages; with fewer it is skipped */
	unsigned int min_cpus; /* online */
	bool cold;             /* run once, without the unmeasured run */
};

/* One run of a benchmark. */
struct bench {
	const struct bench_case *bench_case;
	unsigned long ops;  /* to be done between begin and end */
	uint64_t started;   /* clock ticks at bench_begin */
	uint64_t ticks;     /* between begin and end, all pairs together */
	unsigned int pairs; /* of begin and end so far */
	char failure[128];  /* why it failed; "" if it did not */
};

#define BENCH_IN(set, row_, ...)                                               \
	static void bench_##row_(struct bench *b);                             \
	static const struct bench_case bench_case_##row_ = {                   \
		.row = #row_, .run = bench_##row_, __VA_ARGS__};               \
	LINKER_SET(set, bench_case_##row_);                                    \
	static void bench_##row_(struct bench *b)

#define BENCH(row_, ...) BENCH_IN(bench_cases, row_, __VA_ARGS__)

/* Start the clock; pairs of begin and end in one run add up. */
static inline void bench_begin(struct bench *b)
{
	b->started = clock_ticks();
}

/* Stop the clock. */
static inline void bench_end(struct bench *b)
{
	b->ticks += clock_ticks() - b->started;
	b->pairs++;
}

/* Give up this run; the body then tidies up and returns. */
void bench_fail(struct bench *b, const char *fmt, ...) __printf(2, 3);

/* Boot parameter bench=GLOB ("" when none was given). */
extern char bench_glob[64];

/*
 * Run the benchmarks whose row @glob matches, in the order of their names;
 * NULL: as the boot parameter bench= says, or all. A glob that matches nothing
 * is a failure.
 * Return: how many were measured (passed), failed and skipped.
 */
struct test_result bench_run(const char *glob);

#endif
