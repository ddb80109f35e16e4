/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes: which memory and which CPUs are near each other. See node.c.
 */
#ifndef MM_NODE_H
#define MM_NODE_H

#include <arch/cpu.h>
#include <lib/firmware/acpi.h>
#include <mm/page.h>

#define MAX_NODES 16

/* As the node of an allocation: that of the CPU that asks. */
#define NUMA_NO_NODE (-1)

/* Distance between nodes that nothing is said about; a node's own is
 * ACPI_LOCAL_DISTANCE. */
#define REMOTE_DISTANCE 20

/* Pages of one node, whole map blocks. */
struct node_range {
	unsigned long start_pfn, end_pfn; /* half-open, not empty */
	uint8_t nid;
};

/* What the firmware says of nodes 0..nr - 1. Constant after boot. */
struct node_map {
	unsigned int nr;
	uint32_t domain[MAX_NODES]; /* ACPI's number of each, ascending */
	uint8_t distance[MAX_NODES][MAX_NODES]; /* [from][to] */

	/* Ascending, disjoint. What is in none of them is node 0's. */
	struct node_range range[ACPI_MAX_MEMORY];
	unsigned int nr_ranges;

	struct {
		uint32_t apic_id;
		uint8_t nid;
	} cpu[ACPI_MAX_CPUS]; /* those that are not here are node 0's */
	unsigned int nr_cpus;

	uint8_t cpu_node[MAX_CPUS]; /* by cpu_id() */
};

/* The machine's. Until the firmware was read: one node with everything. */
extern struct node_map node_map;

/* Make @map one node with all memory and all CPUs. Context: any. */
void node_map_single(struct node_map *map);

/*
 * Make @map what @affinity and @distances say; the latter may be NULL or have
 * fewer domains than the former. Domains become nodes in ascending order; what
 * belongs to those beyond MAX_NODES goes to node 0, after one line.
 * Context: boot.
 * Return: 0; -ENOENT, one node, when @affinity names nothing; -EINVAL, one
 * node, after one line: it says two things of the same memory or CPU.
 */
int node_map_build(struct node_map *map, const struct acpi_affinity *affinity,
		   const struct acpi_distances *distances);

/*
 * The node of @pfn, any number. The pages [@pfn, *@end) are all that node's
 * and the next is another's, or also node 0's; @end may be NULL.
 * Context: any.
 */
unsigned int node_of_pfn(const struct node_map *map, unsigned long pfn,
			 unsigned long *end);

/* The node of the CPU with that APIC id. Context: any. */
unsigned int node_of_apic(const struct node_map *map, uint32_t apic_id);

/*
 * The other nodes as seen from @nid, the nearest first, among equals the next
 * higher number, then from 0 on. Those that can't be reached are left out.
 * Return: how many.
 */
unsigned int node_neighbours(const struct node_map *map, unsigned int nid,
			     uint8_t order[MAX_NODES]);

/* Nodes of the machine: at least 1. Any context. */
static inline unsigned int nr_nodes(void)
{
	return node_map.nr;
}

/* Say that @cpu has that APIC id. Until then it is node 0's. Context: boot. */
void node_add_cpu(unsigned int cpu, uint32_t apic_id);

/* The node of @cpu, below MAX_CPUS. Any context. */
static inline unsigned int cpu_to_node(unsigned int cpu)
{
	return node_map.cpu_node[cpu];
}

/* The node whose memory @page is. Any context. */
static inline unsigned int page_to_nid(const struct page *page)
{
	return node_of_pfn(&node_map, page_to_pfn(page), NULL);
}

/*
 * How far the memory of node @to is from the CPUs of node @from: 10 is local,
 * 20 twice as far, ACPI_UNREACHABLE not to be reached.
 * Context: any. A node that is not there is out of reach, after one line.
 */
unsigned int node_distance(unsigned int from, unsigned int to);

#endif
