/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a fragment costs, its allocation and free together: one at a time, and
 * through a ring of 500, where none is freed before 499 others came.
 */
#include <lib/bench.h>
#include <lib/ptr_ring.h>
#include <mm/page_alloc.h>
#include <mm/page_frag_cache.h>
#include <tests/bench/page_frag_ways.h>

#define RING 500

/* Read at run time, so that the size is no constant in the loop. */
static volatile unsigned int small_size = 12, large_size = 2048;

static __always_inline void one_at_a_time(struct bench *b, unsigned int size,
					  page_frag_way_fn alloc)
{
	struct page_frag_cache nc = {0};

	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++) {
		void *frag = alloc(&nc, size, GFP_ATOMIC, ~0U);

		if (!frag) {
			bench_fail(b, "no fragment of %u bytes", size);
			break;
		}
		page_frag_free(frag);
	}
	bench_end(b);
	page_frag_cache_drain(&nc);
}

BENCH(page_frag_12, .ops = 10000, .min_pages = 16)
{
	one_at_a_time(b, small_size, __page_frag_alloc_align);
}

BENCH(page_frag_2048, .ops = 10000, .min_pages = 16)
{
	one_at_a_time(b, large_size, __page_frag_alloc_align);
}

/* --- through a ring ------------------------------------------------------- */

static void through_a_ring(struct bench *b, unsigned int size)
{
	static void *_Atomic slots[RING];
	struct page_frag_cache nc = {0};
	struct ptr_ring ring;
	void *frag;

	ptr_ring_init(&ring, slots, RING);
	while (!ptr_ring_full(&ring) &&
	       (frag = page_frag_alloc(&nc, size, GFP_ATOMIC)))
		ptr_ring_produce(&ring, frag);
	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++) {
		page_frag_free(ptr_ring_consume(&ring));
		frag = page_frag_alloc(&nc, size, GFP_ATOMIC);
		if (!frag || ptr_ring_produce(&ring, frag)) {
			bench_fail(b, "no fragment of %u bytes", size);
			break;
		}
	}
	bench_end(b);
	while ((frag = ptr_ring_consume(&ring)))
		page_frag_free(frag);
	page_frag_cache_drain(&nc);
}

BENCH(page_frag_12_ring500, .ops = 50000, .min_pages = 32)
{
	through_a_ring(b, small_size);
}

BENCH(page_frag_2048_ring500, .ops = 50000, .min_pages = 300)
{
	through_a_ring(b, large_size);
}

/* --- ways to cut ---------------------------------------------------------- */

BENCH(page_frag_12_option1, .ops = 10000, .min_pages = 16)
{
	one_at_a_time(b, small_size, page_frag_alloc_option1);
}

BENCH(page_frag_12_option2, .ops = 10000, .min_pages = 16)
{
	one_at_a_time(b, small_size, page_frag_alloc_option2);
}

BENCH(page_frag_12_option3, .ops = 10000, .min_pages = 16)
{
	one_at_a_time(b, small_size, page_frag_alloc_option3);
}

BENCH(page_frag_12_upwards, .ops = 10000, .min_pages = 16)
{
	one_at_a_time(b, small_size, page_frag_alloc_upwards);
}

BENCH(page_frag_12_in_use, .ops = 10000, .min_pages = 16)
{
	one_at_a_time(b, small_size, page_frag_alloc_in_use);
}
