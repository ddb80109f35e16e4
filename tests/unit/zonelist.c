/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The zones of several nodes: private sets of zones, over an arena of pages or,
 * where only the lists matter, over none.
 */
#include <lib/limits.h>
#include <lib/math.h>
#include <lib/string.h>
#include <lib/test.h>
#include <mm/zonelist.h>
#include <tests/unit/arena.h>

static const uint8_t two[] = {10, 20, 20, 10};

static struct zone_set set;
static struct node_map map;

/*
 * A map of @nr nodes, @distances (a matrix, row by row) from each other. One
 * more, REST, out of reach, is where all memory outside of the arena belongs.
 */
static void make_nodes(unsigned int nr, const uint8_t *distances)
{
	node_map_single(&map);
	map.nr = nr + 1;
	memset(map.distance, ACPI_UNREACHABLE, sizeof(map.distance));
	for (unsigned int nid = 0; nid < map.nr; nid++) {
		map.domain[nid] = nid;
		map.distance[nid][nid] = ACPI_LOCAL_DISTANCE;
		if (nid < nr)
			memcpy(map.distance[nid], distances + nid * nr, nr);
	}
}

#define REST (map.nr - 1)

static void add_range(unsigned long start, unsigned long end, unsigned int nid)
{
	map.range[map.nr_ranges++] = (struct node_range){start, end, nid};
}

/* The arena's blocks [0, @nr) are the nodes' of @owner[]. */
static void own_blocks(const uint8_t *owner, size_t nr)
{
	add_range(0, arena, REST);
	for (size_t i = 0; i < nr; i++)
		add_range(arena + i * MAX_BLOCK_PAGES,
			  arena + (i + 1) * MAX_BLOCK_PAGES, owner[i]);
	add_range(arena + arena_size, ULONG_MAX, REST);
}

/* Make the set of the map, with all of the arena in it. */
static void fill_set(void)
{
	zone_set_init(&set, &map, page_present_bits << MAX_ORDER);
	zone_set_add(&set, &map, arena, arena + arena_size);
	zone_set_link(&set, &map);
}

static unsigned long free_in(unsigned int nid)
{
	unsigned long sum = 0;

	for (unsigned int type = 0; type < NR_ZONES; type++)
		sum += set.zone[nid * NR_ZONES + type].free_pages;
	return sum;
}

static bool set_verify(void)
{
	for (unsigned int id = 0; id < REST * NR_ZONES; id++)
		if (!zone_verify(&set.zone[id]))
			return false;
	return true;
}

static struct page *alloc(unsigned int nid, gfp_t gfp, unsigned int order)
{
	return zones_alloc(zonelist_zones(&set.list[nid], gfp), order);
}

/* Node 1 has no memory; seen from node 0, node 3 is nearer than node 2. */
static bool open_four(void)
{
	static const uint8_t distances[] = {10, 15, 40, 20, 15, 10, 20, 30,
					    40, 20, 10, 20, 20, 30, 20, 10};

	if (!arena_take(3))
		return false;
	make_nodes(4, distances);
	own_blocks((const uint8_t[]){0, 2, 3}, 3);
	fill_set();
	return true;
}

#define REQUIRE_FOUR()                                                         \
	do {                                                                   \
		if (!open_four())                                              \
			SKIP("needs 12 MiB in a row");                         \
	} while (0)

TEST(zonelist, memory_is_in_its_nodes_zone)
{
	REQUIRE_FOUR();
	EXPECT_EQ(set.nr_nodes, 5);
	EXPECT_EQ(set.managed_pages, 3 * MAX_BLOCK_PAGES);
	EXPECT_EQ(free_in(0), MAX_BLOCK_PAGES);
	EXPECT_EQ(free_in(1), 0);
	EXPECT_EQ(free_in(2), MAX_BLOCK_PAGES);
	EXPECT_EQ(free_in(3), MAX_BLOCK_PAGES);
	for (unsigned int id = 0; id < set.nr_zones; id++) {
		const struct zone *z = &set.zone[id];

		EXPECT_EQ(z->id, id);
		EXPECT_EQ(z->nid, id / NR_ZONES);
		EXPECT_EQ(z->type, id % NR_ZONES);
		EXPECT(!z->managed_pages || z->start_pfn < z->end_pfn);
	}
	EXPECT(set_verify());
	arena_give_back();
}

TEST(zonelist, exhausted_nodes_fall_back_by_distance)
{
	static const uint8_t expected[4][3] = {
		{0, 3, 2}, {0, 2, 3}, {2, 3, 0}, {3, 0, 2}};

	REQUIRE_FOUR();
	for (unsigned int nid = 0; nid < 4; nid++) {
		fill_set();
		for (unsigned int i = 0; i < 3 * MAX_BLOCK_PAGES; i++) {
			struct page *page = alloc(nid, 0, 0);

			REQUIRE_NOT_NULL(page);
			REQUIRE_EQ(page->zone / NR_ZONES,
				   expected[nid][i / MAX_BLOCK_PAGES]);
		}
		EXPECT_NULL(alloc(nid, 0, 0));
		EXPECT(set_verify());
		arena_forget();
	}
	arena_give_back();
}

TEST(zonelist, runs_of_singles_fall_back_too)
{
	unsigned long done = 0;
	size_t got;

	REQUIRE_FOUR();
	while (done < 3 * MAX_BLOCK_PAGES) {
		struct page *page = zones_alloc_singles(
			zonelist_zones(&set.list[0], 0), 100, &got);

		REQUIRE_NOT_NULL(page);
		REQUIRE_LE(got, 100);
		EXPECT_EQ(page->zone / NR_ZONES, done < MAX_BLOCK_PAGES ? 0
						 : done < 2 * MAX_BLOCK_PAGES
							 ? 3
							 : 2);
		done += got;
	}
	EXPECT_EQ(done, 3 * MAX_BLOCK_PAGES);
	EXPECT_NULL(
		zones_alloc_singles(zonelist_zones(&set.list[0], 0), 1, &got));
	arena_give_back();
}

TEST(zonelist, this_node_means_no_other)
{
	struct page *page;

	REQUIRE_FOUR();
	EXPECT_NULL(alloc(1, __GFP_THISNODE, 0));
	page = alloc(1, 0, 0);
	REQUIRE_NOT_NULL(page);
	EXPECT_EQ(page->zone / NR_ZONES, 0);
	page = alloc(2, __GFP_THISNODE, MAX_ORDER);
	REQUIRE_NOT_NULL(page);
	EXPECT_EQ(page->zone / NR_ZONES, 2);
	EXPECT_NULL(alloc(2, __GFP_THISNODE, 0));
	EXPECT_NOT_NULL(alloc(2, 0, 0));
	arena_give_back();
}

TEST(zonelist, blocks_never_join_across_nodes)
{
	unsigned long n = 0;

	/* Nodes between each other: zone bounds alone keep nothing apart. */
	if (!arena_take(5))
		SKIP("needs 20 MiB in a row");
	make_nodes(2, two);
	own_blocks((const uint8_t[]){0, 1, 0, 1, 0}, 5);
	fill_set();
	EXPECT_EQ(free_in(0), 3 * MAX_BLOCK_PAGES);
	EXPECT_EQ(free_in(1), 2 * MAX_BLOCK_PAGES);
	while (alloc(1, __GFP_THISNODE, 0))
		n++;
	EXPECT_EQ(n, 2 * MAX_BLOCK_PAGES);
	EXPECT(set_verify());
	for (unsigned int i = 0; i < 5; i++) {
		struct page *page = pfn_to_page(arena + i * MAX_BLOCK_PAGES);

		for (n = 0; i % 2 && n < MAX_BLOCK_PAGES; n++)
			EXPECT(zone_free(&set.zone[page[n].zone], page + n, 0));
	}
	EXPECT_EQ(free_in(0), 3 * MAX_BLOCK_PAGES);
	EXPECT_EQ(free_in(1), 2 * MAX_BLOCK_PAGES);
	EXPECT(set_verify());
	arena_give_back();
}

/* --- lists ---------------------------------------------------------------- */

/* Say that the zone of @type of node @nid has memory. */
static void has_memory(unsigned int nid, enum zone_type type)
{
	set.zone[nid * NR_ZONES + type].managed_pages = 1;
}

/* Does the list of @nid for @gfp consist of the zones with the @nr @ids? */
static bool is_list(unsigned int nid, gfp_t gfp, const uint8_t *ids, size_t nr)
{
	struct zone *const *zone = zonelist_zones(&set.list[nid], gfp);

	for (size_t i = 0; i < nr; i++)
		if (!zone[i] || zone[i]->id != ids[i])
			return false;
	return !zone[nr];
}

#define EXPECT_LIST(nid, gfp, ...)                                             \
	EXPECT(is_list(nid, gfp, (const uint8_t[]){__VA_ARGS__},               \
		       sizeof((const uint8_t[]){__VA_ARGS__})))

#define ID(nid, type) (nid * NR_ZONES + ZONE_##type)

TEST(zonelist, a_list_for_each_choice)
{
	make_nodes(2, two);
	zone_set_init(&set, &map, 0);
	has_memory(0, ZONE_DMA);
	has_memory(0, ZONE_DMA32);
	has_memory(0, ZONE_NORMAL);
	has_memory(1, ZONE_DMA32);
	has_memory(1, ZONE_NORMAL);
	zone_set_link(&set, &map);
	EXPECT_LIST(0, 0, ID(0, NORMAL), ID(0, DMA32), ID(0, DMA),
		    ID(1, NORMAL), ID(1, DMA32));
	EXPECT_LIST(1, 0, ID(1, NORMAL), ID(1, DMA32), ID(0, NORMAL),
		    ID(0, DMA32), ID(0, DMA));
	EXPECT_LIST(1, __GFP_DMA32, ID(1, DMA32), ID(0, DMA32), ID(0, DMA));
	EXPECT_LIST(1, __GFP_DMA, ID(0, DMA));
	EXPECT_LIST(1, __GFP_DMA | __GFP_DMA32, ID(0, DMA));
	EXPECT_LIST(1, __GFP_THISNODE, ID(1, NORMAL), ID(1, DMA32));
	EXPECT_LIST(1, __GFP_THISNODE | __GFP_DMA32, ID(1, DMA32));
	EXPECT(is_list(1, __GFP_THISNODE | __GFP_DMA, NULL, 0));
	/* Other flags do not matter. */
	EXPECT_LIST(1,
		    GFP_KERNEL | __GFP_ZERO | __GFP_COMP | __GFP_NOWARN |
			    __GFP_DMA,
		    ID(0, DMA));
}

TEST(zonelist, what_can_not_be_reached_is_not_tried)
{
	static const uint8_t distances[] = {10,  255, 20,  255, 10,
					    255, 20,  255, 10};

	make_nodes(3, distances);
	zone_set_init(&set, &map, 0);
	for (unsigned int nid = 0; nid < 3; nid++)
		has_memory(nid, ZONE_DMA32);
	zone_set_link(&set, &map);
	EXPECT_LIST(0, 0, ID(0, DMA32), ID(2, DMA32));
	EXPECT_LIST(1, 0, ID(1, DMA32));
}

/* The most that there can be fits: every zone of every node. */
TEST(zonelist, all_zones_of_all_nodes)
{
	node_map_single(&map);
	map.nr = MAX_NODES;
	memset(map.distance, 20, sizeof(map.distance));
	for (unsigned int nid = 0; nid < MAX_NODES; nid++)
		map.distance[nid][nid] = 10;
	zone_set_init(&set, &map, 0);
	for (unsigned int id = 0; id < MAX_ZONES; id++)
		has_memory(id / NR_ZONES, id % NR_ZONES);
	zone_set_link(&set, &map);
	for (unsigned int nid = 0; nid < MAX_NODES; nid++) {
		const struct zonelist *list = &set.list[nid];
		struct zone *const *zone = zonelist_zones(list, GFP_ZONES);

		for (unsigned int i = 0; i < MAX_ZONES; i++)
			EXPECT_EQ(zonelist_zones(list, 0)[i]->nid,
				  (nid + i / NR_ZONES) % MAX_NODES);
		EXPECT_NULL(zonelist_zones(list, 0)[MAX_ZONES]);
		EXPECT_EQ(zone[0]->id, nid * NR_ZONES);
		EXPECT_NULL(zone[1]);
		EXPECT_LE(zone + 2, list->slot + ZONELIST_SLOTS);
	}
}
