/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ways to cut a fragment off a block: the same cache, the same blocks, another
 * fast path. What is in use stands in mm/page_frag_cache.h; these are to be
 * compared with it.
 *
 *   way      .remaining is           the address is       aligned by
 *   option1  minus what remains      end of the block     rounding up
 *                                    + remaining
 *   option2  what remains            end - remaining      rounding down
 *   option3  the same, the address worked out only when it is known to fit
 *   upwards  what is used            start + remaining    rounding up
 *   in use   what remains            start + remaining    rounding down
 *                                    - size
 *
 * The first four cut from the block's beginning to its end. Sizes of 0 are told
 * by wrapping to the largest number: nothing fits then, and page_frag_refill()
 * refuses them.
 */
#ifndef TESTS_BENCH_PAGE_FRAG_WAYS_H
#define TESTS_BENCH_PAGE_FRAG_WAYS_H

#include <mm/page_frag_cache.h>

/* As page_frag_cut(). */
typedef bool (*page_frag_cut_fn)(struct page_frag_cache *nc,
				 unsigned int fragsz, unsigned int align_mask,
				 void **frag);

/* The template: @cut is the fast path, @begin makes .remaining of a block that
 * page_frag_refill() has just got what @cut expects. */
static __always_inline void *
page_frag_alloc_by(struct page_frag_cache *nc, unsigned int fragsz, gfp_t gfp,
		   unsigned int align_mask, page_frag_cut_fn cut,
		   void (*begin)(struct page_frag_cache *nc))
{
	void *frag = NULL;

	if (likely(cut(nc, fragsz, align_mask, &frag)))
		return frag;
	if (!page_frag_refill(nc, fragsz, gfp))
		return NULL;
	begin(nc);
	cut(nc, fragsz, align_mask, &frag);
	return frag;
}

/* The fragment at @p is cut off. */
static __always_inline bool page_frag_cut_at(struct page_frag_cache *nc,
					     unsigned int remaining,
					     uintptr_t p, void **frag)
{
	nc->remaining = remaining;
	nc->pagecnt_bias--;
	*frag = (void *)p;
	return true;
}

static __always_inline uintptr_t page_frag_start(struct page_frag_cache *nc)
{
	return nc->encoded_va & PAGE_MASK;
}

/* --- option 1 ------------------------------------------------------------- */

static __always_inline bool page_frag_cut_1(struct page_frag_cache *nc,
					    unsigned int fragsz,
					    unsigned int align_mask,
					    void **frag)
{
	int remaining = (int)((nc->remaining + ~align_mask) & align_mask);

	if (unlikely(fragsz - 1 >= -(unsigned int)remaining))
		return false;
	return page_frag_cut_at(nc, (unsigned int)remaining + fragsz,
				page_frag_start(nc) + page_frag_block_size(nc) +
					(uintptr_t)(intptr_t)remaining,
				frag);
}

static __always_inline void page_frag_begin_1(struct page_frag_cache *nc)
{
	nc->remaining = -page_frag_block_size(nc);
}

/* --- option 2 ------------------------------------------------------------- */

static __always_inline bool page_frag_cut_2(struct page_frag_cache *nc,
					    unsigned int fragsz,
					    unsigned int align_mask,
					    void **frag)
{
	unsigned int remaining = nc->remaining & align_mask;
	uintptr_t p =
		page_frag_start(nc) + page_frag_block_size(nc) - remaining;

	/* Not to be put off until it is known to fit: that is option 3. */
	__asm__("" : "+r"(p));
	if (unlikely(fragsz - 1 >= remaining))
		return false;
	return page_frag_cut_at(nc, remaining - fragsz, p, frag);
}

/* --- option 3 ------------------------------------------------------------- */

static __always_inline bool page_frag_cut_3(struct page_frag_cache *nc,
					    unsigned int fragsz,
					    unsigned int align_mask,
					    void **frag)
{
	unsigned int size = page_frag_block_size(nc);
	unsigned int remaining = nc->remaining & align_mask;

	if (unlikely(fragsz - 1 >= remaining))
		return false;
	return page_frag_cut_at(nc, remaining - fragsz,
				page_frag_start(nc) + (size - remaining), frag);
}

/* As options 2 and 3, and the way in use, have it. */
static __always_inline void page_frag_begin_full(struct page_frag_cache *nc)
{
}

/* --- upwards -------------------------------------------------------------- */

static __always_inline bool page_frag_cut_up(struct page_frag_cache *nc,
					     unsigned int fragsz,
					     unsigned int align_mask,
					     void **frag)
{
	unsigned int used = (nc->remaining + ~align_mask) & align_mask;

	/* Without a block, 0 would be the beginning of one. */
	if (unlikely(!nc->encoded_va ||
		     (uint64_t)used + (fragsz - 1) >= page_frag_block_size(nc)))
		return false;
	return page_frag_cut_at(nc, used + fragsz, page_frag_start(nc) + used,
				frag);
}

static __always_inline void page_frag_begin_up(struct page_frag_cache *nc)
{
	nc->remaining = 0;
}

/* --- all of them -----------------------------------------------------------
 */

/* As __page_frag_alloc_align(), without __GFP_ZERO. */
typedef void *(*page_frag_way_fn)(struct page_frag_cache *nc,
				  unsigned int fragsz, gfp_t gfp,
				  unsigned int align_mask);

#define PAGE_FRAG_WAY(name, cut, begin)                                        \
	static __always_inline void *page_frag_alloc_##name(                   \
		struct page_frag_cache *nc, unsigned int fragsz, gfp_t gfp,    \
		unsigned int align_mask)                                       \
	{                                                                      \
		return page_frag_alloc_by(nc, fragsz, gfp, align_mask, cut,    \
					  begin);                              \
	}

PAGE_FRAG_WAY(option1, page_frag_cut_1, page_frag_begin_1)
PAGE_FRAG_WAY(option2, page_frag_cut_2, page_frag_begin_full)
PAGE_FRAG_WAY(option3, page_frag_cut_3, page_frag_begin_full)
PAGE_FRAG_WAY(upwards, page_frag_cut_up, page_frag_begin_up)
PAGE_FRAG_WAY(in_use, page_frag_cut, page_frag_begin_full)

#endif
