/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_BENCH_KERNEL_PAGE_FRAG_TEST_H
#define TESTS_BENCH_KERNEL_PAGE_FRAG_TEST_H

#include <stdbool.h>
#include <stdint.h>

/* What is to be run, and what came out. */
struct page_frag_test {
	unsigned int nr_test;   /* fragments; at least 1 */
	unsigned int alloc_len; /* bytes of each, 1..PAGE_SIZE */
	bool align;             /* to a cache line */
	unsigned int push_cpu, pop_cpu;
	uint64_t patience_ns; /* a side may stand still as long as this */
	bool asleep;          /* for tests: nothing is ever popped */

	unsigned long pushed, popped; /* out */
	uint64_t ticks;               /* out: of the clock */
};

/*
 * Push test->nr_test fragments from one CPU through a ring to another, where
 * they are freed.
 * Context: thread, waits.
 * Return: 0; after one line -EINVAL: a bad parameter, nothing was run; -ENOMEM:
 * no thread, nothing was run; -EBUSY: a side stood still; -EFAULT: a
 * fragment was not aligned.
 */
int page_frag_test_run(struct page_frag_test *test);

#endif
