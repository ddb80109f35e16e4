/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page allocator: the machine's pages, in three zones a node.
 *
 * Terms
 *   node      CPUs and the memory near them, see node.c
 *   zone      pages of one node that serve the same callers, see zonelist.c;
 *             each is a buddy allocator of its own, see buddy.c
 *   gfp       flags by which the caller says what it wants and permits
 *   single    a block of order 0
 *   bulk      many singles in one call
 *
 * Structures
 *   One set of zones. The head of each block says in which zone it lies, so
 *   that freeing needs no search. In front of the zones of its node each CPU
 *   keeps small blocks, see pcp.c.
 *
 * Operations, with k = MAX_ORDER
 *   alloc_pages        a small block: what this CPU keeps of the best zone,
 *                      O(1). Else, of the zones that the flags permit, the
 *                      first that has a block, as the list of this CPU's node
 *                      has them; none has: again, with what CPUs keep given
 *                      back (all of them, if the caller may wait). O(k), and
 *                      the size of the block for __GFP_ZERO and __GFP_COMP
 *   alloc_pages_node   the same with the list of another node
 *   __free_pages       a small block with one user: to this CPU, O(1); O(k)
 *   alloc_pages_bulk   O(1) a page, in runs where memory has them
 *   free_pages_bulk    O(1) a page: runs in the array go back as blocks
 *
 *   A block has users, counted in its head: get_page() adds one, put_page()
 *   and __free_pages() take one away, and the last one frees it.
 *
 *   What the bulk calls promise. Slots of the array that are filled are left
 *   alone; those that are NULL get pages from the front on. The result r says
 *   that slots [0, r) are all filled now, and that from r on nothing changed.
 *   So a caller that wants the rest calls again with the same array.
 *
 * Invariants
 *   A1  sum of managed_pages = pages of memblock's free ranges at hand-over
 *   A2  the pages handed over meet nothing that the boot information lists
 *       as taken; checked then
 *   and those of zonelist.c, and of buddy.c in each zone
 *
 * Locking
 *   The zone's, one at a time, interrupts off (buddy.c); interrupts off alone
 *   for what a CPU keeps. Neither while pages are cleared.
 *
 * Bad input
 *   Orders above MAX_ORDER, nodes that are not there, pointers that were never
 *   given out, blocks freed twice or with another order: one line, nothing
 *   changed, in every build.
 *   Debug builds check what stands in an array handed to alloc_pages_bulk().
 *
 * Departures from Linux
 *   The bulk allocator of Linux returns at the first page that it
 *   can't have, may skip the lists' rest, and reports a full array as 0; here
 *   the result always means the same. Linux's kernel address functions take
 *   an unsigned long, here they are pointers.
 */
#include <arch/machine.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <mm/hooks.h>
#include <mm/page_alloc.h>
#include <mm/pcp.h>

static struct zone_set zones;
static bool ready;

FAULT_ATTR(fail_page_alloc, "the Nth page allocation from now fails");

/* --- blocks -------------------------------------------------------------- */

/* The list of this CPU's node. */
static inline const struct zonelist *local_list(void)
{
	return &zones.list[cpu_to_node(cpu_id())];
}

/* The list of node @nid, or of this CPU's. NULL after one line: no such. */
static inline const struct zonelist *list_of(int nid)
{
	if (nid == NUMA_NO_NODE)
		return local_list();
	if (likely(nid >= 0 && (unsigned int)nid < zones.nr_nodes))
		return &zones.list[nid];
	printk("page_alloc: node %d: there are %u\n", nid, zones.nr_nodes);
	return NULL;
}

static noinline struct page *alloc_failed(gfp_t gfp, unsigned int order)
{
	if (order > MAX_ORDER)
		printk("page_alloc: order %u is above the highest, %u\n", order,
		       MAX_ORDER);
	else if (!(gfp & __GFP_NOWARN))
		printk("page_alloc: out of memory: order %u, gfp %#x, %lu of "
		       "%lu pages free\n",
		       order, gfp, nr_free_pages(), nr_managed_pages());
	return NULL;
}

static void make_compound(struct page *page, unsigned int order)
{
	if (order == 0)
		return;
	page->flags |= PAGE_COMPOUND;
	for (unsigned long i = 1; i < 1UL << order; i++)
		page[i].head = page_head(PAGE_TAIL, order, page->zone, 0);
}

/* Have the CPUs give back what they keep: this one alone, if the caller may not
 * wait. */
static void drain_kept(gfp_t gfp)
{
	if ((gfp & __GFP_DIRECT_RECLAIM) && mm_may_sleep())
		drain_all_pages();
	else
		pcp_drain_local();
}

/* From the lists, refilled, if @list is this CPU's; else from the zones; else
 * from them with what the CPUs keep. */
static struct page *take_block(const struct zonelist *list, gfp_t gfp,
			       unsigned int order)
{
	struct zone *const *from = zonelist_zones(list, gfp);
	struct page *page = NULL;

	if (order < PCP_ORDERS && list == local_list())
		page = pcp_alloc_refill(gfp, order);
	if (!page)
		page = zones_alloc(from, order);
	if (unlikely(!page)) {
		drain_kept(gfp);
		page = zones_alloc(from, order);
	}
	return page;
}

/* All that alloc_pages() may have to do. */
static noinline struct page *alloc_from(const struct zonelist *list, gfp_t gfp,
					unsigned int order)
{
	struct page *page;

	if (unlikely(order > MAX_ORDER) || should_fail(&fail_page_alloc))
		return alloc_failed(gfp, order);
	page = take_block(list, gfp, order);
	if (unlikely(!page))
		return alloc_failed(gfp, order);
	if (gfp & __GFP_COMP)
		make_compound(page, order);
	if (gfp & __GFP_ZERO)
		memset(page_address(page), 0, PAGE_SIZE << order);
	return page;
}

struct page *alloc_pages(gfp_t gfp, unsigned int order)
{
	struct page *page;

	if (likely(order < PCP_ORDERS && !(gfp & (__GFP_COMP | __GFP_ZERO)) &&
		   !fail_page_alloc.nth)) {
		page = pcp_alloc(gfp, order);
		if (likely(page))
			return page;
	}
	return alloc_from(local_list(), gfp, order);
}

struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned int order)
{
	const struct zonelist *list = list_of(nid);

	return list ? alloc_from(list, gfp, order) : NULL;
}

/* What the lists do not take. */
static noinline void free_slowly(struct page *page, unsigned int order)
{
	uint8_t zone;

	if (!page)
		return;
	zone = page_valid(page) ? page_seen(page).zone : MAX_ZONES;
	if (unlikely(zone >= MAX_ZONES ||
		     !zone_put_block(&zones.zone[zone], page, order)))
		buddy_refuse_free(page, order);
}

void __free_pages(struct page *page, unsigned int order)
{
	if (unlikely(order >= PCP_ORDERS || !pcp_free(page, order)))
		free_slowly(page, order);
}

void put_page(struct page *page)
{
	uint32_t refs;

	if (unlikely(!page_valid(page))) {
		buddy_refuse_free(page, 0);
		return;
	}
	page = compound_head(page);
	refs = atomic_load_explicit(&page->refcount, memory_order_relaxed);
	while (page->type == PAGE_USED && refs > 1)
		if (atomic_compare_exchange_weak_explicit(
			    &page->refcount, &refs, refs - 1,
			    memory_order_release, memory_order_relaxed))
			return;
	__free_pages(page, page->order);
}

void *__get_free_pages(gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages(gfp, order);

	return page ? page_address(page) : NULL;
}

void free_pages(void *addr, unsigned int order)
{
	if (!addr)
		return;
	if (unlikely(!virt_addr_valid(addr) || (va_t)addr % PAGE_SIZE))
		printk("page_alloc: cannot free order %u at %p: no page of the "
		       "direct map begins there\n",
		       order, addr);
	else
		__free_pages(virt_to_page(addr), order);
}

/* --- many single pages --------------------------------------------------- */

#ifdef QUIRE_DEBUG
static bool bulk_array_ok(struct page **array, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct page *page = array[i];

		if (!page || (page_valid(page) && is_used_block(page, 0)))
			continue;
		printk("page_alloc: bulk array %p: slot %zu of %zu holds %p, "
		       "which is no allocated page\n",
		       (void *)array, i, n, (void *)page);
		return false;
	}
	return true;
}
#else
static inline bool bulk_array_ok(struct page **array, size_t n)
{
	return true;
}
#endif

/* How many of the @n slots from @slot on, one after the other, are NULL. */
static inline size_t null_slots(struct page **slot, size_t n)
{
	size_t i = 0;

	while (i < n && !slot[i])
		i++;
	return i;
}

/* Fill the @n NULL slots from @slot on. Return: how many were filled. */
static size_t fill_slots(struct zone *const *from, gfp_t gfp,
			 struct page **slot, size_t n)
{
	bool drained = false;
	size_t done = 0, got;

	while (done < n) {
		size_t want = n - done;
		struct page *page;

		/* Counted page by page: each of them can be made to fail. */
		if (unlikely(fail_page_alloc.nth))
			want = 1;
		if (should_fail(&fail_page_alloc))
			break;
		page = zones_alloc_singles(from, want, &got);
		if (unlikely(!page)) {
			if (drained)
				break;
			drain_kept(gfp);
			drained = true;
			continue;
		}
		for (size_t i = 0; i < got; i++)
			slot[done + i] = page + i;
		done += got;
	}
	return done;
}

static noinline void clear_pages(struct page **slot, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memset(page_address(slot[i]), 0, PAGE_SIZE);
}

size_t alloc_pages_bulk_array_node(gfp_t gfp, int nid, size_t n,
				   struct page **array)
{
	const struct zonelist *list = list_of(nid);
	size_t i = 0;

	if (unlikely(!list))
		return 0;
	if (unlikely(!array && n)) {
		printk("page_alloc: bulk array of %zu slots is NULL\n", n);
		return 0;
	}
	if (!bulk_array_ok(array, n))
		return 0;
	if (likely(n < PCP_BATCH_PAGES && list == local_list() &&
		   !fail_page_alloc.nth) &&
	    (!(gfp & __GFP_ZERO) || null_slots(array, n) == n)) {
		i = pcp_alloc_bulk(gfp, n, array);
		if (gfp & __GFP_ZERO)
			clear_pages(array, i);
	}
	while (i < n) {
		size_t want = null_slots(&array[i], n - i);
		size_t got = fill_slots(zonelist_zones(list, gfp), gfp,
					&array[i], want);

		if (gfp & __GFP_ZERO)
			clear_pages(&array[i], got);
		i += got;
		if (got < want)
			break;
		while (i < n && array[i])
			i++;
	}
	return i;
}

/* Zone of the block at @page; any, where no block is. */
static inline struct zone *zone_around(const struct page *page)
{
	return &zones.zone[page->zone < MAX_ZONES ? page->zone : 0];
}

/*
 * Take the page at @slot and those that follow it, in the slots after that and
 * in its map block, out of the array of @max slots. Return: how many.
 */
static inline size_t take_run(struct page **slot, size_t max)
{
	struct page *page = *slot;
	size_t room = MAX_BLOCK_PAGES - page_to_pfn(page) % MAX_BLOCK_PAGES;
	size_t n = 0;

	max = min(room, max);
	do {
		slot[n++] = NULL;
	} while (n < max && slot[n] == page + n);
	return n;
}

void free_pages_bulk(struct page **array, size_t n)
{
	size_t i = n < PCP_BATCH_PAGES ? pcp_free_bulk(array, n) : 0;

	while (i < n) {
		struct page *page = array[i];
		size_t len = 1;

		if (page && page_valid(page)) {
			len = take_run(&array[i], n - i);
			zone_free_singles(zone_around(page), page, len);
		} else if (page) {
			buddy_refuse_free(page, 0);
			array[i] = NULL;
		}
		i += len;
	}
}

/* --- boot ---------------------------------------------------------------- */

static void check_apart(pa_t start, pa_t end, const char *what, pa_t from,
			pa_t to)
{
	ASSERTF(end <= from || to <= start || from >= to,
		"free memory [%#lx, %#lx) meets %s [%#lx, %#lx)", start, end,
		what, from, to);
}

/* Panic when free memory [@start, @end) meets anything known to be taken. */
static void check_free_range(const struct boot_info *info, pa_t start, pa_t end)
{
	pa_t image_start, image_end;

	arch_image_range(&image_start, &image_end);
	check_apart(start, end, "the first MiB", 0, 1UL << 20);
	check_apart(start, end, "the image", image_start, image_end);
	for (unsigned int i = 0; i < info->nr_map; i++)
		if (info->map[i].type != MEM_USABLE)
			check_apart(start, end, "a firmware range",
				    info->map[i].start, info->map[i].end);
	for (unsigned int i = 0; i < info->nr_modules; i++)
		check_apart(start, end, "a boot module", info->modules[i].start,
			    info->modules[i].end);
	check_apart(start, end, "the loader's data", info->handoff_start,
		    info->handoff_end);
}

void page_alloc_init(const struct boot_info *info, struct memblock *mb)
{
	pa_t start, end;

	zone_set_init(&zones, &node_map, page_present_bits << MAX_ORDER);
	memblock_close(mb);
	for_each_memblock_free(mb, start, end) {
		check_free_range(info, start, end);
		if (PAGE_ALIGN(start) < PAGE_ALIGN_DOWN(end))
			zone_set_add(&zones, &node_map,
				     PAGE_ALIGN(start) >> PAGE_SHIFT,
				     end >> PAGE_SHIFT);
	}
	zone_set_link(&zones, &node_map);
	pcp_init(&zones);
	ready = true;
}

bool page_alloc_ready(void)
{
	return ready;
}

struct zone *node_zone(unsigned int nid, enum zone_type type)
{
	ASSERTF(nid < zones.nr_nodes && type < NR_ZONES, "node %u, zone %d",
		nid, type);
	return &zones.zone[nid * NR_ZONES + type];
}

const struct zonelist *node_zonelist(unsigned int nid)
{
	ASSERTF(nid < zones.nr_nodes, "node %u of %u", nid, zones.nr_nodes);
	return &zones.list[nid];
}

unsigned long nr_free_pages(void)
{
	unsigned long sum = 0;

	for (unsigned int id = 0; id < zones.nr_zones; id++)
		sum += __atomic_load_n(&zones.zone[id].free_pages,
				       __ATOMIC_RELAXED) +
		       pcp_pages(id);
	return sum;
}

unsigned long nr_managed_pages(void)
{
	return zones.managed_pages;
}

bool buddy_verify(void)
{
	for (unsigned int id = 0; id < zones.nr_zones; id++)
		if (!zone_verify(&zones.zone[id]))
			return false;
	return true;
}
