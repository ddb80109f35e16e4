/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes.
 *
 * Terms
 *   node       CPUs and memory that are near each other. A machine with more
 *              than one has non-uniform memory access (NUMA): any CPU reaches
 *              any memory, but that of its own node sooner
 *   domain     proximity domain, the firmware's number of a node: any 32 bits
 *   nid        our number of a node: 0..nr - 1
 *   distance   relative time of an access; 10 is a node's own memory
 *   SRAT       ACPI's table of the domains of memory ranges and CPUs
 *   SLIT       ACPI's table of distances, a square matrix over domains
 *
 * Structures
 *   One struct node_map for the machine, filled in once from the two tables
 *   (lib/firmware reads them into plain structures). Tests make their own.
 *
 *     memory   |   domain 3   |  not named  |    domain 7    |  domain 3 |
 *     range[]  [ start    end ) nid 0       [ start      end )[          )
 *     nid      |      0       |      0      |       1        |     0     |
 *
 *   Ranges are rounded to map blocks (page.c): the block in which two nodes
 *   meet goes to the lower one. So the two halves of a block of pages always
 *   are of the same node, and the descriptors of a node, whole pages of them,
 *   can lie in its own memory.
 *
 * Operations
 *   node_map_build()    O(n log n) in the entries
 *   node_of_pfn()       O(ranges), of which there are a few
 *   all others          O(1)
 *
 * Invariants
 *   N1  1 <= nr <= MAX_NODES; domain[0..nr) ascends
 *   N2  range[i].end_pfn <= range[i + 1].start_pfn, none is empty; both are
 *       multiples of MAX_BLOCK_PAGES; neighbours that touch differ in nid
 *   N3  distance[a][b] >= 10, = 10 for a = b
 *
 * What a firmware may get wrong
 *   No tables, broken ones (their parser says so in one line), or some that
 *   contradict themselves (two domains claim the same memory, or one CPU is in
 *   two): one node with everything. Memory and CPUs that are not named belong
 *   to node 0. A node may have memory and no CPU, or CPUs and no memory.
 *
 * Locking
 *   None: written at boot.
 *
 * Departures from Linux
 *   Nodes are numbered by domain, there in the order of the table. No
 *   hotplug: memory flagged so is a node's like any other.
 */
#include <lib/errno.h>
#include <lib/limits.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <lib/sort.h>
#include <lib/string.h>
#include <mm/node.h>

struct node_map node_map = {
	.nr = 1,
	.distance = {{ACPI_LOCAL_DISTANCE}},
};

/* --- domains and distances ------------------------------------------------ */

void node_map_single(struct node_map *map)
{
	memset(map, 0, sizeof(*map));
	map->nr = 1;
	map->distance[0][0] = ACPI_LOCAL_DISTANCE;
}

/* The node that @domain became; 0 for one beyond MAX_NODES. */
static unsigned int nid_of(const struct node_map *map, uint32_t domain)
{
	for (unsigned int nid = 0; nid < map->nr; nid++)
		if (map->domain[nid] == domain)
			return nid;
	return 0;
}

static int compare_domains(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Give each domain that @a names a node: N1. Return: how many were named. */
static unsigned int number_domains(struct node_map *map,
				   const struct acpi_affinity *a)
{
	static uint32_t named[ACPI_MAX_CPUS + ACPI_MAX_MEMORY];
	unsigned int n = 0, nr = 0;

	for (unsigned int i = 0; i < a->nr_cpus; i++)
		named[n++] = a->cpu[i].domain;
	for (unsigned int i = 0; i < a->nr_memory; i++)
		named[n++] = a->memory[i].domain;
	sort(named, n, sizeof(*named), compare_domains);
	for (unsigned int i = 0; i < n; i++) {
		if (i && named[i] == named[i - 1])
			continue;
		if (nr < MAX_NODES)
			map->domain[nr] = named[i];
		nr++;
	}
	if (nr > MAX_NODES)
		printk("nodes: %u in the SRAT; what is beyond %d goes to node "
		       "0\n",
		       nr, MAX_NODES);
	map->nr = min(nr, (unsigned int)MAX_NODES);
	return nr;
}

static uint8_t told_distance(const struct acpi_distances *d, uint32_t from,
			     uint32_t to)
{
	if (from == to)
		return ACPI_LOCAL_DISTANCE;
	if (!d || from >= d->nr || to >= d->nr)
		return REMOTE_DISTANCE;
	return d->distance[from][to];
}

/* N3 */
static void set_distances(struct node_map *map, const struct acpi_distances *d)
{
	for (unsigned int a = 0; a < map->nr; a++)
		for (unsigned int b = 0; b < map->nr; b++)
			map->distance[a][b] = told_distance(d, map->domain[a],
							    map->domain[b]);
}

/* --- memory --------------------------------------------------------------- */

static int compare_starts(const void *a, const void *b)
{
	const struct acpi_memory_affinity *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Add [@start, @end), bytes, the next in ascending order: N2. */
static void add_range(struct node_map *map, pa_t start, pa_t end,
		      unsigned int nid)
{
	struct node_range *last =
		map->nr_ranges ? &map->range[map->nr_ranges - 1] : NULL;
	unsigned long from = round_down(start >> PAGE_SHIFT, MAX_BLOCK_PAGES);
	unsigned long to =
		round_up(PAGE_ALIGN(end) >> PAGE_SHIFT, MAX_BLOCK_PAGES);

	if (last)
		from = max(from, last->end_pfn);
	if (from >= to)
		return;
	if (last && last->nid == nid && last->end_pfn == from)
		last->end_pfn = to;
	else
		map->range[map->nr_ranges++] =
			(struct node_range){from, to, nid};
}

static int add_memory(struct node_map *map, const struct acpi_affinity *a)
{
	static struct acpi_memory_affinity m[ACPI_MAX_MEMORY];
	unsigned int widest = 0; /* of those before: that which ends last */

	memcpy(m, a->memory, a->nr_memory * sizeof(*m));
	sort(m, a->nr_memory, sizeof(*m), compare_starts);
	for (unsigned int i = 0; i < a->nr_memory; i++) {
		if (m[i].start < m[widest].end &&
		    m[i].domain != m[widest].domain) {
			printk("nodes: SRAT: memory [%#lx, %#lx) of domain %u "
			       "meets [%#lx, %#lx) of domain %u\n",
			       m[i].start, m[i].end, m[i].domain,
			       m[widest].start, m[widest].end,
			       m[widest].domain);
			return -EINVAL;
		}
		if (m[i].end > m[widest].end)
			widest = i;
		add_range(map, m[i].start, m[i].end, nid_of(map, m[i].domain));
	}
	return 0;
}

unsigned int node_of_pfn(const struct node_map *map, unsigned long pfn,
			 unsigned long *end)
{
	const struct node_range *r = map->range;
	unsigned int i = 0;
	bool inside;

	while (i < map->nr_ranges && r[i].end_pfn <= pfn)
		i++;
	inside = i < map->nr_ranges && r[i].start_pfn <= pfn;
	if (end && i == map->nr_ranges)
		*end = ULONG_MAX;
	else if (end)
		*end = inside ? r[i].end_pfn : r[i].start_pfn;
	return inside ? r[i].nid : 0;
}

/* --- CPUs ----------------------------------------------------------------- */

static int add_cpus(struct node_map *map, const struct acpi_affinity *a)
{
	for (unsigned int i = 0; i < a->nr_cpus; i++) {
		for (unsigned int k = 0; k < i; k++) {
			if (a->cpu[k].apic_id != a->cpu[i].apic_id ||
			    a->cpu[k].domain == a->cpu[i].domain)
				continue;
			printk("nodes: SRAT: the CPU with APIC id %u is in "
			       "domains %u and %u\n",
			       a->cpu[i].apic_id, a->cpu[k].domain,
			       a->cpu[i].domain);
			return -EINVAL;
		}
		map->cpu[i].apic_id = a->cpu[i].apic_id;
		map->cpu[i].nid = nid_of(map, a->cpu[i].domain);
	}
	map->nr_cpus = a->nr_cpus;
	return 0;
}

unsigned int node_of_apic(const struct node_map *map, uint32_t apic_id)
{
	for (unsigned int i = 0; i < map->nr_cpus; i++)
		if (map->cpu[i].apic_id == apic_id)
			return map->cpu[i].nid;
	return 0;
}

void node_add_cpu(unsigned int cpu, uint32_t apic_id)
{
	ASSERTF(cpu < MAX_CPUS, "CPU %u of %d", cpu, MAX_CPUS);
	node_map.cpu_node[cpu] = node_of_apic(&node_map, apic_id);
}

/* --- all together --------------------------------------------------------- */

int node_map_build(struct node_map *map, const struct acpi_affinity *affinity,
		   const struct acpi_distances *distances)
{
	int err;

	node_map_single(map);
	if (!number_domains(map, affinity))
		err = -ENOENT;
	else
		err = add_memory(map, affinity);
	if (!err)
		err = add_cpus(map, affinity);
	if (err)
		node_map_single(map);
	else
		set_distances(map, distances);
	return err;
}

unsigned int node_neighbours(const struct node_map *map, unsigned int nid,
			     uint8_t order[MAX_NODES])
{
	const uint8_t *distance = map->distance[nid];
	unsigned int n = 0;

	for (unsigned int k = 1; k < map->nr; k++) {
		unsigned int node = (nid + k) % map->nr, at = n;

		if (distance[node] == ACPI_UNREACHABLE)
			continue;
		for (; at && distance[order[at - 1]] > distance[node]; at--)
			order[at] = order[at - 1];
		order[at] = node;
		n++;
	}
	return n;
}

unsigned int node_distance(unsigned int from, unsigned int to)
{
	if (likely(from < node_map.nr && to < node_map.nr))
		return node_map.distance[from][to];
	printk("nodes: no distance from node %u to node %u: there are %u\n",
	       from, to, node_map.nr);
	return ACPI_UNREACHABLE;
}
