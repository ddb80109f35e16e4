/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the benchmark core: what its own tests use. */
#ifndef LIB_BENCH_CORE_H
#define LIB_BENCH_CORE_H

#include <lib/bench.h>

/* All benchmarks of a linker set. */
struct bench_set {
	const struct bench_case *const *cases, *const *cases_end;
};

#define BENCH_SET(set)                                                         \
	((struct bench_set){                                                   \
		LINKER_SET_BOUND(start, set, const struct bench_case),         \
		LINKER_SET_BOUND(stop, set, const struct bench_case)})

/* bench_run over the benchmarks of @set. */
struct test_result bench_run_set(const struct bench_set *set, const char *glob);

/* Return: @ticks / @ops, rounded to the nearest; half is rounded up. */
uint64_t bench_per_op(uint64_t ticks, unsigned long ops);

#endif
