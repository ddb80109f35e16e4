/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The zones of all nodes.
 *
 * Terms
 *   zone       pages of one node that serve the same callers. DMA: below
 *              16 MiB, for devices with 24 address bits. DMA32: below 4 GiB.
 *              NORMAL: the rest. Each is a buddy allocator, see buddy.c
 *   zone list  the zones that a node's CPUs are served from, the best first
 *
 * Structures
 *   Three zones for each node; most of them are empty.
 *
 *                 0       16 MiB                        4 GiB
 *       node 0    |  DMA  |  DMA32  |         |         |          |
 *       node 1    |       |         |  DMA32  |         |  NORMAL  |
 *       node 2    |       |         |         |  DMA32  |          |
 *
 *   A node's list has the zones with memory of that node itself, then those of
 *   its neighbours (node.c), the nearest first. Of one node NORMAL comes first
 *   and DMA last: the memory that fewest others can use goes first. There is
 *   one such list for each choice that the flags of an allocation leave, so
 *   that none has to be sifted: all zones; those below 4 GiB or 16 MiB; and
 *   each of these of this node alone.
 *
 *       any               NORMAL 1, DMA32 1 | DMA32 2 | DMA32 0, DMA 0
 *       __GFP_DMA32                 DMA32 1 | DMA32 2 | DMA32 0, DMA 0
 *       __GFP_THISNODE    NORMAL 1, DMA32 1
 *
 * Operations, with k = MAX_ORDER
 *   alloc    walks a list to the first zone that has a block. O(zones + k),
 *            and in the common case O(k)
 *   set-up   O(ranges of memory * ranges of nodes + nodes^2)
 *
 * Invariants
 *   Z1  zones are disjoint: a page is in the zone of its node and address.
 *       Where nodes lie between each other, only a zone's outer bounds are
 *       known to it
 *   Z2  a map block lies in one zone, since nodes consist of map blocks and
 *       16 MiB and 4 GiB are multiples of them; B6 of buddy.c
 *   Z3  zone id = nid * NR_ZONES + type
 *   Z4  a list of node n holds a zone at most once, those of n first
 *
 * Locking
 *   The zones'. The lists are constant.
 *
 * Departures from Linux
 *   Lists are not rebuilt; there are no reserves of low memory yet, and no
 *   policies: who wants another node says so.
 */
#include <lib/math.h>
#include <mm/zonelist.h>

#define DMA_END_PFN   (1UL << (24 - PAGE_SHIFT))
#define DMA32_END_PFN (1UL << (32 - PAGE_SHIFT))

_Static_assert(DMA_END_PFN % MAX_BLOCK_PAGES == 0, "Z2");
_Static_assert(MAX_ZONES <= ZONE_PRIVATE, "ids fit");

static const char *const zone_names[NR_ZONES] = {
	[ZONE_DMA] = "DMA",
	[ZONE_DMA32] = "DMA32",
	[ZONE_NORMAL] = "NORMAL",
};

/* --- set-up --------------------------------------------------------------- */

/* The zone of @pfn; so are the pages up to *@end. */
static struct zone *zone_of_pfn(struct zone_set *set,
				const struct node_map *map, unsigned long pfn,
				unsigned long *end)
{
	unsigned int nid = node_of_pfn(map, pfn, end);
	enum zone_type type = ZONE_NORMAL;

	if (pfn < DMA_END_PFN) {
		type = ZONE_DMA;
		*end = min(*end, DMA_END_PFN);
	} else if (pfn < DMA32_END_PFN) {
		type = ZONE_DMA32;
		*end = min(*end, DMA32_END_PFN);
	}
	return &set->zone[nid * NR_ZONES + type];
}

void zone_set_init(struct zone_set *set, const struct node_map *map,
		   unsigned long end_pfn)
{
	unsigned long next;

	set->nr_nodes = map->nr;
	set->nr_zones = map->nr * NR_ZONES;
	set->managed_pages = 0;
	for (unsigned int id = 0; id < set->nr_zones; id++)
		zone_init(&set->zone[id], zone_names[id % NR_ZONES], id, 0, 0);
	for (unsigned long pfn = 0; pfn < end_pfn; pfn = next) {
		struct zone *zone = zone_of_pfn(set, map, pfn, &next);

		if (zone->end_pfn == 0)
			zone->start_pfn = pfn;
		zone->end_pfn = min(next, end_pfn);
	}
}

void zone_set_add(struct zone_set *set, const struct node_map *map,
		  unsigned long start_pfn, unsigned long end_pfn)
{
	unsigned long next;

	for (unsigned long pfn = start_pfn; pfn < end_pfn; pfn = next) {
		struct zone *zone = zone_of_pfn(set, map, pfn, &next);

		next = min(next, end_pfn);
		zone_add_pages(zone, pfn, next);
		set->managed_pages += next - pfn;
	}
}

/* The last type of zone that @gfp permits; those below it may serve as well. */
static enum zone_type highest_zone(gfp_t gfp)
{
	if (gfp & __GFP_DMA)
		return ZONE_DMA;
	return gfp & __GFP_DMA32 ? ZONE_DMA32 : ZONE_NORMAL;
}

/* The zones with memory of @nid that @gfp permits, from @slot on. Return: the
 * slot after them. */
static struct zone **add_node(struct zone **slot, struct zone_set *set,
			      unsigned int nid, gfp_t gfp)
{
	struct zone *zones = &set->zone[nid * NR_ZONES];

	for (int type = highest_zone(gfp); type >= 0; type--)
		if (zones[type].managed_pages)
			*slot++ = &zones[type];
	return slot;
}

/* Make the list of @nid for the choice @gfp, from @slot on. Return: the slot
 * after it. */
static struct zone **make_list(struct zone **slot, struct zone_set *set,
			       const struct node_map *map, unsigned int nid,
			       gfp_t gfp)
{
	uint8_t order[MAX_NODES];
	unsigned int nr = node_neighbours(map, nid, order);

	slot = add_node(slot, set, nid, gfp);
	for (unsigned int i = 0; i < nr && !(gfp & __GFP_THISNODE); i++)
		slot = add_node(slot, set, order[i], gfp);
	*slot++ = NULL;
	return slot;
}

void zone_set_link(struct zone_set *set, const struct node_map *map)
{
	for (unsigned int nid = 0; nid < set->nr_nodes; nid++) {
		struct zonelist *list = &set->list[nid];
		struct zone **slot = list->slot;

		for (gfp_t gfp = 0; gfp < NR_ZONE_CHOICES; gfp++) {
			list->choice[gfp] = slot;
			slot = make_list(slot, set, map, nid, gfp);
		}
	}
}
