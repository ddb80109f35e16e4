/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fragments of pages: pieces of any size up to a block, cut off one after the
 * other. See page_frag_cache.c.
 *
 * A cache belongs to one user at a time: to a thread, or to a CPU with its
 * interrupts off if interrupt handlers use it too. Its fragments may be freed
 * by anybody, anywhere.
 */
#ifndef MM_PAGE_FRAG_CACHE_H
#define MM_PAGE_FRAG_CACHE_H

#include <lib/compiler.h>
#include <lib/math.h>
#include <mm/gfp.h>
#include <mm/page.h>
#include <stdbool.h>
#include <stdint.h>

#define PAGE_FRAG_CACHE_MAX_ORDER 3
/* Bytes: the size of a block where memory permits, and the most that can be
 * had in one piece. */
#define PAGE_FRAG_CACHE_MAX_SIZE (PAGE_SIZE << PAGE_FRAG_CACHE_MAX_ORDER)

/* References taken for a block besides the first. There are no more fragments
 * than bytes, so they last until it is used up. */
#define PAGE_FRAG_CACHE_MAX_REFS PAGE_FRAG_CACHE_MAX_SIZE

/* What the low bits of .encoded_va hold; the others: where the block begins. */
#define PAGE_FRAG_ORDER_MASK 0xffUL
#define PAGE_FRAG_PFMEMALLOC 0x100UL

/* All zeros: has no block. */
struct page_frag_cache {
	uintptr_t encoded_va;  /* the block's address, order, pfmemalloc bit */
	uint32_t remaining;    /* bytes not cut off yet: the block's first */
	uint32_t pagecnt_bias; /* of the block's references, those not given
				  to a fragment yet */
};

static_assert(sizeof(struct page_frag_cache) <= 16, "kept small by encoding");
static_assert(PAGE_SIZE > (PAGE_FRAG_ORDER_MASK | PAGE_FRAG_PFMEMALLOC),
	      "the encoding fits below a page");

/* Make @nc an empty cache. Context: nobody uses it. */
static inline void page_frag_cache_init(struct page_frag_cache *nc)
{
	*nc = (struct page_frag_cache){0};
}

/* Does the block of @nc come from the reserves? Its user then tells what it
 * puts there to free memory soon. False when it has none. */
static inline bool
page_frag_cache_is_pfmemalloc(const struct page_frag_cache *nc)
{
	return nc->encoded_va & PAGE_FRAG_PFMEMALLOC;
}

/* Where the block of @nc begins. NULL: it has none. */
static inline void *page_frag_block(const struct page_frag_cache *nc)
{
	return (void *)(nc->encoded_va & PAGE_MASK);
}

/* Bytes of the block of @nc, which has one. */
static inline unsigned int
page_frag_block_size(const struct page_frag_cache *nc)
{
	return PAGE_SIZE << (nc->encoded_va & PAGE_FRAG_ORDER_MASK);
}

/*
 * Give @nc a block of at least @fragsz bytes nothing of which is in use: the
 * one it has, begun again, or a new one, the old one being left to its users.
 * remaining is the whole block then.
 * Context: the user of @nc; as @gfp says.
 * Return: true; false: no memory, or (after one line) a @fragsz of 0 or above
 * PAGE_FRAG_CACHE_MAX_SIZE. @nc is then as it was, unless it had a block from
 * the reserves that nobody used any more: that is freed before memory is asked
 * for.
 */
bool page_frag_refill(struct page_frag_cache *nc, unsigned int fragsz,
		      gfp_t gfp);

/*
 * Cut @fragsz bytes off the end of what remains, their address a multiple of
 * -@align_mask.
 * Return: true, with the address in *@frag; false, and nothing changed: @fragsz
 * is 0 or more than there is.
 */
static __always_inline bool page_frag_cut(struct page_frag_cache *nc,
					  unsigned int fragsz,
					  unsigned int align_mask, void **frag)
{
	unsigned int start;

	if (unlikely(fragsz - 1 >= nc->remaining))
		return false;
	start = (nc->remaining - fragsz) & align_mask;
	nc->remaining = start;
	nc->pagecnt_bias--;
	*frag = (char *)page_frag_block(nc) + start;
	return true;
}

/* The rest of __page_frag_alloc_align(): what takes more than a few
 * instructions. */
void *page_frag_alloc_refill(struct page_frag_cache *nc, unsigned int fragsz,
			     gfp_t gfp, unsigned int align_mask);
void *page_frag_alloc_zeroed(struct page_frag_cache *nc, unsigned int fragsz,
			     gfp_t gfp, unsigned int align_mask);

/* page_frag_alloc_align() with -align, which is not checked. */
static __always_inline void *__page_frag_alloc_align(struct page_frag_cache *nc,
						     unsigned int fragsz,
						     gfp_t gfp,
						     unsigned int align_mask)
{
	void *frag;

	if (unlikely(gfp & __GFP_ZERO))
		return page_frag_alloc_zeroed(nc, fragsz, gfp, align_mask);
	if (likely(page_frag_cut(nc, fragsz, align_mask, &frag)))
		return frag;
	return page_frag_alloc_refill(nc, fragsz, gfp, align_mask);
}

/* Print the line that says that @align is none. Return: NULL. */
void *page_frag_refuse_align(unsigned int fragsz, unsigned int align);

/*
 * Allocate @fragsz bytes, 1..PAGE_FRAG_CACHE_MAX_SIZE, from @nc, at an address
 * that is a multiple of @align, a power of two up to PAGE_SIZE.
 * Context: the user of @nc; as for alloc_pages() with @gfp. What @gfp says of
 * zones holds for a new block only: one cache is for one kind of memory.
 * Return: the fragment; NULL: out of memory (after one line unless
 * __GFP_NOWARN), or (after one line) a bad @fragsz or @align.
 */
static __always_inline void *page_frag_alloc_align(struct page_frag_cache *nc,
						   unsigned int fragsz,
						   gfp_t gfp,
						   unsigned int align)
{
	if (unlikely(!is_power_of_2(align) || align > PAGE_SIZE))
		return page_frag_refuse_align(fragsz, align);
	return __page_frag_alloc_align(nc, fragsz, gfp, -align);
}

/* The same, at any address. */
static __always_inline void *page_frag_alloc(struct page_frag_cache *nc,
					     unsigned int fragsz, gfp_t gfp)
{
	return __page_frag_alloc_align(nc, fragsz, gfp, ~0U);
}

/*
 * Free a fragment, told by any address in it, or give up a reference that
 * get_page() took of its block; the last one frees the block, once its cache
 * has left it. NULL does nothing.
 * Context: any, also while the cache is in use elsewhere. An @addr that is in
 * no block of fragments gives one line and changes nothing. (Which part of a
 * block is in use is not known: freeing twice what shares a block with others
 * frees one of those.)
 */
void page_frag_free(void *addr);

/*
 * Let @nc give up its block, which its fragments then keep alive; @nc is empty
 * afterwards, and good for use.
 * Context: the user of @nc. One line when more was freed than was allocated:
 * the block is then kept from further use.
 */
void page_frag_cache_drain(struct page_frag_cache *nc);

/*
 * Check the invariants of page_frag_cache.c in @nc.
 * Context: the user of @nc.
 * Return: true; false after one line that says what is broken.
 */
bool page_frag_cache_verify(const struct page_frag_cache *nc);

/* Whether a block came from the reserves: page_is_pfmemalloc(). Tests put
 * another function in its place. */
extern bool (*page_frag_from_reserves)(const struct page *page);

#endif
