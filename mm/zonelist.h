/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The zones of all nodes, and in which order each node turns to them. See
 * zonelist.c.
 */
#ifndef MM_ZONELIST_H
#define MM_ZONELIST_H

#include <mm/buddy.h>
#include <mm/gfp.h>
#include <mm/node.h>

#define MAX_ZONES (MAX_NODES * NR_ZONES)

/* What may be asked for: any combination of the flags in GFP_ZONES. */
#define NR_ZONE_CHOICES (GFP_ZONES + 1)

/*
 * What all lists of one node take: with k types permitted, k zones of each node
 * or of this one, and NULL. The choices permit 3, 2, 1 and 1 types.
 */
#define ZONELIST_SLOTS (7 * MAX_NODES + 7 + NR_ZONE_CHOICES)

/*
 * Where a node's CPUs are served from: for each choice the zones with memory
 * that it permits, the best first, then NULL.
 */
struct zonelist {
	struct zone *const *choice[NR_ZONE_CHOICES]; /* into slot[] */
	struct zone *slot[ZONELIST_SLOTS];
};

/* Constant after boot, but for what the zones' locks guard. */
struct zone_set {
	struct zone zone[MAX_ZONES]; /* by .id */
	struct zonelist list[MAX_NODES];
	unsigned int nr_nodes, nr_zones;
	unsigned long managed_pages; /* of all */
};

/*
 * Make @set the zones, without memory, of the nodes of @map, for pages below
 * @end_pfn, whose descriptors exist where memory is.
 * Context: boot.
 */
void zone_set_init(struct zone_set *set, const struct node_map *map,
		   unsigned long end_pfn);

/*
 * Put the pages [@start_pfn, @end_pfn), which belong to nobody, into the zones
 * where they are.
 * Context: boot.
 */
void zone_set_add(struct zone_set *set, const struct node_map *map,
		  unsigned long start_pfn, unsigned long end_pfn);

/*
 * All memory is in: make the lists.
 * Context: boot.
 */
void zone_set_link(struct zone_set *set, const struct node_map *map);

/* The zones of @list that @gfp permits, the best first, then NULL. */
static inline struct zone *const *zonelist_zones(const struct zonelist *list,
						 gfp_t gfp)
{
	return list->choice[gfp & GFP_ZONES];
}

/*
 * Take a block of 2^@order pages, @order at most MAX_ORDER, out of the first
 * of @zones, up to NULL, that has one.
 * Context: any.
 * Return: its first page, with one reference; NULL: there is none.
 */
static inline struct page *zones_alloc(struct zone *const *zones,
				       unsigned int order)
{
	struct page *page = NULL;
	struct zone *zone;

	while (!page && (zone = *zones++))
		if (zone_has_block(zone, order))
			page = zone_alloc(zone, order);
	return page;
}

/*
 * The same for a run of at most @want > 0 single pages, as zone_alloc_run()
 * takes it out of a zone.
 */
static inline struct page *zones_alloc_singles(struct zone *const *zones,
					       size_t want, size_t *got)
{
	struct page *page = NULL;
	struct zone *zone;

	while (!page && (zone = *zones++))
		if (zone_has_block(zone, 0))
			page = zone_alloc_run(zone, 0, want, got);
	return page;
}

#endif
