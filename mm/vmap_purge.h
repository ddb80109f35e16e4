/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lazy freeing: an area's addresses are used again only after every CPU has
 * forgotten what was mapped there, and one flush serves many areas. See
 * vmap_purge.c.
 */
#ifndef MM_VMAP_PURGE_H
#define MM_VMAP_PURGE_H

#include <arch/cpu.h>
#include <mm/vmap_cache.h>

/*
 * Pages that may be lazy in a space: more are purged. Each CPU may have an
 * equal part of them.
 * Context: any.
 */
size_t lazy_max_pages(void);

/*
 * Take a range for @req: out of this CPU's cache where any will do, or the
 * lowest fit of the free tree. Where there is none, empty the caches and, if
 * @gfp permits to wait, purge; and try once more.
 * Context: as @gfp says.
 * Return: as place_vmap_area(). VA_INDEXED is set if the area came out of a
 * cache.
 */
int alloc_vmap_area(struct vmap_space *space, const struct vmap_request *req,
		    gfp_t gfp, struct vmap_area **area);

/* The same, but neither empties nor purges. */
int try_vmap_area(struct vmap_space *space, const struct vmap_request *req,
		  gfp_t gfp, struct vmap_area **area);

/* The slow part of free_vmap_area_lazy(): more than lazy->limit pages. */
void vmap_too_lazy(struct vmap_space *space, struct vmap_lazy *lazy);

/*
 * Free @va, which nobody finds any more, and whose page-table entries are
 * cleared. Has somebody purge when there is much to purge, or does it itself.
 * Context: any; needs no memory. With interrupts off it leaves the purge to
 * the next free with interrupts on.
 */
void free_vmap_area_lazy(struct vmap_space *space, struct vmap_area *va);

/* The same for a @va of @pages pages, guard page too, that is VA_LAZY. */
static __always_inline void add_lazy_area(struct vmap_space *space,
					  struct vmap_area *va, size_t pages)
{
	struct vmap_lazy *lazy = &space->lazy;

	if (space == &vmalloc_space)
		lazy = &this_cpu_ptr(&vmalloc_cpus)->lazy;
	else if (space->cpus)
		lazy = &this_cpu_ptr(space->cpus)->lazy;
	pages += atomic_fetch_add_explicit(&lazy->pages, pages,
					   memory_order_relaxed);
	llist_add(&va->purge_list, &lazy->list);
	if (unlikely(pages >
		     atomic_load_explicit(&lazy->limit, memory_order_relaxed)))
		vmap_too_lazy(space, lazy);
}

/*
 * Flush every area that was freed until now, and make it free to be used
 * again. Waits for a purge under way.
 * Context: interrupts on when there is another CPU; no lock held. May let
 * other threads run.
 * Return: pages flushed.
 */
size_t purge_vmap_area_lazy(struct vmap_space *space);

/*
 * Empty the caches of all CPUs into the free tree.
 * Context: any.
 */
void vmap_empty_caches(struct vmap_space *space);

/*
 * purge_vmap_area_lazy() for vmalloc space: afterwards no CPU remembers a
 * mapping that was there.
 * Context: as above.
 */
void vm_unmap_aliases(void);

/* The same, and empty the caches. Context: as above. */
void vmap_drain(void);

#endif
