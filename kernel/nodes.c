/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes of the machine, for a reader; `nodes` at the prompt. */
#include <arch/cpumask.h>
#include <kernel/nodes.h>
#include <kernel/prompt.h>
#include <lib/compiler.h>
#include <lib/printk.h>
#include <mm/page_alloc.h>

/* " 0-3 8", or " none". */
static void print_cpus(unsigned int nid)
{
	cpumask_t online = cpu_online_mask();
	unsigned int first = 0, cpu = 0, printed = 0;

	while (cpu < MAX_CPUS) {
		first = cpu;
		while (cpumask_test(online, cpu) && cpu_to_node(cpu) == nid)
			cpu++;
		if (cpu - first > 1)
			printk(" %u-%u", first, cpu - 1);
		else if (cpu - first == 1)
			printk(" %u", first);
		printed += cpu - first;
		cpu += cpu == first;
	}
	if (!printed)
		printk(" none");
}

static void print_zone(const struct zone *zone)
{
	if (zone->managed_pages)
		printk("  %-6s pfn [%#lx, %#lx): %lu pages, %lu free\n",
		       zone->name, zone->start_pfn, zone->end_pfn,
		       zone->managed_pages, zone->free_pages);
}

static void print_node(unsigned int nid)
{
	unsigned long pages = 0;

	for (unsigned int type = 0; type < NR_ZONES; type++)
		pages += node_zone(nid, type)->managed_pages;
	printk("node %u: domain %u, %lu pages, CPUs", nid, node_map.domain[nid],
	       pages);
	print_cpus(nid);
	printk("\n");
	for (unsigned int type = NR_ZONES; type-- > 0;)
		print_zone(node_zone(nid, type));
}

static void print_distances(unsigned int from)
{
	printk("distances from node %u:", from);
	for (unsigned int to = 0; to < nr_nodes(); to++)
		printk(" %u", node_distance(from, to));
	printk("\n");
}

void nodes_print(void)
{
	for (unsigned int nid = 0; nid < nr_nodes(); nid++)
		print_node(nid);
	for (unsigned int nid = 0; nid < nr_nodes(); nid++)
		print_distances(nid);
}

static void run_nodes(const char *argument)
{
	nodes_print();
}

PROMPT_COMMAND(nodes, "nodes", NULL,
	       "CPUs, zones and distances of the machine's nodes", run_nodes);
