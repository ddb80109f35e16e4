/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bodies of test_vmalloc's tests, in parts: what the rows of the benchmark
 * time is the loop alone, what test_vmalloc times is all of it.
 *
 * Every function returns 0, or -1 when an allocation failed; what a set-up that
 * failed got, its tear-down frees.
 */
#ifndef TESTS_BENCH_VMALLOC_LOOPS_H
#define TESTS_BENCH_VMALLOC_LOOPS_H

#include <lib/random.h>
#include <stddef.h>

/* What is random is the same in every run. */
#define VMALLOC_LOOPS_SEED 1

/* Allocate @pages pages, store 0 in the first byte, free. */
int fix_size_loop(unsigned long loops, size_t pages);

/* One page: store 1, free; in between full_fit_setup and _teardown each of
 * them fits a hole exactly. */
int full_fit_loop(unsigned long loops);

/* Pages that full_fit_setup() allocates, descriptors and tables included. */
size_t full_fit_pages(void);

struct full_fit {
	size_t nr;         /* holes */
	void *keep, *junk; /* vmalloc'ed arrays of nr addresses */
};

int full_fit_setup(struct full_fit *f);
void full_fit_teardown(struct full_fit *f);

#define LONG_BUSY_AREAS 15000UL

size_t long_busy_pages(void);

/* 100 pages and one; store 0 in the first, 1 in the second; free them. */
int long_busy_loop(unsigned long loops);
int long_busy_setup(void **array);
void long_busy_teardown(void *array);

/* 1..100 pages, store 1, free. */
int random_size_loop(unsigned long loops, struct rng *rng);

#endif
