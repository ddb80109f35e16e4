/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page allocator: the machine's pages, in three zones.
 *
 * Terms
 *   zone      pages that serve the same callers. DMA: below 16 MiB, for
 *             devices with 24 address bits. DMA32: below 4 GiB. NORMAL: the
 *             rest. Each is a buddy allocator of its own, see buddy.c
 *   gfp       flags by which the caller says what it wants and permits
 *   single    a block of order 0
 *   bulk      many singles in one call
 *
 * Structures
 *   An array of zones. The head of each block says in which zone it lies, so
 *   that freeing needs no search.
 *
 *   pfn 0           4096                 1048576
 *       |    DMA     |        DMA32         |       NORMAL      ...
 *       |..xxxxxxxxxx|xxxxxxxxxxxxxxxxx.....|xxxxxxxxxxxxxxxxxx
 *
 * Operations, with k = MAX_ORDER
 *   alloc_pages        the highest zone that the flags permit, then those
 *                      below it: the memory that fewest others can use goes
 *                      first. O(k), and the size of the block for __GFP_ZERO
 *                      and __GFP_COMP
 *   __free_pages       O(k)
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
 *   A1  zones are disjoint and cover every pfn that has a descriptor
 *   A2  a zone begins and ends at a multiple of the largest block, so that
 *       B6 of buddy.c holds
 *   A3  sum of managed_pages = pages of memblock's free ranges at hand-over
 *   A4  the pages handed over meet nothing that the boot information lists
 *       as taken; checked then
 *   and those of buddy.c in each zone
 *
 * Locking
 *   The zone's, one at a time, interrupts off (buddy.c). Nothing is held while
 *   pages are cleared.
 *
 * Bad input
 *   Orders above MAX_ORDER, pointers that were never given out, blocks freed
 *   twice or with another order: one line, nothing changed, in every build.
 *   Debug builds check what stands in an array handed to alloc_pages_bulk().
 *
 * Departures from Linux
 *   One node. The bulk allocator of Linux returns at the first page that it
 *   can't have, may skip the lists' rest, and reports a full array as 0; here
 *   the result always means the same. Linux's kernel address functions take
 *   an unsigned long, here they are pointers.
 */
#include <arch/machine.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <mm/page_alloc.h>

#define DMA_END_PFN   (1UL << (24 - PAGE_SHIFT))
#define DMA32_END_PFN (1UL << (32 - PAGE_SHIFT))

/* A2 */
_Static_assert(DMA_END_PFN % MAX_BLOCK_PAGES == 0,
	       "DMA ends inside a map block");

static struct zone zones[NR_ZONES];
static bool ready;

FAULT_ATTR(fail_page_alloc, "the Nth page allocation from now fails");

/* --- blocks -------------------------------------------------------------- */

/* The last zone that @gfp permits; those below it may serve as well. */
static inline int highest_zone(gfp_t gfp)
{
	if (likely(!(gfp & (__GFP_DMA | __GFP_DMA32))))
		return ZONE_NORMAL;
	return gfp & __GFP_DMA ? ZONE_DMA : ZONE_DMA32;
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

struct page *alloc_pages(gfp_t gfp, unsigned int order)
{
	struct page *page = NULL;

	if (unlikely(order > MAX_ORDER) || should_fail(&fail_page_alloc))
		return alloc_failed(gfp, order);
	for (int z = highest_zone(gfp); z >= 0 && !page; z--)
		if (zone_has_block(&zones[z], order))
			page = zone_alloc(&zones[z], order);
	if (unlikely(!page))
		return alloc_failed(gfp, order);
	if (gfp & __GFP_COMP)
		make_compound(page, order);
	if (gfp & __GFP_ZERO)
		memset(page_address(page), 0, PAGE_SIZE << order);
	return page;
}

void __free_pages(struct page *page, unsigned int order)
{
	if (unlikely(!page))
		return;
	if (unlikely(!page_valid(page) || page->zone >= NR_ZONES ||
		     !zone_put_block(&zones[page->zone], page, order)))
		buddy_refuse_free(page, order);
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

/* The same from the zones that @gfp permits. */
static struct page *alloc_singles(gfp_t gfp, size_t want, size_t *got)
{
	struct page *page = NULL;

	/* Counted page by page, so that each of them can be made to fail. */
	if (unlikely(fail_page_alloc.nth))
		want = 1;
	if (should_fail(&fail_page_alloc))
		return NULL;
	for (int z = highest_zone(gfp); z >= 0 && !page; z--)
		if (zone_has_block(&zones[z], 0))
			page = zone_alloc_singles(&zones[z], want, got);
	if (page && gfp & __GFP_ZERO)
		memset(page_address(page), 0, *got << PAGE_SHIFT);
	return page;
}

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
static size_t fill_slots(gfp_t gfp, struct page **slot, size_t n)
{
	size_t done = 0, got;

	while (done < n) {
		struct page *page = alloc_singles(gfp, n - done, &got);

		if (!page)
			break;
		for (size_t i = 0; i < got; i++)
			slot[done + i] = page + i;
		done += got;
	}
	return done;
}

size_t alloc_pages_bulk(gfp_t gfp, size_t n, struct page **array)
{
	size_t i = 0;

	if (unlikely(!array && n)) {
		printk("page_alloc: bulk array of %zu slots is NULL\n", n);
		return 0;
	}
	if (!bulk_array_ok(array, n))
		return 0;
	while (i < n) {
		size_t want = null_slots(&array[i], n - i);
		size_t got = fill_slots(gfp, &array[i], want);

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
	return &zones[page->zone < NR_ZONES ? page->zone : ZONE_DMA];
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
	size_t i = 0;

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
	size_t nr;
	const struct image_section *s = arch_image_sections(&nr);

	check_apart(start, end, "the first MiB", 0, 1UL << 20);
	for (size_t i = 0; i < nr; i++)
		check_apart(start, end, s[i].name, s[i].pa,
			    s[i].pa + s[i].size);
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

static void init_zones(void)
{
	unsigned long end = page_present_bits << MAX_ORDER;
	unsigned long dma_end = min(end, DMA_END_PFN);
	unsigned long dma32_end = min(end, DMA32_END_PFN);

	zone_init(&zones[ZONE_DMA], "DMA", ZONE_DMA, 0, dma_end);
	zone_init(&zones[ZONE_DMA32], "DMA32", ZONE_DMA32, dma_end, dma32_end);
	zone_init(&zones[ZONE_NORMAL], "NORMAL", ZONE_NORMAL, dma32_end, end);
}

void page_alloc_init(const struct boot_info *info, struct memblock *mb)
{
	pa_t start, end;

	init_zones();
	memblock_close(mb);
	for_each_memblock_free(mb, start, end) {
		unsigned long first = PAGE_ALIGN(start) >> PAGE_SHIFT;
		unsigned long last = end >> PAGE_SHIFT;

		check_free_range(info, start, end);
		for (unsigned int z = 0; z < NR_ZONES; z++) {
			unsigned long from = max(first, zones[z].start_pfn);
			unsigned long to = min(last, zones[z].end_pfn);

			if (from < to)
				zone_add_pages(&zones[z], from, to);
		}
	}
	ready = true;
}

bool page_alloc_ready(void)
{
	return ready;
}

struct zone *zone_of_type(enum zone_type type)
{
	ASSERTF(type < NR_ZONES, "zone %d", type);
	return &zones[type];
}

unsigned long nr_free_pages(void)
{
	unsigned long sum = 0;

	for (unsigned int z = 0; z < NR_ZONES; z++)
		sum += __atomic_load_n(&zones[z].free_pages, __ATOMIC_RELAXED);
	return sum;
}

unsigned long nr_managed_pages(void)
{
	unsigned long sum = 0;

	for (unsigned int z = 0; z < NR_ZONES; z++)
		sum += zones[z].managed_pages;
	return sum;
}

bool buddy_verify(void)
{
	for (unsigned int z = 0; ready && z < NR_ZONES; z++)
		if (!zone_verify(&zones[z]))
			return false;
	return true;
}
