/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page allocator: blocks of pages from the machine's zones. See
 * page_alloc.c.
 */
#ifndef MM_PAGE_ALLOC_H
#define MM_PAGE_ALLOC_H

#include <arch/boot_info.h>
#include <lib/fault_inject.h>
#include <mm/buddy.h>
#include <mm/gfp.h>
#include <mm/memblock.h>
#include <mm/page.h>
#include <mm/zonelist.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Take every free page of @mb, which is closed with that. Panics when one of
 * them belongs to something that @info lists.
 * Context: boot, after page_init().
 */
void page_alloc_init(const struct boot_info *info, struct memblock *mb);

/* May pages be allocated yet? Any context. */
bool page_alloc_ready(void);

/*
 * Allocate 2^@order pages, physically contiguous, aligned to their size, with
 * one reference. Tried: the zones of this CPU's node that @gfp permits, then
 * those of other nodes, the nearest first.
 * Context: any with GFP_ATOMIC and GFP_NOWAIT; GFP_KERNEL where one may wait.
 * Return: the first page; NULL: out of memory (after one line unless
 * __GFP_NOWARN), or @order above MAX_ORDER (after one line).
 */
struct page *alloc_pages(gfp_t gfp, unsigned int order);

/*
 * The same as if from a CPU of node @nid; NUMA_NO_NODE: of this one.
 * Context, return: as above; NULL also when there is no node @nid, after one
 * line.
 */
struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned int order);

static inline struct page *alloc_page(gfp_t gfp)
{
	return alloc_pages(gfp, 0);
}

/*
 * Give up one reference to the block of 2^@order pages at @page; the last one
 * frees it. NULL does nothing.
 * Context: any. A @page that is no allocated block of that order (foreign,
 * misaligned, free already, inside a block, a slab's) gives one line and
 * changes nothing.
 */
void __free_pages(struct page *page, unsigned int order);

static inline void __free_page(struct page *page)
{
	__free_pages(page, 0);
}

/*
 * Give up one reference to the block that @page starts or is a tail of; the
 * last one frees it.
 * Context, bad @page: as for __free_pages().
 */
void put_page(struct page *page);

/*
 * The same by direct map address.
 * Return, bad arguments: as for alloc_pages() and __free_pages(); an @addr
 * that is not page aligned or not direct map memory gives one line.
 */
void *__get_free_pages(gfp_t gfp, unsigned int order);
void free_pages(void *addr, unsigned int order);

static inline void *get_zeroed_page(gfp_t gfp)
{
	return __get_free_pages(gfp | __GFP_ZERO, 0);
}

/*
 * Fill the NULL slots among the @n slots of @array with single pages, in
 * order, until memory runs out, as if from a CPU of node @nid; NUMA_NO_NODE:
 * of this one.
 * Context: as for alloc_pages().
 * Return: r such that slots [0, r) are all filled, and slots from r on are as
 * they were. At least one slot is filled when there is a NULL slot and a page.
 * 0 after one line: there is no node @nid, @array is NULL, or (debug builds)
 * holds something that is no allocated page.
 */
size_t alloc_pages_bulk_array_node(gfp_t gfp, int nid, size_t n,
				   struct page **array);

static inline size_t alloc_pages_bulk(gfp_t gfp, size_t n, struct page **array)
{
	return alloc_pages_bulk_array_node(gfp, NUMA_NO_NODE, n, array);
}

/*
 * Give up one reference to each single page in the @n slots of @array, skip
 * the NULL slots, and set all to NULL.
 * Context: any. A slot that is no allocated single page gives one line, and
 * that page is left alone.
 */
void free_pages_bulk(struct page **array, size_t n);

/* Pages free now; pages that the allocator was ever given. Any context. */
unsigned long nr_free_pages(void);
unsigned long nr_managed_pages(void);

/*
 * zone_verify() for every zone of the machine.
 * Context: any; takes the zones' locks, time linear in blocks.
 * Return: true; false after one line that says what is broken and where.
 */
bool buddy_verify(void);

/* Boot parameter fail_page_alloc=N: the Nth page allocation from then fails. */
extern struct fault_attr fail_page_alloc;

/* Zone @type of node @nid, and the list that its CPUs are served from, for
 * reports and tests. Any context. */
struct zone *node_zone(unsigned int nid, enum zone_type type);
const struct zonelist *node_zonelist(unsigned int nid);

#endif
