/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A zone: pages that a buddy allocator hands out in blocks. See buddy.c.
 */
#ifndef MM_BUDDY_H
#define MM_BUDDY_H

#include <lib/list.h>
#include <lib/spinlock.h>
#include <mm/page.h>
#include <stdbool.h>
#include <stddef.h>

enum zone_type {
	ZONE_DMA,    /* below 16 MiB */
	ZONE_DMA32,  /* below 4 GiB */
	ZONE_NORMAL, /* the rest */
	NR_ZONES,
};

/* The id of a zone that is none of the allocator's own: a test's. */
#define ZONE_PRIVATE 254

/* Free blocks of one order. */
struct free_area {
	struct list_head blocks; /* Z, struct page.list */
	unsigned long nr;        /* Z */
};

/*
 * Pages of one kind. Lock letters: Z = .lock held; C = constant after boot.
 */
struct zone {
	spinlock_t lock;
	unsigned int nonempty; /* Z: bit o: free[o] has blocks; hints without */
	struct free_area free[NR_ORDERS];
	unsigned long free_pages;         /* Z: in free[] */
	unsigned long managed_pages;      /* Z: ever put in */
	unsigned long start_pfn, end_pfn; /* C: no block lies outside */
	const char *name;                 /* C */
	uint8_t id;   /* C: struct page.zone of its blocks */
	uint8_t type; /* C: enum zone_type; with .nid what .id says */
	uint8_t nid;  /* C: its node */
};

/*
 * Make @zone an empty zone over the pages [@start_pfn, @end_pfn), whose
 * descriptors exist and say PAGE_NONE. @id: node * NR_ZONES + type, or
 * ZONE_PRIVATE.
 */
void zone_init(struct zone *zone, const char *name, uint8_t id,
	       unsigned long start_pfn, unsigned long end_pfn);

/*
 * Put the pages [@start_pfn, @end_pfn), which are in the zone and belong to
 * nobody, into it as the fewest blocks.
 * Context: any.
 */
void zone_add_pages(struct zone *zone, unsigned long start_pfn,
		    unsigned long end_pfn);

/* Does @zone have a block of at least @order? A hint: no lock. Any context. */
static inline bool zone_has_block(const struct zone *zone, unsigned int order)
{
	return __atomic_load_n(&zone->nonempty, __ATOMIC_RELAXED) >> order;
}

/*
 * Take a block of 2^@order pages, @order at most MAX_ORDER, out of @zone.
 * Return: its first page, with one reference; NULL: there is none.
 */
struct page *zone_alloc(struct zone *zone, unsigned int order);

/*
 * Give up one reference to the block of 2^@order pages at @page, any pointer;
 * the last one frees it.
 * Context: any.
 * Return: true; false after one line: it is no allocated block of that order
 * and zone, nothing changed.
 */
bool zone_free(struct zone *zone, struct page *page, unsigned int order);

/*
 * The same for a @page that is a descriptor (page_valid()).
 * Return: true; false, and the caller has to report it.
 */
bool zone_put_block(struct zone *zone, struct page *page, unsigned int order);

/* Print the one line that says why the block at @page, any pointer, can't be
 * freed. Context: any. */
void buddy_refuse_free(struct page *page, unsigned int order);

/*
 * Take the largest block of at most @want > 0 times 2^@order pages out of
 * @zone, as blocks of @order that follow each other, with one reference each.
 * Return: the first, and in *@got how many; NULL: the zone has none.
 */
struct page *zone_alloc_run(struct zone *zone, unsigned int order, size_t want,
			    size_t *got);

/*
 * Put the blocks of 2^@order pages on the chain from @page on, linked by
 * struct page.next, which a CPU keeps and which are of @zone, back.
 */
void zone_put_kept(struct zone *zone, struct page *page, unsigned int order);

/*
 * Give up one reference to each of the @n single pages from @page on, all of
 * one map block with descriptors. Each that is no allocated single page of
 * @zone gives one line and is left alone.
 */
void zone_free_singles(struct zone *zone, struct page *page, size_t n);

/* Is @page the head of an allocated block of that order? Its owner asks. */
static inline bool is_used_block(const struct page *page, unsigned int order)
{
	return page->type == PAGE_USED && page->order == order;
}

/*
 * Check every invariant of buddy.c in @zone.
 * Context: any; takes the lock, time linear in blocks and in pages of none.
 * Return: true; false after one line that says what is broken and where.
 */
bool zone_verify(struct zone *zone);

#endif
