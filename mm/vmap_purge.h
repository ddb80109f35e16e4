/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lazy freeing: an area's addresses are used again only after every CPU has
 * forgotten what was mapped there, and one flush serves many areas.
 */
#ifndef MM_VMAP_PURGE_H
#define MM_VMAP_PURGE_H

#include <mm/vmap_area.h>

/*
 * Pages of lazy areas above which a free purges.
 * Context: any.
 */
size_t lazy_max_pages(void);

/*
 * Place an area as place_vmap_area() does; where there is no room, purge and
 * try once more, if @gfp permits to wait.
 * Context: as @gfp says.
 * Return: as place_vmap_area().
 */
int alloc_vmap_area(struct vmap_space *space, const struct vmap_request *req,
		    gfp_t gfp, struct vmap_area **area);

/*
 * Free @va, which is in no tree, and whose page-table entries are cleared. May
 * purge when there is much to purge.
 * Context: any; needs no memory. With interrupts off it leaves the purge to
 * the next free with interrupts on.
 */
void free_vmap_area_lazy(struct vmap_space *space, struct vmap_area *va);

/*
 * Flush every area that was freed until now, and make it free to be placed
 * again. Waits for a purge under way.
 * Context: interrupts on when there is another CPU; no lock held.
 * Return: pages purged.
 */
size_t purge_vmap_area_lazy(struct vmap_space *space);

/*
 * purge_vmap_area_lazy() for vmalloc space: afterwards no CPU remembers a
 * mapping that was there.
 * Context: as above.
 */
void vm_unmap_aliases(void);

#endif
