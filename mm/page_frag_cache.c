/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_frag caches: many small pieces from few pages.
 *
 * A network driver wants a buffer for each packet, of any size up to some
 * pages, and has no use for an allocator that finds, splits and joins: what it
 * allocates lives shortly and is freed in nearly the order in which it was
 * allocated. So pieces are cut off a block of pages one after the other, and
 * nobody keeps book of them. They are only counted; when the last one is freed
 * the whole block is free.
 *
 * Terms
 *   fragment   a piece of a block, of any size and alignment
 *   block      8 pages, or fewer when there are not so many in one piece; a
 *              compound block, so that any address in it leads to its head
 *   cache      whoever cuts: it has one block at a time
 *   bias       references to the block that its cache holds
 *   live       a fragment that was cut and not freed
 *
 * Structures
 *   The block is cut from its end to its beginning:
 *
 *     |<------- remaining ------->|gap|  fragment 2  |  fragment 1  |
 *     encoded_va                      '-- aligned                   end
 *
 *   Each fragment owns one reference to the block, which its free gives up.
 *   Taking them from the page one by one would be an atomic operation for each
 *   fragment, on a line that those who free write as well. So the cache takes
 *   as many references as the block could ever need when it gets it, and hands
 *   them out by counting down a number of its own:
 *
 *     block got       refcount = 1 + 32768        bias = 32769
 *     fragment cut    refcount                    bias - 1
 *     fragment freed  refcount - 1                bias
 *     block left      refcount - bias             none
 *
 *   That is one plain subtraction to allocate and one atomic one to free.
 *
 * Operations
 *   alloc    O(1): compare, subtract, count. When the block is used up:
 *              refcount = bias: no fragment is live. Begin again.
 *              else: get a new block, then leave this one to its fragments.
 *   free     O(1): the head, one reference less; the last one frees the block
 *   drain    O(1): leave the block
 *   memory   a block is as good as full while one of its fragments lives:
 *            callers keep fragments for a short time
 *
 *   A new block is asked for in two sizes. First 8 pages, without waiting, or
 *   warning, or reserves: it is only faster. Then as few as will do, with all
 *   that the caller permits. So what fits in one page is to be had as long as
 *   there is a page.
 *
 * Invariants
 *   F1  encoded_va = 0  =>  remaining = 0, bias = 0
 *   F2  else it holds the address and order of a compound block (or single
 *       page) of type FRAG, and whether it is of the reserves
 *   F3  refcount = bias + live fragments;  bias >= 1. So no free can be the
 *       last one while the cache has the block
 *   F4  cut since the block was begun = 32769 - bias <= size - remaining,
 *       since none has less than a byte: hence bias >= 1
 *   F5  a fragment lies in [remaining, size) of its block, and meets no other
 *
 * Locking
 *   None. A cache has one user; the count of references is atomic. A free
 *   releases what its user did with the fragment; whoever finds all references
 *   back acquires it, and may use the memory anew.
 *
 * Bad input
 *   Sizes of 0 and above a block, alignments that are none: one line, NULL,
 *   nothing changed. Free: what lies in no block of fragments is refused, at
 *   the cost of two comparisons. That more was freed than allocated is seen
 *   when the cache leaves the block; the block is then nobody's for ever,
 *   since somebody may still write to it.
 *
 * Departures from Linux
 *   Sizes above a page are served from a new block when the old one is used
 *   up; Linux serves them from what happens to remain. A block that was used
 *   up is not left before there is another: a failing allocation changes
 *   nothing. Fragments can be zeroed. A block has a page type of its own, so
 *   that page_frag_free() knows it, and put_page() of a fragment, which Linux
 *   permits, is refused. Later Linux cuts from the beginning to
 *   the end, so that the neighbour of a fragment can be joined to it; this way
 *   it takes fewer instructions, since the size of the block is not needed:
 *   tests/bench/page_frag_ways.h has five ways, `make bench BENCH='page_frag*'`
 *   compares them.
 */
#include <lib/printk.h>
#include <lib/string.h>
#include <mm/page_alloc.h>
#include <mm/page_frag_cache.h>

/* F3 at the beginning. */
#define FIRST_REFS (1 + (uint32_t)PAGE_FRAG_CACHE_MAX_REFS)

/* Pages of a block of the largest size. */
#define MAX_PAGES (1UL << PAGE_FRAG_CACHE_MAX_ORDER)

bool (*page_frag_from_reserves)(const struct page *page) = page_is_pfmemalloc;

/* --- blocks -------------------------------------------------------------- */

static struct page *block_page(const struct page_frag_cache *nc)
{
	return virt_to_page(page_frag_block(nc));
}

/* The least order that holds @fragsz bytes. */
static unsigned int order_for(unsigned int fragsz)
{
	return fls((fragsz - 1) >> PAGE_SHIFT);
}

static struct page *alloc_block(unsigned int fragsz, gfp_t gfp)
{
	struct page *page;

	gfp = (gfp & ~__GFP_ZERO) | __GFP_COMP;
	page = alloc_pages((gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_NOWARN,
			   PAGE_FRAG_CACHE_MAX_ORDER);
	return page ? page : alloc_pages(gfp, order_for(fragsz));
}

/* Free the block at @page, whose last reference was given up: as a plain block
 * with one user, which a list of this CPU takes at once. */
static noinline void free_block(struct page *page)
{
	unsigned int order = page->order;

	for (unsigned int i = 1; i < 1U << order; i++)
		page[i].head = 0;
	__atomic_store_n(&page->head,
			 page_head(PAGE_USED, order, page->zone, 1),
			 __ATOMIC_RELAXED);
	__free_pages(page, order);
}

/* Begin to cut the block at @page, of @size bytes, nothing of which is in
 * use. */
static inline void begin_block(struct page_frag_cache *nc, struct page *page,
			       unsigned int size)
{
	atomic_store_explicit(&page->refcount, FIRST_REFS,
			      memory_order_relaxed);
	nc->pagecnt_bias = FIRST_REFS;
	nc->remaining = size;
}

/* Make the new block at @page that of @nc. */
static void take_block(struct page_frag_cache *nc, struct page *page)
{
	nc->encoded_va = (uintptr_t)page_address(page) | page->order;
	if (page_frag_from_reserves(page))
		nc->encoded_va |= PAGE_FRAG_PFMEMALLOC;
	begin_block(nc, page, PAGE_SIZE << page->order);
	page_set_type(page, PAGE_FRAG);
}

void page_frag_cache_drain(struct page_frag_cache *nc)
{
	uint32_t bias = nc->pagecnt_bias, refs;
	struct page *page;

	if (!nc->encoded_va)
		return;
	page = block_page(nc);
	refs = atomic_fetch_sub_explicit(&page->refcount, bias,
					 memory_order_acq_rel);
	if (refs == bias)
		free_block(page);
	else if (refs < bias)
		printk("page_frag: block %p, order %u: %u references, %u of "
		       "them its cache's: more was freed than allocated, it "
		       "is lost\n",
		       page_address(page), page->order, refs, bias);
	page_frag_cache_init(nc);
}

/*
 * Is every reference to the block at @page back at @nc, whose block it is?
 * Then nobody else can come by one, and what those who freed fragments did
 * with them is over.
 */
static inline bool block_unused(const struct page_frag_cache *nc,
				const struct page *page)
{
	return atomic_load_explicit(&page->refcount, memory_order_acquire) ==
	       nc->pagecnt_bias;
}

/* Begin the block of @nc again, if none of its fragments is live, and it is
 * large enough and may be kept. */
static inline bool reuse_block(struct page_frag_cache *nc, unsigned int fragsz)
{
	unsigned int size = page_frag_block_size(nc);
	struct page *page;

	if (!nc->encoded_va || page_frag_cache_is_pfmemalloc(nc) ||
	    fragsz - 1 >= size)
		return false;
	page = block_page(nc);
	if (!block_unused(nc, page))
		return false;
	begin_block(nc, page, size);
	return true;
}

/* Give @nc another block, of at least @fragsz bytes. */
static bool replace_block(struct page_frag_cache *nc, unsigned int fragsz,
			  gfp_t gfp)
{
	struct page *page;

	if (unlikely(fragsz - 1 >= PAGE_FRAG_CACHE_MAX_SIZE)) {
		printk("page_frag: cannot allocate %u bytes: at least 1, at "
		       "most %lu\n",
		       fragsz, PAGE_FRAG_CACHE_MAX_SIZE);
		return false;
	}
	/* One of the reserves goes back there before more is asked for. */
	if (page_frag_cache_is_pfmemalloc(nc) &&
	    block_unused(nc, block_page(nc)))
		page_frag_cache_drain(nc);
	page = alloc_block(fragsz, gfp);
	if (!page)
		return false;
	page_frag_cache_drain(nc);
	take_block(nc, page);
	return true;
}

bool page_frag_refill(struct page_frag_cache *nc, unsigned int fragsz,
		      gfp_t gfp)
{
	return reuse_block(nc, fragsz) || replace_block(nc, fragsz, gfp);
}

/* --- fragments ----------------------------------------------------------- */

/* From a block just begun: it has room, at any alignment up to a page. */
static inline void *cut_first(struct page_frag_cache *nc, unsigned int fragsz,
			      unsigned int align_mask)
{
	void *frag = NULL;

	page_frag_cut(nc, fragsz, align_mask, &frag);
	return frag;
}

static noinline void *alloc_from_other_block(struct page_frag_cache *nc,
					     unsigned int fragsz, gfp_t gfp,
					     unsigned int align_mask)
{
	if (!replace_block(nc, fragsz, gfp))
		return NULL;
	return cut_first(nc, fragsz, align_mask);
}

void *page_frag_alloc_refill(struct page_frag_cache *nc, unsigned int fragsz,
			     gfp_t gfp, unsigned int align_mask)
{
	if (likely(reuse_block(nc, fragsz)))
		return cut_first(nc, fragsz, align_mask);
	return alloc_from_other_block(nc, fragsz, gfp, align_mask);
}

void *page_frag_alloc_zeroed(struct page_frag_cache *nc, unsigned int fragsz,
			     gfp_t gfp, unsigned int align_mask)
{
	void *frag = __page_frag_alloc_align(nc, fragsz, gfp & ~__GFP_ZERO,
					     align_mask);

	return frag ? memset(frag, 0, fragsz) : NULL;
}

void *page_frag_refuse_align(unsigned int fragsz, unsigned int align)
{
	printk("page_frag: cannot allocate %u bytes at a multiple of %u: must "
	       "be a power of two, at most %lu\n",
	       fragsz, align, PAGE_SIZE);
	return NULL;
}

static void refuse_free(const void *addr, const struct page *page)
{
	if (page)
		printk("page_frag: cannot free %p: pfn %#lx is %s, order %u, "
		       "and not cut into fragments\n",
		       addr, page_to_pfn(page), page_type_name(page->type),
		       page->order);
	else
		printk("page_frag: cannot free %p: not in the direct map of "
		       "memory\n",
		       addr);
}

/* One reference less to the fragments' block at @page. */
static inline void put_block(struct page *page)
{
	if (unlikely(atomic_fetch_sub_explicit(&page->refcount, 1,
					       memory_order_acq_rel) == 1))
		free_block(page);
}

/* Free what lies in no block of the largest size. */
static noinline void free_slowly(void *addr)
{
	struct page *page;

	if (!addr)
		return;
	page = virt_addr_valid(addr) ? virt_to_head_page(addr) : NULL;
	if (page && page->type == PAGE_FRAG)
		put_block(page);
	else
		refuse_free(addr, page);
}

/* Is @page the head of a block of the largest size? */
static inline bool is_largest_block(const struct page *page)
{
	return page->type == PAGE_FRAG &&
	       page->order == PAGE_FRAG_CACHE_MAX_ORDER;
}

void page_frag_free(void *addr)
{
	unsigned long pfn = round_down(va_to_pa(addr) >> PAGE_SHIFT, MAX_PAGES);

	/* If there is one around @addr, it begins at this pfn, whichever of
	 * its pages @addr is on. */
	if (likely(pfn_valid(pfn) && is_largest_block(pfn_to_page(pfn))))
		put_block(pfn_to_page(pfn));
	else
		free_slowly(addr);
}

/* --- verification -------------------------------------------------------- */

/* One line about invariant @which, broken in @nc. @page: its block's head,
 * NULL: it has none. */
static bool broken(const char *which, const struct page_frag_cache *nc,
		   const struct page *page)
{
	const struct page none = {0};
	const struct page *p = page ? page : &none;

	printk("page_frag: %s: encoded_va %#lx, remaining %u, bias %u; its "
	       "head is %s, order %u, flags %#x, %u references\n",
	       which, nc->encoded_va, nc->remaining, nc->pagecnt_bias,
	       page_type_name(p->type), p->order, p->flags, p->refcount);
	return false;
}

bool page_frag_cache_verify(const struct page_frag_cache *nc)
{
	unsigned int order = nc->encoded_va & PAGE_FRAG_ORDER_MASK;
	const struct page *page;

	if (!nc->encoded_va)
		return nc->remaining || nc->pagecnt_bias
			       ? broken("F1", nc, NULL)
			       : true;
	if (order > PAGE_FRAG_CACHE_MAX_ORDER ||
	    !virt_addr_valid(page_frag_block(nc)))
		return broken("F2", nc, NULL);
	page = block_page(nc);
	if (page->type != PAGE_FRAG || page->order != order ||
	    (order > 0 && !(page->flags & PAGE_COMPOUND)) ||
	    page_frag_from_reserves(page) != page_frag_cache_is_pfmemalloc(nc))
		return broken("F2", nc, page);
	if (nc->pagecnt_bias < 1 || page->refcount < nc->pagecnt_bias)
		return broken("F3", nc, page);
	if (nc->remaining > page_frag_block_size(nc) ||
	    FIRST_REFS - nc->pagecnt_bias >
		    page_frag_block_size(nc) - nc->remaining)
		return broken("F4", nc, page);
	return true;
}
