/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lazy freeing of areas.
 *
 * Terms
 *	stale	a translation that a CPU remembers, of an entry that was cleared
 *	lazy	an area that was freed, its entries cleared, but that may be
 *		stale on some CPU
 *	batch	the areas that one purge takes
 *	purge	flush a batch on every CPU, and give its addresses back
 *
 * Why
 *	A flush interrupts every CPU. One for each area freed would cost more
 *	than all the rest of a free, and it is needed only before the addresses
 *	mean something else. The memory behind them may be used again at once:
 *	whoever still touches a freed area is wrong anyway.
 *
 * Structures
 *	One list per space that any CPU adds to without a lock, and the number
 *	of pages on it. A lazy area is in no tree: it can neither be found nor
 *	placed.
 *
 * Operations
 *	free	O(1): clear nothing, flush nothing, link the area. Above
 *		lazy_max_pages() purge as well: the flush is paid for by
 *		thousands of pages, and a fraction of the space is all that can
 *		ever be lazy.
 *	purge	takes the whole list at once, flushes the smallest range around
 *		it with one call, and gives the areas back to the free tree.
 *		Areas that were freed next to each other are joined first and
 *		inserted as one. free_lock is held for one insertion at a time:
 *		a purge delays nobody else for longer than a free would.
 *	alloc	on failure purges and tries once more: what is missing may be
 *		on the list.
 *
 * Invariants
 *	L1	an area is lazy from the moment its entries are cleared until a
 *		flush of its range, begun after that moment, has ended on
 *		every CPU; only then is it given back
 *	L2	the range flushed is not empty: start < end
 *	L3	lazy_pages >= pages on the list
 *
 * Locking
 *	purge_lock, outermost of all, makes purges follow each other: who waited
 *	for one knows that everything freed before is purged. Interrupts stay
 *	on under it: a flush waits for the other CPUs. An interrupt handler that
 *	frees only ever tries the lock.
 *	lazy_list is added to by llist_add(), a release, after the entries were
 *	cleared; the purge takes it with acquire, then flushes: L1.
 *
 * Departures from Linux
 *	No worker: the free that passes the limit purges. The joining of
 *	neighbours before the insertion; Linux sorts and merges per node.
 */
#include <arch/cpu.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <mm/vmap_purge.h>

/* Linux's choice: enough to spread the cost of a flush thin, and little
 * address space in proportion to all. */
#define LAZY_BYTES_PER_CPU_BIT (32UL << 20)

size_t lazy_max_pages(void)
{
	return fls(cpus_online()) * (LAZY_BYTES_PER_CPU_BIT >> PAGE_SHIFT);
}

/* A flush has to wait for the other CPUs, which wants interrupts on. */
static bool may_flush(void)
{
	return irq_enabled() || cpus_online() == 1;
}

static struct vmap_area *area_of(struct llist_node *node)
{
	return llist_entry_or_null(node, struct vmap_area, purge_list);
}

/* The smallest range around all areas from @batch on. Return: their pages. */
static size_t batch_range(struct llist_node *batch, va_t *start, va_t *end)
{
	struct vmap_area *va, *tmp;
	size_t pages = 0;

	*start = UINTPTR_MAX;
	*end = 0;
	llist_for_each_entry_safe(va, tmp, batch, purge_list) {
		*start = min(*start, get_va_start(va));
		*end = max(*end, va->va_end);
		pages += va_size(va) >> PAGE_SHIFT;
	}
	return pages;
}

/*
 * Take the first area off @batch, joined with those that follow it there and
 * touch it; their descriptors go to @surplus.
 */
static struct vmap_area *next_joined(struct llist_node **batch,
				     struct list_head *surplus)
{
	struct vmap_area *va = area_of(*batch), *next;

	*batch = va->purge_list.next;
	set_va_flags(va, 0);
	while ((next = area_of(*batch))) {
		if (next->va_end == va->va_start)
			va->va_start = get_va_start(next);
		else if (get_va_start(next) == va->va_end)
			va->va_end = next->va_end;
		else
			break;
		*batch = next->purge_list.next;
		list_add(&next->list, surplus);
	}
	return va;
}

static void give_back(struct vmap_space *space, struct llist_node *batch)
{
	while (batch) {
		LIST_HEAD(surplus);

		free_vmap_area(space, next_joined(&batch, &surplus));
		free_vmap_descriptors(&surplus);
	}
}

static size_t purge_locked(struct vmap_space *space)
{
	struct llist_node *batch = llist_del_all(&space->lazy_list);
	size_t pages;
	va_t start, end;

	ASSERT(spin_is_locked(&space->purge_lock));
	if (!batch)
		return 0;
	pages = batch_range(batch, &start, &end);
	ASSERTF(start < end, "L2: [0x%lx, 0x%lx)", start, end);
	space->flush(start, end); /* L1 */
	atomic_fetch_add_explicit(&space->nr_flushes, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&space->nr_purges, 1, memory_order_relaxed);
	give_back(space, batch);
	atomic_fetch_sub_explicit(&space->lazy_pages, pages,
				  memory_order_relaxed);
	return pages;
}

size_t purge_vmap_area_lazy(struct vmap_space *space)
{
	size_t pages;

	spin_lock(&space->purge_lock);
	pages = purge_locked(space);
	spin_unlock(&space->purge_lock);
	return pages;
}

/* Purge, unless somebody does already. */
static noinline void try_purge(struct vmap_space *space)
{
	if (!may_flush() || !spin_trylock(&space->purge_lock))
		return;
	purge_locked(space);
	spin_unlock(&space->purge_lock);
}

void free_vmap_area_lazy(struct vmap_space *space, struct vmap_area *va)
{
	size_t pages = va_size(va) >> PAGE_SHIFT;
	size_t lazy = atomic_fetch_add_explicit(&space->lazy_pages, pages,
						memory_order_relaxed);

	set_va_flags(va, VA_LAZY);
	llist_add(&va->purge_list, &space->lazy_list);
	if (unlikely(lazy + pages > lazy_max_pages()))
		try_purge(space);
}

void vm_unmap_aliases(void)
{
	purge_vmap_area_lazy(&vmalloc_space);
}

int alloc_vmap_area(struct vmap_space *space, const struct vmap_request *req,
		    gfp_t gfp, struct vmap_area **area)
{
	int err = place_vmap_area(space, req, gfp, area);

	if (likely(err != -ENOSPC) || !(gfp & __GFP_DIRECT_RECLAIM))
		return err;
	if (!purge_vmap_area_lazy(space))
		return err;
	return place_vmap_area(space, req, gfp, area);
}
