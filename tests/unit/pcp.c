/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Per-CPU lists of pages. */
#include <lib/random.h>
#include <lib/test.h>
#include <mm/mm.h>
#include <mm/page_alloc.h>
#include <mm/pcp.h>
#include <tests/unit/one_line.h>

#define QUIET (GFP_KERNEL | __GFP_NOWARN)
#define MANY  (4 * PCP_BATCH_PAGES)

/* The zone that an unrestricted request is served from first. */
static struct zone *best_zone(void)
{
	return *zonelist_zones(node_zonelist(cpu_to_node(cpu_id())), 0);
}

static struct page *held[MANY];

static bool alloc_many(unsigned int order)
{
	for (unsigned int i = 0; i < MANY; i++) {
		held[i] = alloc_pages(QUIET, order);
		if (held[i])
			continue;
		while (i--)
			__free_pages(held[i], order);
		return false;
	}
	return true;
}

static void setup(void)
{
	drain_all_pages();
	REQUIRE_NOT_NULL(best_zone());
}

TEST_SUITE(pcp, .setup = setup, .min_pages = 2 * MANY << PCP_ORDERS,
	   .why = "many blocks of each order");

TEST(pcp, freed_last_is_allocated_first)
{
	for (unsigned int order = 0; order < PCP_ORDERS; order++) {
		struct page *a = alloc_pages(QUIET, order);
		struct page *b = alloc_pages(QUIET, order);

		REQUIRE(a && b);
		__free_pages(a, order);
		__free_pages(b, order);
		EXPECT_EQ(alloc_pages(QUIET, order), b);
		EXPECT_EQ(alloc_pages(QUIET, order), a);
		__free_pages(a, order);
		__free_pages(b, order);
	}
	EXPECT(pcp_verify());
}

TEST(pcp, kept_pages_are_free_pages)
{
	unsigned long free = nr_free_pages();
	unsigned long kept = pcp_pages(best_zone()->id);
	struct page *page = alloc_page(QUIET);

	REQUIRE_NOT_NULL(page);
	EXPECT_EQ(nr_free_pages(), free - 1);
	__free_page(page);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT_GE(pcp_pages(best_zone()->id), kept);
	EXPECT_GT(pcp_pages(best_zone()->id), 0);
}

TEST(pcp, no_more_than_two_batches_are_kept)
{
	for (unsigned int order = 0; order < PCP_ORDERS; order++) {
		unsigned long free = nr_free_pages();

		drain_all_pages();
		if (!alloc_many(order))
			SKIP("needs %lu pages", (unsigned long)MANY << order);
		EXPECT_EQ(nr_free_pages(), free - (MANY << order));
		for (unsigned int i = 0; i < MANY; i++) {
			__free_pages(held[i], order);
			EXPECT_LE(pcp_pages(best_zone()->id),
				  2 * PCP_BATCH_PAGES);
		}
		EXPECT_EQ(nr_free_pages(), free);
		EXPECT(pcp_verify());
		EXPECT(buddy_verify());
	}
}

TEST(pcp, zone_is_asked_once_a_batch)
{
	struct zone *zone = best_zone();
	unsigned long before;

	drain_all_pages();
	before = zone->free_pages;
	REQUIRE(alloc_many(0));
	EXPECT_EQ(zone->free_pages, before - MANY);
	/* Around any level: what was taken last is given back, and so on. */
	__free_page(held[0]);
	__free_page(held[1]);
	before = zone->free_pages;
	for (unsigned int i = 0; i < 1000; i++) {
		struct page *page = alloc_page(QUIET);

		REQUIRE_NOT_NULL(page);
		__free_page(page);
	}
	EXPECT_EQ(zone->free_pages, before);
	for (unsigned int i = 2; i < MANY; i++)
		__free_page(held[i]);
}

TEST(pcp, drain_gives_all_back)
{
	struct zone *zone = best_zone();
	unsigned long before;

	drain_all_pages();
	before = zone->free_pages;
	for (unsigned int order = 0; order < PCP_ORDERS; order++) {
		struct page *page = alloc_pages(QUIET, order);

		REQUIRE_NOT_NULL(page);
		__free_pages(page, order);
	}
	EXPECT_EQ(pcp_pages(zone->id), PCP_ORDERS * PCP_BATCH_PAGES);
	EXPECT_EQ(zone->free_pages, before - PCP_ORDERS * PCP_BATCH_PAGES);
	EXPECT_EQ(pcp_drain_local(), PCP_ORDERS * PCP_BATCH_PAGES);
	EXPECT_EQ(pcp_pages(zone->id), 0);
	EXPECT_EQ(zone->free_pages, before);
	EXPECT_EQ(pcp_drain_local(), 0);
	EXPECT(buddy_verify());
}

TEST(pcp, freed_twice_is_refused_wherever_it_is)
{
	struct page *page = alloc_pages(QUIET, 2);
	unsigned long free;

	REQUIRE_NOT_NULL(page);
	EXPECT_ONE_LINE(__free_pages(page, 1), "used, order 2");
	__free_pages(page, 2);
	free = nr_free_pages();
	EXPECT_ONE_LINE(__free_pages(page, 2), "kept by a CPU");
	EXPECT_ONE_LINE(__free_pages(page, 0), "kept by a CPU");
	EXPECT_ONE_LINE(put_page(page), "kept by a CPU");
	EXPECT_ONE_LINE(free_pages_bulk(&page, 1), "kept by a CPU");
	EXPECT_NULL(page);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(pcp_verify());
	drain_all_pages();
	EXPECT(buddy_verify());
}

TEST(pcp, shared_pages_are_not_kept)
{
	struct page *page = alloc_page(QUIET);
	unsigned long free;

	REQUIRE_NOT_NULL(page);
	free = nr_free_pages();
	get_page(page);
	__free_page(page);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT_EQ(page->type, PAGE_USED);
	__free_page(page);
	EXPECT_EQ(nr_free_pages(), free + 1);
}

/* All memory allocated as single pages, but what this CPU keeps of order 3. */
TEST(pcp, kept_blocks_serve_other_orders_when_memory_runs_out)
{
	struct page *block = alloc_pages(QUIET, 3), *page;
	unsigned long n = 0;
	LIST_HEAD(taken);

	REQUIRE_NOT_NULL(block);
	while ((page = alloc_page(GFP_ATOMIC | __GFP_NOWARN))) {
		list_add(&page->list, &taken);
		n++;
	}
	__free_pages(block, 3);
	EXPECT_EQ(block->type, PAGE_KEPT);
	for (unsigned int i = 0; i < 8; i++) {
		page = alloc_page(GFP_ATOMIC | __GFP_NOWARN);
		EXPECT_NOT_NULL(page);
		if (page)
			list_add(&page->list, &taken);
	}
	EXPECT_NULL(alloc_page(GFP_ATOMIC | __GFP_NOWARN));
	while (!list_empty(&taken)) {
		page = list_first_entry(&taken, struct page, list);
		list_del(&page->list);
		__free_page(page);
	}
	EXPECT_GT(n, 0);
}

TEST(pcp, broken_lists_are_seen)
{
	struct page *page = alloc_page(QUIET);
	uint64_t head;

	REQUIRE_NOT_NULL(page);
	__free_page(page);
	head = page->head;
	page->head = page_head(PAGE_USED, 0, page->zone, 1);
	EXPECT_ONE_LINE(EXPECT(!pcp_verify()), "K1, K2: CPU");
	page->head = head;
	EXPECT(pcp_verify());
	this_cpu_ptr(&pcp)->choice[0]->nr++;
	EXPECT_ONE_LINE(EXPECT(!pcp_verify()), "K1, K2: CPU");
	this_cpu_ptr(&pcp)->choice[0]->nr--;
	EXPECT(pcp_verify());
}

/* --- several CPUs ----------------------------------------------------------
 */

/* Pages that are free, or would be if nothing were kept for the next time:
 * threads that run a test bring stacks, descriptors, page tables. */
static uint64_t pages_at_rest(void)
{
	const char *names[8];
	uint64_t values[8];

	mm_snapshot(values, names, ARRAY_SIZE(values));
	return values[0];
}

static struct page *shared;
static _Atomic unsigned int waiting;

static void free_shared(void *unused)
{
	unsigned int n = cpumask_weight(cpu_online_mask());

	atomic_fetch_add(&waiting, 1);
	while (atomic_load(&waiting) < n)
		cpu_relax();
	__free_page(shared);
}

TEST(pcp, one_of_many_frees_at_once_counts)
{
	unsigned int n = cpumask_weight(cpu_online_mask());
	unsigned long lines;
	uint64_t free;
	char text[4096];
	struct printk_capture quiet = PRINTK_CAPTURE(text);
	struct printk_capture *before;

	free = pages_at_rest();
	shared = alloc_page(QUIET);
	REQUIRE_NOT_NULL(shared);
	atomic_store(&waiting, 0);
	before = printk_set_capture(&quiet);
	lines = printk_lines();
	test_run_on_cpus(cpu_online_mask(), free_shared, NULL);
	lines = printk_lines() - lines;
	printk_set_capture(before);
	EXPECT_EQ(lines, n - 1);
	EXPECT(pcp_verify());
	EXPECT_EQ(pages_at_rest(), free);
	EXPECT(buddy_verify());
}

static _Atomic(struct page *) mailbox[MAX_CPUS];

/* Allocate, and free what the CPU before this one allocated. */
static void pass_on(void *unused)
{
	unsigned int n = cpumask_weight(cpu_online_mask()), cpu = cpu_id();
	struct rng rng;

	rng_seed(&rng, test_seed() + cpu);
	for (unsigned int i = 0; i < 2000; i++) {
		unsigned int order = rng_below(&rng, PCP_ORDERS + 2);
		struct page *page = alloc_pages(QUIET, order), *old;

		if (page)
			*(uint64_t *)page_address(page) = page_to_pfn(page);
		old = atomic_exchange(&mailbox[(cpu + 1) % n], page);
		if (!old)
			continue;
		EXPECT_EQ(*(uint64_t *)page_address(old), page_to_pfn(old));
		__free_pages(old, old->order);
	}
}

TEST(pcp, blocks_wander_between_cpus)
{
	uint64_t free = pages_at_rest();

	test_run_on_cpus(cpu_online_mask(), pass_on, NULL);
	for (unsigned int i = 0; i < MAX_CPUS; i++) {
		struct page *page = atomic_exchange(&mailbox[i], NULL);

		if (page)
			__free_pages(page, page->order);
	}
	EXPECT(pcp_verify());
	EXPECT_EQ(pages_at_rest(), free);
	for (unsigned int nid = 0; nid < nr_nodes(); nid++)
		for (unsigned int type = 0; type < NR_ZONES; type++)
			EXPECT_EQ(pcp_pages(nid * NR_ZONES + type), 0);
	EXPECT(buddy_verify());
}
