/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's zones: blocks, references, bulk calls, running out. */
#include <lib/math.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test.h>
#include <mm/page_alloc.h>
#include <mm/pcp.h>
#include <tests/unit/one_line.h>

#define QUIET (GFP_KERNEL | __GFP_NOWARN)

static bool all_bytes(const void *p, uint8_t value, size_t n)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < n; i++)
		if (b[i] != value)
			return false;
	return true;
}

TEST(page_alloc, every_order)
{
	unsigned long free = nr_free_pages();

	for (unsigned int o = 0; o <= MAX_ORDER; o++) {
		struct page *page = alloc_pages(GFP_KERNEL, o);

		if (!page)
			SKIP("no block of order %u", o);
		EXPECT_EQ(nr_free_pages(), free - (1UL << o));
		EXPECT_EQ(page_to_pfn(page) % (1UL << o), 0);
		EXPECT_EQ(page_ref_count(page), 1);
		memset(page_address(page), 0xa5, PAGE_SIZE << o);
		__free_pages(page, o);
		EXPECT_EQ(nr_free_pages(), free);
	}
	EXPECT(buddy_verify());
}

TEST(page_alloc, by_address)
{
	char *p = __get_free_pages(GFP_KERNEL, 2);
	unsigned long free;

	REQUIRE_NOT_NULL(p);
	EXPECT_EQ((va_t)p % (4 * PAGE_SIZE), 0);
	memset(p, 0xff, 4 * PAGE_SIZE);
	free = nr_free_pages();
	EXPECT_ONE_LINE(free_pages(p + 1, 2), "no page of the direct map");
	EXPECT_ONE_LINE(free_pages((void *)16, 2), "no page of the direct map");
	EXPECT_ONE_LINE(free_pages((void *)VMALLOC_START, 0),
			"no page of the direct map");
	EXPECT_ONE_LINE(free_pages(p + PAGE_SIZE, 0), "inside the block");
	EXPECT_EQ(nr_free_pages(), free);
	free_pages(p, 2);
	EXPECT_EQ(nr_free_pages(), free + 4);
	free_pages(NULL, 0);
	EXPECT_EQ(nr_free_pages(), free + 4);
}

TEST(page_alloc, zeroed_when_asked)
{
	char *p = __get_free_pages(GFP_KERNEL, 1);

	REQUIRE_NOT_NULL(p);
	memset(p, 0xee, 2 * PAGE_SIZE);
	free_pages(p, 1);
	p = __get_free_pages(GFP_KERNEL | __GFP_ZERO, 1);
	REQUIRE_NOT_NULL(p);
	EXPECT(all_bytes(p, 0, 2 * PAGE_SIZE));
	memset(p, 0xee, 2 * PAGE_SIZE);
	free_pages(p, 1);
	p = get_zeroed_page(GFP_KERNEL);
	REQUIRE_NOT_NULL(p);
	EXPECT(all_bytes(p, 0, PAGE_SIZE));
	free_pages(p, 0);
}

TEST(page_alloc, zones_that_the_caller_permits)
{
	struct page *dma = alloc_page(QUIET | __GFP_DMA);
	struct page *dma32 = alloc_page(QUIET | __GFP_DMA32);
	struct page *both = alloc_page(QUIET | __GFP_DMA | __GFP_DMA32);

	if (dma)
		EXPECT_LT(page_to_pa(dma), 16UL << 20);
	if (both)
		EXPECT_LT(page_to_pa(both), 16UL << 20);
	if (dma32)
		EXPECT_LT(page_to_pa(dma32), 4UL << 30);
	EXPECT_EQ(!dma, !both);
	EXPECT_NOT_NULL(dma32);
	__free_pages(dma, 0);
	__free_pages(dma32, 0);
	__free_pages(both, 0);
	EXPECT(buddy_verify());
}

TEST(page_alloc, order_too_high)
{
	unsigned long free = nr_free_pages();

	EXPECT_ONE_LINE(EXPECT_NULL(alloc_pages(GFP_KERNEL, MAX_ORDER + 1)),
			"order 11 is above the highest, 10");
	EXPECT_ONE_LINE(EXPECT_NULL(alloc_pages(QUIET, ~0U)), "order 42949");
	EXPECT_ONE_LINE(EXPECT_NULL(__get_free_pages(GFP_ATOMIC, 64)),
			"order 64");
	EXPECT_EQ(nr_free_pages(), free);
}

TEST(page_alloc, last_reference_frees)
{
	unsigned long free = nr_free_pages();
	struct page *page = alloc_pages(GFP_KERNEL, 3);

	REQUIRE_NOT_NULL(page);
	get_page(page);
	get_page(page);
	__free_pages(page, 3);
	EXPECT_EQ(page_ref_count(page), 2);
	put_page(page);
	EXPECT_EQ(page_ref_count(page), 1);
	EXPECT_EQ(nr_free_pages(), free - 8);
	put_page(page);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT_ONE_LINE(put_page(page), "cannot free pfn");
	EXPECT_ONE_LINE(put_page(NULL), "no such page");
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}

TEST(page_alloc, compound_pages_lead_to_their_head)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, 3);
	unsigned long free = nr_free_pages();

	REQUIRE_NOT_NULL(page);
	for (unsigned int i = 0; i < 8; i++)
		EXPECT_EQ(compound_head(page + i), page);
	EXPECT_ONE_LINE(__free_pages(page + 1, 0), "tail");
	EXPECT_ONE_LINE(__free_pages(page + 4, 3), "tail");
	EXPECT_ONE_LINE(__free_pages(page, 0), "used, order 3");
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
	put_page(page + 7);
	EXPECT_EQ(nr_free_pages(), free + 8);
	for (unsigned int i = 1; i < 8; i++)
		EXPECT_NE(page[i].type, PAGE_TAIL);
	page = alloc_page(GFP_KERNEL | __GFP_COMP);
	REQUIRE_NOT_NULL(page);
	EXPECT_EQ(compound_head(page), page);
	__free_page(page);
	EXPECT(buddy_verify());
}

TEST(page_alloc, freed_twice_or_wrong)
{
	struct page *page = alloc_pages(GFP_KERNEL, 1);
	unsigned long free = nr_free_pages();

	REQUIRE_NOT_NULL(page);
	EXPECT_ONE_LINE(__free_pages(page, 0), "order 0: it is used, order 1");
	EXPECT_ONE_LINE(__free_pages(page, 11), "order 11");
	EXPECT_ONE_LINE(__free_pages(page + 1, 0), "inside the block");
	EXPECT_ONE_LINE(__free_pages((void *)((char *)page + 4), 1),
			"no such page");
	EXPECT_ONE_LINE(__free_pages((void *)8, 1), "no such page");
	EXPECT_ONE_LINE(__free_pages(pfn_to_page(0), 0), "cannot free pfn 0");
	EXPECT_EQ(nr_free_pages(), free);
	__free_pages(page, 1);
	EXPECT_ONE_LINE(__free_pages(page, 1), "cannot free pfn");
	EXPECT_EQ(nr_free_pages(), free + 2);
	EXPECT(buddy_verify());
}

TEST(page_alloc, each_allocation_can_be_made_to_fail)
{
	unsigned long free = nr_free_pages();

	for (unsigned long nth = 1; nth <= 3; nth++) {
		struct page *page[3];

		fault_inject_arm(&fail_page_alloc, nth);
		for (unsigned int i = 0; i < 3; i++)
			page[i] = alloc_pages(QUIET, i);
		fault_inject_disarm(&fail_page_alloc);
		EXPECT_EQ(fail_page_alloc.failed, 1);
		for (unsigned int i = 0; i < 3; i++) {
			EXPECT_EQ(!page[i], i + 1 == nth);
			__free_pages(page[i], i);
		}
	}
	fault_inject_arm(&fail_page_alloc, 1);
	EXPECT_ONE_LINE(EXPECT_NULL(alloc_pages(GFP_KERNEL, 2)),
			"out of memory: order 2");
	fault_inject_disarm(&fail_page_alloc);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}

/* --- running out ---------------------------------------------------------- */

/* Place of the zone of @page in the list of this CPU's node. */
static unsigned int rank_of(const struct page *page)
{
	struct zone *const *zone =
		zonelist_zones(node_zonelist(cpu_to_node(cpu_id())), 0);
	unsigned int i = 0;

	while (zone[i] && zone[i]->id != page->zone)
		i++;
	return i;
}

/* Take all memory, the largest blocks first, onto @taken. Return: whether the
 * zones came in the order in which they should, for each order of blocks. */
static bool take_all_memory(struct list_head *taken)
{
	bool in_order = true;

	for (unsigned int o = NR_ORDERS; o-- > 0;) {
		unsigned int rank = 0;
		struct page *page;

		while ((page = alloc_pages(QUIET, o))) {
			in_order = in_order && rank_of(page) >= rank;
			rank = rank_of(page);
			list_add(&page->list, taken);
		}
	}
	return in_order;
}

static void give_back(struct list_head *taken)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, taken, list)
		__free_pages(page, page->order);
}

TEST(page_alloc, out_of_memory)
{
	unsigned long free = nr_free_pages();
	struct page *slots[3] = {NULL}, *page;
	struct quiet quiet;
	bool in_order;
	LIST_HEAD(taken);

	in_order = take_all_memory(&taken);
	quiet_begin(&quiet);
	EXPECT_NULL(alloc_page(GFP_KERNEL));
	EXPECT_NULL(alloc_page(QUIET));
	EXPECT_NULL(alloc_page(QUIET | __GFP_DMA));
	EXPECT_EQ(alloc_pages_bulk(QUIET, 3, slots), 0);
	EXPECT_EQ(quiet_end(&quiet), 1);
	EXPECT_EQ(nr_free_pages(), 0);
	EXPECT(buddy_verify());

	/* One page: a bulk call gets it. */
	list_for_each_entry(page, &taken, list)
		if (page->order == 0)
			break;
	if (&page->list != &taken) {
		list_del(&page->list);
		__free_page(page);
		EXPECT_EQ(alloc_pages_bulk(QUIET, 3, slots), 1);
		EXPECT_EQ(slots[0], page);
		EXPECT_NULL(slots[1]);
		free_pages_bulk(slots, 3);
		EXPECT_EQ(nr_free_pages(), 1);
	}
	give_back(&taken);
	EXPECT(in_order);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT_CONTAINS(quiet.text, "out of memory: order 0");
	EXPECT_CONTAINS(quiet.text, " 0 of ");
	EXPECT(buddy_verify());
}

static unsigned long dma_pages(void)
{
	unsigned long sum = 0;

	for (unsigned int nid = 0; nid < nr_nodes(); nid++) {
		const struct zone *zone = node_zone(nid, ZONE_DMA);

		sum += zone->free_pages + pcp_pages(zone->id);
	}
	return sum;
}

TEST(page_alloc, limited_zones_run_out_alone)
{
	unsigned long dma = dma_pages();
	LIST_HEAD(taken);
	struct page *page;
	unsigned long n = 0;

	if (nr_free_pages() == dma)
		SKIP("needs free pages above 16 MiB");
	while ((page = alloc_page(QUIET | __GFP_DMA))) {
		n++;
		list_add(&page->list, &taken);
	}
	EXPECT_EQ(n, dma);
	EXPECT_EQ(dma_pages(), 0);
	page = alloc_page(QUIET);
	EXPECT_NOT_NULL(page);
	__free_pages(page, 0);
	give_back(&taken);
	EXPECT_EQ(dma_pages(), dma);
	EXPECT(buddy_verify());
}

/* --- bulk ----------------------------------------------------------------- */

#define BULK 100

TEST(page_alloc, bulk_skips_filled_slots)
{
	unsigned long free = nr_free_pages();
	struct page *array[BULK] = {NULL}, *mine = alloc_page(GFP_KERNEL);

	REQUIRE_NOT_NULL(mine);
	array[0] = mine;
	get_page(mine);
	array[7] = mine;
	get_page(mine);
	array[BULK - 1] = mine;
	EXPECT_EQ(alloc_pages_bulk(GFP_KERNEL, BULK, array), BULK);
	EXPECT_EQ(array[0], mine);
	EXPECT_EQ(array[7], mine);
	EXPECT_EQ(array[BULK - 1], mine);
	EXPECT_EQ(nr_free_pages(), free - 1 - (BULK - 3));
	for (unsigned int i = 0; i < BULK; i++) {
		EXPECT_EQ(page_ref_count(array[i]), array[i] == mine ? 3 : 1);
		for (unsigned int j = 0; j < i; j++)
			EXPECT(array[i] != array[j] || array[i] == mine);
	}
	/* Full: nothing changes. */
	EXPECT_EQ(alloc_pages_bulk(GFP_KERNEL, BULK, array), BULK);
	EXPECT_EQ(nr_free_pages(), free - 1 - (BULK - 3));
	EXPECT(buddy_verify());
	free_pages_bulk(array, BULK);
	for (unsigned int i = 0; i < BULK; i++)
		EXPECT_NULL(array[i]);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}

TEST(page_alloc, bulk_touches_nothing_beyond_the_array)
{
	struct page *const wild = (struct page *)0xdeadbeefdeadbeef;
	struct page *array[12];

	for (unsigned int i = 0; i < ARRAY_SIZE(array); i++)
		array[i] = i < 8 ? NULL : wild;
	EXPECT_EQ(alloc_pages_bulk(GFP_KERNEL, 0, array), 0);
	EXPECT_NULL(array[0]);
	EXPECT_EQ(alloc_pages_bulk(GFP_KERNEL, 0, NULL), 0);
	EXPECT_EQ(alloc_pages_bulk(GFP_KERNEL, 8, array), 8);
	EXPECT_EQ(alloc_pages_bulk(GFP_KERNEL, 8, array), 8);
	for (unsigned int i = 8; i < ARRAY_SIZE(array); i++)
		EXPECT_EQ(array[i], wild);
	free_pages_bulk(array, 8);
	for (unsigned int i = 8; i < ARRAY_SIZE(array); i++)
		EXPECT_EQ(array[i], wild);
	free_pages_bulk(array, 0);
	free_pages_bulk(NULL, 0);
}

TEST(page_alloc, bulk_that_fails_half_way)
{
	unsigned long free = nr_free_pages();
	struct page *mine = alloc_page(GFP_KERNEL);

	REQUIRE_NOT_NULL(mine);
	for (unsigned long nth = 1; nth <= 9; nth++) {
		struct page *array[10] = {NULL};
		size_t n;

		array[2] = mine;
		array[5] = mine;
		fault_inject_arm(&fail_page_alloc, nth);
		n = alloc_pages_bulk(QUIET, 10, array);
		fault_inject_disarm(&fail_page_alloc);
		for (size_t i = 0; i < n; i++)
			EXPECT_NOT_NULL(array[i]);
		for (size_t i = n; i < 10; i++)
			EXPECT_EQ(array[i], i == 2 || i == 5 ? mine : NULL);
		EXPECT_EQ(nr_free_pages(), free - 1 - min(nth - 1, 8UL));
		array[2] = NULL;
		array[5] = NULL;
		free_pages_bulk(array, 10);
		EXPECT_EQ(nr_free_pages(), free - 1);
	}
	__free_page(mine);
	EXPECT(buddy_verify());
}

TEST(page_alloc, bulk_zeroes_when_asked)
{
	struct page *array[20] = {NULL};

	EXPECT_EQ(alloc_pages_bulk(GFP_KERNEL, 20, array), 20);
	for (unsigned int i = 0; i < 20; i++)
		memset(page_address(array[i]), 0x77, PAGE_SIZE);
	free_pages_bulk(array, 20);
	EXPECT_EQ(alloc_pages_bulk(GFP_KERNEL | __GFP_ZERO, 20, array), 20);
	for (unsigned int i = 0; i < 20; i++)
		EXPECT(all_bytes(page_address(array[i]), 0, PAGE_SIZE));
	free_pages_bulk(array, 20);
}

TEST(page_alloc, bulk_bad_arrays)
{
	unsigned long free = nr_free_pages();
	struct page *array[4] = {NULL};

	EXPECT_ONE_LINE(EXPECT_EQ(alloc_pages_bulk(QUIET, 4, NULL), 0),
			"array of 4 slots is NULL");
	array[2] = (struct page *)0x1234;
#ifdef QUIRE_DEBUG
	EXPECT_ONE_LINE(EXPECT_EQ(alloc_pages_bulk(QUIET, 4, array), 0),
			"slot 2 of 4 holds");
	EXPECT_NULL(array[0]);
	EXPECT_EQ(nr_free_pages(), free);
#endif
	EXPECT_ONE_LINE(free_pages_bulk(array, 4), "no such page");
	EXPECT_NULL(array[2]);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}

TEST(page_alloc, bulk_free_of_what_is_no_single_page)
{
	struct page *block = alloc_pages(GFP_KERNEL, 2);
	struct page *array[6] = {NULL};
	unsigned long free;

	REQUIRE_NOT_NULL(block);
	EXPECT_EQ(alloc_pages_bulk(GFP_KERNEL, 3, array), 3);
	free = nr_free_pages();
	array[3] = block;
	array[5] = array[0]; /* twice */
	EXPECT_ONE_LINE(free_pages_bulk(array, 5), "used, order 2");
	EXPECT_EQ(nr_free_pages(), free + 3);
	EXPECT_ONE_LINE(free_pages_bulk(array, 6), "cannot free pfn");
	EXPECT_EQ(nr_free_pages(), free + 3);
	EXPECT_EQ(page_ref_count(block), 1);
	__free_pages(block, 2);
	EXPECT(buddy_verify());
}

/* --- random --------------------------------------------------------------- */

#define SLOTS 400

struct slot {
	struct page *page;
	unsigned int order;
	uint8_t value;
};

/* Mark the first and last byte of each page of the block. */
static void mark(const struct slot *s)
{
	for (size_t i = 0; i < 1UL << s->order; i++) {
		uint8_t *p = page_address(s->page + i);

		p[0] = s->value;
		p[PAGE_SIZE - 1] = s->value;
	}
}

static bool marked(const struct slot *s)
{
	for (size_t i = 0; i < 1UL << s->order; i++) {
		const uint8_t *p = page_address(s->page + i);

		if (p[0] != s->value || p[PAGE_SIZE - 1] != s->value)
			return false;
	}
	return true;
}

static void free_slot(struct slot *s)
{
	if (!s->page)
		return;
	EXPECT(marked(s));
	__free_pages(s->page, s->order);
	s->page = NULL;
}

TEST(page_alloc, random_blocks_keep_their_content)
{
	static struct slot slots[SLOTS];
	unsigned long free = nr_free_pages(), held = 0;
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (unsigned int i = 0; i < 4000; i++) {
		struct slot *s = &slots[rng_below(&rng, SLOTS)];

		if (s->page) {
			held -= 1UL << s->order;
			free_slot(s);
		} else {
			s->order = rng_below(&rng, 5);
			s->value = rng_u64(&rng);
			s->page = alloc_pages(QUIET, s->order);
			if (s->page) {
				mark(s);
				held += 1UL << s->order;
			}
		}
		REQUIRE_EQ(nr_free_pages(), free - held);
		if (i % 200 == 0)
			REQUIRE(buddy_verify());
	}
	for (unsigned int i = 0; i < SLOTS; i++)
		free_slot(&slots[i]);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}
