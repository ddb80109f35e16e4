/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The buddy allocator of one zone: free pages in blocks of 2^order.
 *
 * Terms
 *   block      2^order pages, aligned to their size; order 0..MAX_ORDER
 *   buddies    the two halves of a block. The buddy of the block of order o at
 *              pfn p is at p ^ 2^o; joined, they are the block of order o + 1
 *              at the lower of both
 *   zone       a range of pages with its own lists; see page_alloc.c for those
 *              of the machine
 *   head       descriptor of a block's first page, the only one that is
 *              written (see page.c)
 *
 * Structures
 *   A zone has a list of free blocks for each order, and a word `nonempty` in
 *   which bit o says that list o has blocks: one instruction finds the
 *   smallest order that will do.
 *
 *     nonempty  ..0101        pfn  0   1   2   3   4   5   6   7
 *     free[0] -> 5                 [   order 2    ][u][f][  u   ]
 *     free[1]
 *     free[2] -> 0                 u: allocated, f: free
 *
 * Operations, with k = MAX_ORDER
 *   allocate     take a block of the least order that has one and split it:
 *                the upper halves go to the lists below. O(k)
 *   free         join with the buddy while it is free as a whole. O(k)
 *   runs         allocate: take the largest block that is not too large, and
 *                cut it into blocks of one order, which so follow each other;
 *                free: put a run of pages in as the fewest blocks. O(k) and
 *                O(1) a page
 *   kept         blocks that a CPU keeps (pcp.c) come in runs, and go back one
 *                by one, many under one lock
 *   add          put a range of pages in as the fewest blocks: at boot, each
 *                free range of memory. O(k + pages / 2^k)
 *
 *   Lists are last in, first out: what was freed last is in the CPU's cache.
 *
 * Invariants
 *   B1  a block on list o is aligned to 2^o, its head says FREE, o, and the
 *       zone; no other descriptor of the zone says FREE
 *   B2  free[o].nr = length of list o; bit o of nonempty <=> free[o].nr > 0
 *   B3  free_pages = sum of free[o].nr * 2^o <= managed_pages
 *   B4  two buddies of an order below MAX_ORDER are never both free: the free
 *       blocks are the largest that are possible, whatever the order in which
 *       they were freed
 *   B5  blocks lie in [start_pfn, end_pfn) of their zone
 *   B6  both buddies of an order below MAX_ORDER lie in one map block
 *
 *   Why joining never leaves the memory map: by B6 the buddy's descriptor
 *   exists (page.c, P1). Where there is a hole or a reserved page it is zero,
 *   which is not FREE. Where another zone begins, B5 is asked. So memory may
 *   begin and end at any page.
 *
 * Locking
 *   One lock a zone, interrupts off; taken inside all others but the
 *   console's. No operation holds it longer than one map block takes.
 *
 * Bad input
 *   What is freed must be the head of an allocated block of the order given.
 *   Everything else that is passed, a wild pointer included, is reported in
 *   one line and changes nothing, in every build: the check reads a bit of
 *   page_present and the head, which freeing reads anyway. (Freed twice with
 *   an allocation by somebody else in between can't be told from freed once.)
 *
 * Departures from Linux
 *   Order 10 is 4 MiB in both. There are no migrate types: nothing here moves
 *   pages. Linux writes every tail of a block and checks every one at free;
 *   here tails are written for compound blocks only. Freeing a block that
 *   still has users keeps it whole until the last put_page(); Linux would free
 *   the tail pages of a block that is not compound.
 */
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <mm/buddy.h>

/* --- free blocks --------------------------------------------------------- */

/* The two fields that are read without the lock, too. */
static inline void set_nonempty_locked(struct zone *zone, unsigned int orders)
{
	__atomic_store_n(&zone->nonempty, orders, __ATOMIC_RELAXED);
}

static inline void set_free_pages_locked(struct zone *zone, unsigned long pages)
{
	__atomic_store_n(&zone->free_pages, pages, __ATOMIC_RELAXED);
}

static void insert_block(struct zone *zone, struct page *page,
			 unsigned int order)
{
	struct free_area *area = &zone->free[order];

	page->head = page_head(PAGE_FREE, order, zone->id, 0);
	list_add(&page->list, &area->blocks);
	area->nr++;
	set_nonempty_locked(zone, zone->nonempty | 1U << order);
}

static void remove_block(struct zone *zone, struct page *page,
			 unsigned int order)
{
	struct free_area *area = &zone->free[order];

	list_del(&page->list);
	page->head = 0;
	if (--area->nr == 0)
		set_nonempty_locked(zone, zone->nonempty & ~(1U << order));
}

/* Take a block of exactly @have and give what is too much for @order back. */
static struct page *take_block_locked(struct zone *zone, unsigned int have,
				      unsigned int order)
{
	struct page *page =
		list_first_entry(&zone->free[have].blocks, struct page, list);

	DEBUG_ASSERT(spin_is_locked(&zone->lock));
	remove_block(zone, page, have);
	while (have > order) {
		have--;
		insert_block(zone, page + (1UL << have), have);
	}
	set_free_pages_locked(zone, zone->free_pages - (1UL << order));
	return page;
}

/*
 * Is the head at @page, in the zone, @head, that of a free block? The head of
 * an allocated one changes without the lock: only its type may be looked at.
 */
static inline bool is_free_locked(const struct page *page, uint64_t head)
{
	return __atomic_load_n(&page->type, __ATOMIC_RELAXED) == PAGE_FREE &&
	       page->head == head;
}

/* Put a block of pages that are nobody's in, joined with its free buddies. */
static void put_block_locked(struct zone *zone, unsigned long pfn,
			     unsigned int order)
{
	DEBUG_ASSERT(spin_is_locked(&zone->lock));
	set_free_pages_locked(zone, zone->free_pages + (1UL << order));
	for (; order < MAX_ORDER; order++) {
		unsigned long buddy_pfn = pfn ^ (1UL << order);
		struct page *buddy = pfn_to_page(buddy_pfn);

		if (buddy_pfn < zone->start_pfn || buddy_pfn >= zone->end_pfn)
			break;
		if (!is_free_locked(buddy,
				    page_head(PAGE_FREE, order, zone->id, 0)))
			break;
		remove_block(zone, buddy, order);
		pfn &= buddy_pfn;
	}
	insert_block(zone, pfn_to_page(pfn), order);
}

/* Put the pages [pfn, end), which are nobody's, in as the fewest blocks. */
static void put_range_locked(struct zone *zone, unsigned long pfn,
			     unsigned long end)
{
	while (pfn < end) {
		unsigned int aligned =
			(unsigned int)__builtin_ctzl(pfn | MAX_BLOCK_PAGES);
		unsigned int order = min(aligned, ilog2(end - pfn));

		put_block_locked(zone, pfn, order);
		pfn += 1UL << order;
	}
}

/* --- what may be freed --------------------------------------------------- */

/* Head of the block that @page lies inside of; NULL: of none. */
static struct page *head_around(struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	for (unsigned int o = 1; o <= MAX_ORDER; o++) {
		struct page *head = pfn_to_page(round_down(pfn, 1UL << o));
		struct page seen = page_seen(head);

		if (head != page && seen.type != PAGE_NONE &&
		    seen.type != PAGE_TAIL)
			return seen.order >= o ? head : NULL;
	}
	return NULL;
}

void buddy_refuse_free(struct page *page, unsigned int order)
{
	struct page *head, seen, around;

	if (!page_valid(page)) {
		printk("page_alloc: cannot free order %u at descriptor %p: "
		       "there is no such page\n",
		       order, (void *)page);
		return;
	}
	seen = page_seen(page);
	head = head_around(page);
	around = head ? page_seen(head) : seen;
	if (seen.type == PAGE_NONE && head)
		printk("page_alloc: cannot free pfn %#lx order %u: it is "
		       "inside the block of pfn %#lx, %s, order %u\n",
		       page_to_pfn(page), order, page_to_pfn(head),
		       page_type_name(around.type), around.order);
	else
		printk("page_alloc: cannot free pfn %#lx order %u: it is %s, "
		       "order %u, zone %u\n",
		       page_to_pfn(page), order, page_type_name(seen.type),
		       seen.order, seen.zone);
}

/*
 * Give up one reference to whatever is at @page: with several of them, of a
 * compound block, or of what is no allocated block of that order at all.
 * Return: false: the last, and nothing changed.
 */
static noinline bool put_slowly_locked(struct zone *zone, struct page *page,
				       unsigned int order)
{
	const struct page seen = page_seen(page);

	if (!is_used_block(&seen, order) || seen.zone != zone->id)
		return false;
	if (atomic_fetch_sub_explicit(&page->refcount, 1,
				      memory_order_acq_rel) > 1)
		return true;
	if (page->flags & PAGE_COMPOUND)
		for (unsigned long i = 1; i < 1UL << order; i++)
			page[i].head = 0;
	page->head = 0;
	put_block_locked(zone, page_to_pfn(page), order);
	return true;
}

/*
 * If the head at @page is @head, that of a block with one user, who gives it
 * up, then the block becomes nobody's. Return: whether it was. Nobody else can
 * come by a reference, so no atomic operation is needed.
 */
static inline bool take_from_owner(struct page *page, uint64_t head)
{
	if (unlikely(__atomic_load_n(&page->head, __ATOMIC_ACQUIRE) != head))
		return false;
	page->head = 0;
	return true;
}

/* --- one zone ------------------------------------------------------------ */

void zone_init(struct zone *zone, const char *name, uint8_t id,
	       unsigned long start_pfn, unsigned long end_pfn)
{
	spin_lock_init(&zone->lock);
	zone->nonempty = 0;
	for (unsigned int o = 0; o < NR_ORDERS; o++) {
		INIT_LIST_HEAD(&zone->free[o].blocks);
		zone->free[o].nr = 0;
	}
	zone->free_pages = 0;
	zone->managed_pages = 0;
	zone->start_pfn = start_pfn;
	zone->end_pfn = end_pfn;
	zone->name = name;
	zone->id = id;
	zone->type = id % NR_ZONES;
	zone->nid = id / NR_ZONES;
}

void zone_add_pages(struct zone *zone, unsigned long start_pfn,
		    unsigned long end_pfn)
{
	unsigned long flags;

	ASSERTF(zone->start_pfn <= start_pfn && end_pfn <= zone->end_pfn,
		"B5: pages [%#lx, %#lx) for zone %s [%#lx, %#lx)", start_pfn,
		end_pfn, zone->name, zone->start_pfn, zone->end_pfn);
	spin_lock_irqsave(&zone->lock, flags);
	put_range_locked(zone, start_pfn, end_pfn);
	zone->managed_pages += end_pfn - start_pfn;
	spin_unlock_irqrestore(&zone->lock, flags);
}

struct page *zone_alloc(struct zone *zone, unsigned int order)
{
	struct page *page = NULL;
	unsigned int fit;
	unsigned long flags;

	spin_lock_irqsave(&zone->lock, flags);
	fit = zone->nonempty >> order << order;
	if (likely(fit)) {
		page = take_block_locked(zone, (unsigned int)__builtin_ctz(fit),
					 order);
		page->head = page_head(PAGE_USED, order, zone->id, 1);
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return page;
}

bool zone_put_block(struct zone *zone, struct page *page, unsigned int order)
{
	uint64_t owned = page_head(PAGE_USED, order, zone->id, 1);
	unsigned long flags;
	bool ok = true;

	spin_lock_irqsave(&zone->lock, flags);
	if (take_from_owner(page, owned))
		put_block_locked(zone, page_to_pfn(page), order);
	else
		ok = put_slowly_locked(zone, page, order);
	spin_unlock_irqrestore(&zone->lock, flags);
	return ok;
}

bool zone_free(struct zone *zone, struct page *page, unsigned int order)
{
	if (page_valid(page) && page_to_pfn(page) >= zone->start_pfn &&
	    page_to_pfn(page) < zone->end_pfn &&
	    zone_put_block(zone, page, order))
		return true;
	buddy_refuse_free(page, order);
	return false;
}

/* --- runs and chains ------------------------------------------------ */

struct page *zone_alloc_run(struct zone *zone, unsigned int order, size_t want,
			    size_t *got)
{
	unsigned int large = min(order + ilog2(want), (unsigned int)MAX_ORDER);
	uint64_t owned = page_head(PAGE_USED, order, zone->id, 1);
	struct page *page = NULL;
	unsigned long flags;
	unsigned int fit;

	spin_lock_irqsave(&zone->lock, flags);
	if (likely(zone->nonempty >> order)) {
		fit = zone->nonempty >> large << large;
		if (!fit)
			large = ilog2(zone->nonempty);
		page = take_block_locked(
			zone, fit ? (unsigned int)__builtin_ctz(fit) : large,
			large);
		*got = 1UL << (large - order);
		for (size_t i = 0; i < *got; i++)
			page[i << order].head = owned;
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return page;
}

void zone_put_kept(struct zone *zone, struct page *page, unsigned int order)
{
	unsigned long flags;

	spin_lock_irqsave(&zone->lock, flags);
	while (page) {
		struct page *next = page->next;

		page->head = 0;
		put_block_locked(zone, page_to_pfn(page), order);
		page = next;
	}
	spin_unlock_irqrestore(&zone->lock, flags);
}

void zone_free_singles(struct zone *zone, struct page *page, size_t n)
{
	unsigned long pfn = page_to_pfn(page), start = pfn, end = pfn + n;
	uint64_t owned = page_head(PAGE_USED, 0, zone->id, 1);
	unsigned long flags;

	spin_lock_irqsave(&zone->lock, flags);
	for (; pfn < end; pfn++, page++) {
		if (take_from_owner(page, owned))
			continue;
		put_range_locked(zone, start, pfn);
		start = pfn + 1;
		if (!put_slowly_locked(zone, page, 0))
			buddy_refuse_free(page, 0);
	}
	put_range_locked(zone, start, end);
	spin_unlock_irqrestore(&zone->lock, flags);
}

/* --- verification -------------------------------------------------------- */

/* One line about invariant @which, broken at the block at @page. */
static bool broken(const struct zone *zone, const char *which,
		   const struct page *page)
{
	printk("page_alloc: %s: zone %s [%#lx, %#lx): pfn %#lx, %s, order %u, "
	       "zone %u, %u references\n",
	       which, zone->name, zone->start_pfn, zone->end_pfn,
	       page_to_pfn(page), page_type_name(page->type), page->order,
	       page->zone, page->refcount);
	return false;
}

static bool verify_free_block(struct zone *zone, struct page *page,
			      unsigned int order)
{
	unsigned long pfn = page_to_pfn(page);
	struct page *buddy = pfn_to_page(pfn ^ (1UL << order));

	if (!page_valid(page) || pfn < zone->start_pfn ||
	    pfn + (1UL << order) > zone->end_pfn)
		return broken(zone, "B5", page);
	if (pfn % (1UL << order) || page->type != PAGE_FREE ||
	    page->order != order || page->zone != zone->id)
		return broken(zone, "B1", page);
	if (page->refcount)
		return broken(zone, "P4", page);
	if (order < MAX_ORDER &&
	    buddy->head == page_head(PAGE_FREE, order, zone->id, 0) &&
	    page_to_pfn(buddy) >= zone->start_pfn &&
	    page_to_pfn(buddy) < zone->end_pfn)
		return broken(zone, "B4", page);
	return true;
}

static bool verify_lists(struct zone *zone)
{
	unsigned long sum = 0;
	struct page *page;

	for (unsigned int o = 0; o < NR_ORDERS; o++) {
		unsigned long n = 0;

		list_for_each_entry(page, &zone->free[o].blocks, list) {
			if (!verify_free_block(zone, page, o))
				return false;
			n++;
		}
		if (n != zone->free[o].nr || !!n != (zone->nonempty >> o & 1)) {
			printk("page_alloc: B2: zone %s order %u: %lu blocks, "
			       "nr %lu, nonempty %#x\n",
			       zone->name, o, n, zone->free[o].nr,
			       zone->nonempty);
			return false;
		}
		sum += n << o;
	}
	if (sum == zone->free_pages && sum <= zone->managed_pages)
		return true;
	printk("page_alloc: B3: zone %s: %lu pages on lists, free_pages %lu, "
	       "managed %lu\n",
	       zone->name, sum, zone->free_pages, zone->managed_pages);
	return false;
}

/* Every descriptor of the zone in turn: heads where they may be, as many FREE
 * as listed. */
static bool verify_heads(struct zone *zone)
{
	unsigned long pfn = zone->start_pfn, free = 0;

	while (pfn < zone->end_pfn) {
		struct page *page = pfn_to_page(pfn);

		if (!pfn_valid(pfn)) {
			pfn = round_down(pfn, MAX_BLOCK_PAGES) +
			      MAX_BLOCK_PAGES;
			continue;
		}
		if (page->type == PAGE_NONE || page->zone != zone->id) {
			pfn++;
			continue;
		}
		if (page->type >= PAGE_TAIL || page->order > MAX_ORDER)
			return broken(zone, "P2", page);
		if (pfn % (1UL << page->order))
			return broken(zone, "P3", page);
		if (page->type == PAGE_USED && !page->refcount)
			return broken(zone, "P4", page);
		if (page->type == PAGE_FREE)
			free += 1UL << page->order;
		pfn += 1UL << page->order;
	}
	if (free == zone->free_pages)
		return true;
	printk("page_alloc: B1: zone %s: descriptors say %lu pages free, "
	       "free_pages %lu\n",
	       zone->name, free, zone->free_pages);
	return false;
}

bool zone_verify(struct zone *zone)
{
	unsigned long flags;
	bool ok;

	spin_lock_irqsave(&zone->lock, flags);
	ok = verify_lists(zone) && verify_heads(zone);
	spin_unlock_irqrestore(&zone->lock, flags);
	return ok;
}
