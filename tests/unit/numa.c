/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's nodes: does the memory that the allocators hand out lie where
 * the firmware says that it does? Machines with one node pass too.
 */
#include <arch/cpumask.h>
#include <lib/math.h>
#include <lib/test.h>
#include <mm/page_alloc.h>
#include <mm/pgtable.h>
#include <mm/vmalloc.h>
#include <tests/unit/one_line.h>

#define QUIET (GFP_KERNEL | __GFP_NOWARN)

/* Node of the physical address, read off the firmware's ranges anew. */
static unsigned int told_node(pa_t pa)
{
	for (unsigned int i = 0; i < node_map.nr_ranges; i++) {
		const struct node_range *r = &node_map.range[i];

		if (pa >= r->start_pfn << PAGE_SHIFT &&
		    pa < r->end_pfn << PAGE_SHIFT)
			return r->nid;
	}
	return 0;
}

static unsigned long pages_of(unsigned int nid)
{
	unsigned long sum = 0;

	for (unsigned int type = 0; type < NR_ZONES; type++)
		sum += node_zone(nid, type)->managed_pages;
	return sum;
}

static unsigned long free_pages_of(unsigned int nid)
{
	unsigned long sum = 0;

	for (unsigned int type = 0; type < NR_ZONES; type++)
		sum += node_zone(nid, type)->free_pages;
	return sum;
}

/* The node that @nid turns to when it has nothing left; itself: none. */
static unsigned int next_best(unsigned int nid)
{
	uint8_t order[MAX_NODES];
	unsigned int n = node_neighbours(&node_map, nid, order);

	for (unsigned int i = 0; i < n; i++)
		if (free_pages_of(order[i]))
			return order[i];
	return nid;
}

/* What memblock left free, counted page by page. */
TEST(numa, each_node_has_the_memory_that_it_should)
{
	unsigned long expected[MAX_NODES] = {0};
	pa_t start, end;

	for_each_memblock_free(&memblock, start, end)
		for (pa_t pa = PAGE_ALIGN(start); pa + PAGE_SIZE <= end;
		     pa += PAGE_SIZE)
			expected[told_node(pa)]++;
	for (unsigned int nid = 0; nid < nr_nodes(); nid++)
		EXPECT_EQ(pages_of(nid), expected[nid]);
	EXPECT(buddy_verify());
}

TEST(numa, pages_of_a_node_lie_in_it)
{
	for (unsigned int nid = 0; nid < nr_nodes(); nid++) {
		struct page *page =
			alloc_pages_node((int)nid, QUIET | __GFP_THISNODE, 2);

		EXPECT_EQ(!page, !pages_of(nid));
		if (!page)
			continue;
		for (unsigned int i = 0; i < 4; i++) {
			EXPECT_EQ(told_node(page_to_pa(page + i)), nid);
			EXPECT_EQ(page_to_nid(page + i), nid);
		}
		__free_pages(page, 2);
	}
}

TEST(numa, descriptors_lie_in_their_node)
{
	for (unsigned int i = 0; i < node_map.nr_ranges; i++) {
		const struct node_range *r = &node_map.range[i];
		pa_t pa;

		if (r->end_pfn << PAGE_SHIFT > EARLY_DIRECT_MAP_END ||
		    !pfn_valid(r->start_pfn) || pages_of(r->nid) < 4096)
			continue;
		pa = pgtable_translate(arch_root_table(),
				       (va_t)pfn_to_page(r->start_pfn));
		EXPECT_EQ(told_node(pa), r->nid);
	}
}

TEST(numa, a_node_without_memory_is_served_by_the_next)
{
	for (unsigned int nid = 0; nid < nr_nodes(); nid++) {
		unsigned int next = next_best(nid);
		struct page *page, *slots[3] = {NULL};

		if (pages_of(nid))
			continue;
		EXPECT_ONE_LINE(
			EXPECT_NULL(alloc_pages_node(
				(int)nid, GFP_KERNEL | __GFP_THISNODE, 0)),
			"out of memory: order 0");
		page = alloc_pages_node((int)nid, QUIET, 0);
		REQUIRE_NOT_NULL(page);
		EXPECT_EQ(page_to_nid(page), next);
		__free_page(page);
		EXPECT_EQ(alloc_pages_bulk_array_node(QUIET | __GFP_THISNODE,
						      (int)nid, 3, slots),
			  0);
		EXPECT_NULL(slots[0]);
	}
}

/* --- nodes that run out --------------------------------------------------- */

/* Put all that @nid has onto @taken, the largest blocks first. */
static void exhaust(unsigned int nid, struct list_head *taken)
{
	struct page *page;

	for (unsigned int o = NR_ORDERS; o-- > 0;)
		while ((page = alloc_pages_node((int)nid,
						QUIET | __GFP_THISNODE, o)))
			list_add(&page->list, taken);
}

static void give_back(struct list_head *taken)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, taken, list)
		__free_pages(page, page->order);
}

TEST(numa, an_exhausted_node_falls_back_to_the_nearest)
{
	for (unsigned int nid = 0; nid < nr_nodes(); nid++) {
		unsigned int next = next_best(nid);
		struct page *page, *bulk[4] = {NULL};
		LIST_HEAD(taken);

		exhaust(nid, &taken);
		EXPECT_EQ(free_pages_of(nid), 0);
		page = alloc_pages_node((int)nid, QUIET, 0);
		if (next == nid)
			EXPECT_NULL(page);
		else
			REQUIRE_NOT_NULL(page);
		if (page)
			EXPECT_EQ(page_to_nid(page), next);
		EXPECT_EQ(alloc_pages_bulk_array_node(QUIET, (int)nid, 4, bulk),
			  next == nid ? 0 : 4);
		for (unsigned int i = 0; i < 4 && bulk[i]; i++)
			EXPECT_EQ(page_to_nid(bulk[i]), next);
		free_pages_bulk(bulk, 4);
		__free_pages(page, 0);
		give_back(&taken);
		EXPECT(buddy_verify());
	}
}

/* Nobody nearer has free memory: by the distances alone. */
TEST(numa, the_next_best_is_the_nearest)
{
	for (unsigned int nid = 0; nid < nr_nodes(); nid++) {
		unsigned int next = next_best(nid);

		if (next == nid)
			continue;
		for (unsigned int k = 0; k < nr_nodes(); k++)
			EXPECT(k == nid || !free_pages_of(k) ||
			       node_distance(nid, k) >=
				       node_distance(nid, next));
	}
}

/* --- who asks ------------------------------------------------------------- */

/* This CPU's own node serves it, if that has memory. */
static void alloc_here(void *arg)
{
	unsigned int nid = cpu_to_node(cpu_id());
	unsigned int expected = pages_of(nid) ? nid : next_best(nid);
	struct page *page = alloc_page(QUIET), *bulk[8] = {NULL};

	REQUIRE_NOT_NULL(page);
	EXPECT_EQ(page_to_nid(page), expected);
	__free_page(page);
	page = alloc_pages_node(NUMA_NO_NODE, QUIET, 3);
	REQUIRE_NOT_NULL(page);
	EXPECT_EQ(page_to_nid(page), expected);
	__free_pages(page, 3);
	EXPECT_EQ(alloc_pages_bulk(QUIET, 8, bulk), 8);
	for (unsigned int i = 0; i < 8; i++)
		EXPECT_EQ(page_to_nid(bulk[i]), expected);
	free_pages_bulk(bulk, 8);
}

TEST(numa, each_cpu_is_served_by_its_node)
{
	test_run_on_cpus(cpu_online_mask(), alloc_here, NULL);
	EXPECT(buddy_verify());
}

TEST(numa, vmalloc_from_a_node)
{
	for (unsigned int nid = 0; nid < nr_nodes(); nid++) {
		unsigned int expected = pages_of(nid) ? nid : next_best(nid);
		char *p = vmalloc_node(20 * PAGE_SIZE, (int)nid);
		char *z = vzalloc_node(2 * PAGE_SIZE, (int)nid);
		char *only = __vmalloc_node_range(
			PAGE_SIZE, 1, VMALLOC_START, VMALLOC_END,
			QUIET | __GFP_THISNODE, PAGE_KERNEL, 0, (int)nid);

		REQUIRE_NOT_NULL(p);
		REQUIRE_NOT_NULL(z);
		for (unsigned int i = 0; i < 20; i++)
			EXPECT_EQ(
				page_to_nid(vmalloc_to_page(p + i * PAGE_SIZE)),
				expected);
		EXPECT_EQ(page_to_nid(vmalloc_to_page(z)), expected);
		EXPECT_EQ(!only, !pages_of(nid));
		vfree(only);
		vfree(z);
		vfree(p);
	}
}

TEST(numa, nodes_that_are_not_there)
{
	static const int bad[] = {99, MAX_NODES, -2, -2147483647 - 1,
				  2147483647};
	struct page *slots[2] = {NULL};
	unsigned long free = nr_free_pages();

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_ONE_LINE(EXPECT_NULL(alloc_pages_node(bad[i], QUIET, 0)),
				"page_alloc: node ");
		EXPECT_ONE_LINE(EXPECT_EQ(alloc_pages_bulk_array_node(
						  QUIET, bad[i], 2, slots),
					  0),
				"page_alloc: node ");
		EXPECT_ONE_LINE(EXPECT_NULL(vmalloc_node(5, bad[i])),
				"vmalloc: 5 bytes: node ");
		EXPECT_ONE_LINE(EXPECT_NULL(vzalloc_node(5, bad[i])),
				"vmalloc: 5 bytes: node ");
	}
	EXPECT_ONE_LINE(EXPECT_NULL(alloc_pages_node(99, GFP_KERNEL, 1)),
			"node 99: there are ");
	EXPECT_ONE_LINE(
		EXPECT_NULL(alloc_pages_node((int)nr_nodes(), QUIET, 1)),
		"there are ");
	EXPECT_NULL(slots[0]);
	EXPECT_EQ(nr_free_pages(), free);
}
