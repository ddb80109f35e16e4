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
#include <stdbool.h>
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

/* The same as fix_size_loop() with 2 MiB mappings where they fit. */
int fix_size_huge_loop(unsigned long loops, size_t pages);

/* 5 zeroed pages at a multiple of 32 KiB, free. */
int fix_align_loop(unsigned long loops);

/* A random byte gives both: 1..10 zeroed pages at a multiple of 2^0..2^22. */
int random_size_align_loop(unsigned long loops, struct rng *rng);

/* One zeroed page at a multiple of 2^i for i = 0..63; ends at the first that
 * fails. */
int align_shift_once(void);

/* One page, 'a' behind the head, to be freed after a grace period: with a head
 * in it, or without. The caller lets grace periods pass. */
int kvfree_rcu_loop(unsigned long loops, bool with_head);

/* GFP_ATOMIC or GFP_NOWAIT as a coin falls, store 0, free. */
int no_block_loop(unsigned long loops, size_t pages, struct rng *rng);

/* One page; 4 pages; 1 page; half a page; 1 page; the first byte is kept. */
int vrealloc_loop(unsigned long loops);

#endif
