/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes made of affinity tables by hand. */
#include <lib/errno.h>
#include <lib/limits.h>
#include <lib/math.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test.h>
#include <mm/node.h>
#include <tests/unit/one_line.h>

#define MIB    (1UL << 20)
#define PFN(m) ((m)*MIB >> PAGE_SHIFT)

static struct acpi_affinity affinity;
static struct acpi_distances distances;
static struct node_map map;

static void begin(void)
{
	memset(&affinity, 0, sizeof(affinity));
	memset(&distances, 0, sizeof(distances));
}

/* Memory [@start, @end), in MiB, of @domain. */
static void memory(uint32_t domain, unsigned long start, unsigned long end)
{
	affinity.memory[affinity.nr_memory++] = (struct acpi_memory_affinity){
		.start = start * MIB, .end = end * MIB, .domain = domain};
}

static void cpu(uint32_t domain, uint32_t apic_id)
{
	affinity.cpu[affinity.nr_cpus++] =
		(struct acpi_cpu_affinity){apic_id, domain};
}

/* Node of the page at @mib MiB. */
static unsigned int node_at(unsigned long mib)
{
	return node_of_pfn(&map, PFN(mib), NULL);
}

/* N1, N2, N3 */
static bool sound(void)
{
	bool ok = map.nr >= 1 && map.nr <= MAX_NODES;

	for (unsigned int i = 0; i < map.nr; i++) {
		ok = ok && (!i || map.domain[i - 1] < map.domain[i]);
		for (unsigned int k = 0; k < map.nr; k++)
			ok = ok && (map.distance[i][k] == 10 || i != k) &&
			     map.distance[i][k] >= 10;
	}
	for (unsigned int i = 0; i < map.nr_ranges; i++) {
		const struct node_range *r = &map.range[i];

		ok = ok && r->start_pfn < r->end_pfn && r->nid < map.nr &&
		     r->start_pfn % MAX_BLOCK_PAGES == 0 &&
		     r->end_pfn % MAX_BLOCK_PAGES == 0;
		if (i)
			ok = ok && (r[-1].end_pfn < r->start_pfn ||
				    (r[-1].end_pfn == r->start_pfn &&
				     r[-1].nid != r->nid));
	}
	return ok;
}

/* One node that has everything. */
static bool single(void)
{
	return sound() && map.nr == 1 && map.nr_ranges == 0 &&
	       map.nr_cpus == 0 && node_at(0) == 0 &&
	       node_of_pfn(&map, ULONG_MAX, NULL) == 0 &&
	       node_of_apic(&map, 0) == 0 && node_of_apic(&map, 77) == 0;
}

TEST(node, no_table_one_node)
{
	begin();
	memset(&map, 0xff, sizeof(map));
	EXPECT_NO_LINE(
		EXPECT_EQ(node_map_build(&map, &affinity, NULL), -ENOENT));
	EXPECT(single());
	memset(&map, 0xff, sizeof(map));
	node_map_single(&map);
	EXPECT(single());
}

TEST(node, two_nodes)
{
	unsigned long end;

	begin();
	memory(0, 0, 1024);
	memory(1, 1024, 2048);
	cpu(0, 0);
	cpu(0, 1);
	cpu(1, 2);
	cpu(1, 300);
	EXPECT_NO_LINE(EXPECT_EQ(node_map_build(&map, &affinity, NULL), 0));
	EXPECT(sound());
	EXPECT_EQ(map.nr, 2);
	EXPECT_EQ(node_of_pfn(&map, 0, &end), 0);
	EXPECT_EQ(end, PFN(1024));
	EXPECT_EQ(node_of_pfn(&map, PFN(1024) - 1, &end), 0);
	EXPECT_EQ(end, PFN(1024));
	EXPECT_EQ(node_of_pfn(&map, PFN(1024), &end), 1);
	EXPECT_EQ(end, PFN(2048));
	EXPECT_EQ(node_of_pfn(&map, PFN(2048), &end), 0);
	EXPECT_EQ(end, ULONG_MAX);
	EXPECT_EQ(node_of_apic(&map, 1), 0);
	EXPECT_EQ(node_of_apic(&map, 2), 1);
	EXPECT_EQ(node_of_apic(&map, 300), 1);
	EXPECT_EQ(node_of_apic(&map, 3), 0);
}

TEST(node, any_domain_number_becomes_a_dense_one)
{
	begin();
	memory(4000000000, 1024, 2048);
	memory(7, 2048, 3072);
	memory(512, 0, 1024);
	cpu(7, 0);
	EXPECT_EQ(node_map_build(&map, &affinity, NULL), 0);
	EXPECT(sound());
	EXPECT_EQ(map.nr, 3);
	EXPECT_EQ(map.domain[0], 7);
	EXPECT_EQ(map.domain[1], 512);
	EXPECT_EQ(map.domain[2], 4000000000);
	EXPECT_EQ(node_at(0), 1);
	EXPECT_EQ(node_at(1024), 2);
	EXPECT_EQ(node_at(2048), 0);
}

TEST(node, memory_without_cpus_and_cpus_without_memory)
{
	begin();
	memory(1, 0, 512);
	memory(3, 512, 1024);
	cpu(1, 0);
	cpu(2, 1);
	EXPECT_EQ(node_map_build(&map, &affinity, NULL), 0);
	EXPECT(sound());
	EXPECT_EQ(map.nr, 3);
	EXPECT_EQ(node_at(0), 0);
	EXPECT_EQ(node_at(512), 2);
	EXPECT_EQ(node_of_apic(&map, 1), 1);
}

TEST(node, memory_that_is_not_named_is_node_0s)
{
	unsigned long end;

	begin();
	memory(5, 1024, 2048);
	memory(9, 0, 256);
	EXPECT_EQ(node_map_build(&map, &affinity, NULL), 0);
	EXPECT_EQ(node_at(0), 1);
	EXPECT_EQ(node_of_pfn(&map, PFN(256), &end), 0);
	EXPECT_EQ(end, PFN(1024));
	EXPECT_EQ(node_at(1024), 0);
	EXPECT_EQ(node_at(5000), 0);
	/* CPUs alone: they have nodes, all memory is node 0's. */
	begin();
	cpu(0, 0);
	cpu(1, 1);
	EXPECT_EQ(node_map_build(&map, &affinity, NULL), 0);
	EXPECT_EQ(map.nr, 2);
	EXPECT_EQ(map.nr_ranges, 0);
	EXPECT_EQ(node_at(3), 0);
}

TEST(node, ranges_meet_at_map_blocks)
{
	const unsigned long block = MAX_BLOCK_PAGES << PAGE_SHIFT;

	begin();
	memory(0, 0, 1);
	memory(0, 2, 9); /* ends inside the map block [8, 12) */
	memory(1, 9, 18);
	memory(2, 18, 19); /* inside [16, 20), which is node 1's by then */
	memory(3, 21, 22);
	EXPECT_EQ(node_map_build(&map, &affinity, NULL), 0);
	EXPECT(sound());
	EXPECT_EQ(map.nr, 4);
	REQUIRE_EQ(map.nr_ranges, 3);
	EXPECT_EQ(node_of_pfn(&map, 3 * block / PAGE_SIZE - 1, NULL), 0);
	EXPECT_EQ(node_of_pfn(&map, 3 * block / PAGE_SIZE, NULL), 1);
	EXPECT_EQ(node_at(19), 1);
	EXPECT_EQ(node_at(20), 3);
	EXPECT_EQ(node_at(24), 0);
}

TEST(node, overlaps_in_one_domain_are_joined)
{
	begin();
	memory(1, 100, 200);
	memory(1, 120, 140);
	memory(1, 160, 300);
	memory(0, 300, 400);
	memory(0, 0, 100);
	EXPECT_NO_LINE(EXPECT_EQ(node_map_build(&map, &affinity, NULL), 0));
	EXPECT(sound());
	EXPECT_EQ(map.nr_ranges, 3);
	EXPECT_EQ(node_at(96), 0);
	EXPECT_EQ(node_at(299), 1);
	EXPECT_EQ(node_at(300), 0);
}

TEST(node, overlaps_between_domains_are_a_contradiction)
{
	begin();
	memory(0, 0, 1000);
	memory(0, 100, 200);
	memory(1, 600, 2000);
	EXPECT_ONE_LINE(
		EXPECT_EQ(node_map_build(&map, &affinity, NULL), -EINVAL),
		"[0x25800000, 0x7d000000) of domain 1 meets [0, "
		"0x3e800000) of domain 0");
	EXPECT(single());
	begin();
	memory(1, 0, 1);
	memory(2, 0, 1);
	EXPECT_ONE_LINE(
		EXPECT_EQ(node_map_build(&map, &affinity, NULL), -EINVAL),
		"domain");
	EXPECT(single());
}

TEST(node, a_cpu_in_two_domains_is_a_contradiction)
{
	begin();
	memory(0, 0, 100);
	memory(1, 100, 200);
	cpu(0, 4);
	cpu(1, 5);
	cpu(0, 4); /* said twice: well */
	EXPECT_NO_LINE(EXPECT_EQ(node_map_build(&map, &affinity, NULL), 0));
	EXPECT_EQ(map.nr, 2);
	cpu(1, 4);
	EXPECT_ONE_LINE(
		EXPECT_EQ(node_map_build(&map, &affinity, NULL), -EINVAL),
		"APIC id 4 is in domains 0 and 1");
	EXPECT(single());
}

TEST(node, too_many_nodes_go_to_node_0)
{
	begin();
	for (unsigned int i = 0; i < MAX_NODES + 3; i++) {
		memory(2 * i, 100 * i, 100 * i + 100);
		cpu(2 * i, i);
	}
	EXPECT_ONE_LINE(EXPECT_EQ(node_map_build(&map, &affinity, NULL), 0),
			"19 in the SRAT");
	EXPECT(sound());
	EXPECT_EQ(map.nr, MAX_NODES);
	EXPECT_EQ(node_at(1500), MAX_NODES - 1);
	EXPECT_EQ(node_at(1600), 0);
	EXPECT_EQ(node_at(1800), 0);
	EXPECT_EQ(node_of_apic(&map, MAX_NODES - 1), MAX_NODES - 1);
	EXPECT_EQ(node_of_apic(&map, MAX_NODES), 0);
}

TEST(node, as_many_ranges_as_the_table_may_have)
{
	begin();
	for (unsigned int i = 0; i < ACPI_MAX_MEMORY; i++)
		memory(i % 2, 4UL * i, 4UL * i + 4);
	for (unsigned int i = 0; i < ACPI_MAX_CPUS; i++)
		cpu(i % 2, i);
	EXPECT_EQ(node_map_build(&map, &affinity, NULL), 0);
	EXPECT(sound());
	EXPECT_EQ(map.nr_ranges, ACPI_MAX_MEMORY);
	for (unsigned int i = 0; i < ACPI_MAX_MEMORY; i++)
		EXPECT_EQ(node_at(4UL * i), i % 2);
}

/* --- distances ------------------------------------------------------------ */

static void three_nodes(void)
{
	static const uint8_t d[3][3] = {
		{10, 40, 20}, {40, 10, 30}, {21, 30, 10}};

	begin();
	for (unsigned int i = 0; i < 3; i++) {
		memory(i, 100 * i, 100 * i + 100);
		memcpy(distances.distance[i], d[i], 3);
	}
	distances.nr = 3;
}

TEST(node, distances_are_those_of_the_table)
{
	three_nodes();
	EXPECT_EQ(node_map_build(&map, &affinity, &distances), 0);
	EXPECT(sound());
	EXPECT_EQ(map.distance[0][1], 40);
	EXPECT_EQ(map.distance[0][2], 20);
	EXPECT_EQ(map.distance[2][0], 21);
	EXPECT_EQ(node_map_build(&map, &affinity, NULL), 0);
	EXPECT(sound());
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int k = 0; k < 3; k++)
			EXPECT_EQ(map.distance[i][k], i == k ? 10 : 20);
}

TEST(node, domains_beyond_the_table_are_remote)
{
	three_nodes();
	distances.nr = 2;
	memory(200, 300, 400);
	EXPECT_EQ(node_map_build(&map, &affinity, &distances), 0);
	EXPECT(sound());
	EXPECT_EQ(map.nr, 4);
	EXPECT_EQ(map.distance[0][1], 40);
	EXPECT_EQ(map.distance[0][2], 20);
	EXPECT_EQ(map.distance[3][0], 20);
}

TEST(node, neighbours_by_distance)
{
	uint8_t order[MAX_NODES];

	three_nodes();
	REQUIRE_EQ(node_map_build(&map, &affinity, &distances), 0);
	EXPECT_EQ(node_neighbours(&map, 0, order), 2);
	EXPECT_EQ(order[0], 2);
	EXPECT_EQ(order[1], 1);
	EXPECT_EQ(node_neighbours(&map, 1, order), 2);
	EXPECT_EQ(order[0], 2);
	EXPECT_EQ(order[1], 0);
	/* Equally far: the next ones, so that not all turn to node 0. */
	REQUIRE_EQ(node_map_build(&map, &affinity, NULL), 0);
	EXPECT_EQ(node_neighbours(&map, 1, order), 2);
	EXPECT_EQ(order[0], 2);
	EXPECT_EQ(order[1], 0);
	/* Out of reach. */
	map.distance[1][2] = ACPI_UNREACHABLE;
	EXPECT_EQ(node_neighbours(&map, 1, order), 1);
	EXPECT_EQ(order[0], 0);
	node_map_single(&map);
	EXPECT_EQ(node_neighbours(&map, 0, order), 0);
}

TEST(node, distance_of_nodes_that_are_not_there)
{
	EXPECT_EQ(node_distance(0, 0), 10);
	EXPECT_ONE_LINE(EXPECT_EQ(node_distance(99, 0), ACPI_UNREACHABLE),
			"from node 99 to node 0");
	EXPECT_ONE_LINE(EXPECT_EQ(node_distance(0, 16), ACPI_UNREACHABLE),
			"to node 16");
}

/* --- any table ------------------------------------------------------------ */

/* A table of which nothing is known but that each number is a number. */
static void random_table(struct rng *rng)
{
	begin();
	for (unsigned int n = rng_below(rng, 12); n; n--) {
		unsigned long start = rng_below(rng, 200);

		memory(rng_below(rng, 4), start,
		       start + 1 + rng_below(rng, 30));
	}
	for (unsigned int n = rng_below(rng, 8); n; n--)
		cpu(rng_below(rng, 4), rng_below(rng, 8));
}

/* The domain that the table names for a page; -1: none, -2: two. */
static int domain_told(pa_t pa)
{
	int domain = -1;

	for (unsigned int i = 0; i < affinity.nr_memory; i++) {
		const struct acpi_memory_affinity *m = &affinity.memory[i];

		if (pa < m->start || pa >= m->end)
			continue;
		if (domain >= 0 && domain != (int)m->domain)
			return -2;
		domain = (int)m->domain;
	}
	return domain;
}

/* What is a whole map block's belongs to the node that was told; one that is
 * contradictory makes one node. */
static void check_against_table(int err)
{
	for (unsigned long block = 0; block < 60; block++) {
		int told = domain_told(block * 4 * MIB);
		unsigned int nid = node_at(block * 4);
		bool whole = true;

		for (unsigned int m = 0; m < 4; m++)
			whole = whole &&
				domain_told((block * 4 + m) * MIB) == told;
		if (told == -2)
			REQUIRE_EQ(err, -EINVAL);
		if (whole && told == -1)
			REQUIRE_EQ(nid, 0);
		if (whole && told >= 0 && !err)
			REQUIRE_EQ(map.domain[nid], told);
	}
}

TEST(node, random_tables)
{
	unsigned int built = 0;
	struct quiet quiet;
	struct rng rng;
	int err;

	rng_seed(&rng, test_seed());
	for (unsigned int i = 0; i < 500; i++) {
		random_table(&rng);
		quiet_begin(&quiet);
		err = node_map_build(&map, &affinity, NULL);
		EXPECT_EQ(quiet_end(&quiet), err == -EINVAL);
		REQUIRE(err ? single() : sound());
		check_against_table(err);
		built += !err;
	}
	EXPECT_GT(built, 50);
}
