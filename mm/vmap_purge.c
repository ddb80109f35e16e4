/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lazy freeing of areas.
 *
 * Terms
 *	stale	a translation that a CPU remembers, of an entry that was cleared
 *	lazy	an area that was freed, its entries cleared, but that may be
 *		stale on some CPU
 *	purge	flush all lazy areas on every CPU with one flush, and give
 *		their addresses back
 *	retire	put a range back into the free tree
 *
 * Why
 *	A flush interrupts every CPU. One for each area freed would cost more
 *	than all the rest of a free, and it is needed only before the addresses
 *	mean something else. The memory behind them may be used again at once:
 *	whoever still touches a freed area is wrong anyway.
 *
 * Structures
 *	Each CPU has a list of its own that it frees to; a space without caches
 *	has one. A lazy area can neither be found nor placed.
 *
 *	   free            purge: flush            purge: step
 *	busy ---> lazy.list ---------> lazy.flushed ----------> the CPU's cache
 *	                                     |                       |
 *	                                     `--> retiring --> free tree
 *
 * Operations
 *	free	O(1): the entries were cleared by the caller (mm/vmap.c); flush
 *		nothing, link the area. Above half of this CPU's part of
 *		lazy_max_pages() somebody who may wait is told to purge; who
 *		gets to all of it purges.
 *	purge	takes the lists of all CPUs, flushes the smallest range around
 *		them with one call (or everything when that is cheaper), and
 *		gives the ranges back in steps of bounded work: to the cache of
 *		the CPU that freed them, or to the free tree. What was freed
 *		side by side is joined first and goes there as one. Between two
 *		steps other threads may run.
 *		With purge=generation (vmap_generation.c) nobody is interrupted
 *		as long as this CPU's part is not used up: from time to time the
 *		lists are closed, and given back once every CPU has flushed by
 *		itself.
 *	alloc	a cache, or the tree. On failure the caches are emptied, which
 *		needs no flush; then, where the caller may wait, a purge: what
 *		is missing may be lazy.
 *
 * Invariants
 *	L1	an area is lazy from the moment its entries are cleared until a
 *		flush of its range, begun after that moment, has ended on
 *		every CPU; only then is it given back
 *	L2	the range flushed is not empty: start < end
 *	L3	an area is flushed once for each time it is freed
 *
 * Locking
 *	purge_lock, outermost of all. Interrupts stay on under it: a flush waits
 *	for the other CPUs. An interrupt handler that frees only ever tries the
 *	lock. It is given up between steps, so nobody waits for it longer than a
 *	flush and a step. Who got it finds what is flushed in the lists, and
 *	gives that back before it takes more: who returns from a purge knows
 *	that everything freed before it began was given back.
 *	The lists are added to by llist_add(), a release, after the entries were
 *	cleared; the purge takes them with acquire, then flushes: L1.
 *
 * Departures from Linux
 *	Lists per CPU, where Linux keeps trees of lazy areas. Ranges go back to
 *	the CPU that freed them. The one who needs room empties caches before
 *	it purges.
 */
#include <arch/smp.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <mm/hooks.h>
#include <mm/slab.h>
#include <mm/vmap_generation.h>
#include <mm/vmap_index.h>
#include <mm/vmap_purge.h>

/* Linux's choice: enough to spread the cost of a flush thin, and little
 * address space in proportion to all. */
#define LAZY_BYTES_PER_CPU_BIT (32UL << 20)

/* A larger number of pages is flushed by forgetting everything, so it does not
 * matter which they are. */
#define MAX_RANGE_PAGES 32

/* Areas that one step gives back. */
#define STEP_CACHED  256
#define STEP_RETIRED 64

size_t lazy_max_pages(void)
{
	return fls(cpus_online()) * (LAZY_BYTES_PER_CPU_BIT >> PAGE_SHIFT);
}

/* A flush has to wait for the other CPUs, which wants interrupts on; and it is
 * too much for an interrupt handler. */
static bool may_flush(void)
{
	return irq_enabled() && !in_interrupt();
}

static struct vmap_area *area_of(struct llist_node *node)
{
	return llist_entry_or_null(node, struct vmap_area, purge_list);
}

/* The numbers of the lists of @space. */
static cpumask_t lists_of(const struct vmap_space *space)
{
	return space->cpus ? cpu_online_mask() : cpumask_of(0);
}

static struct vmap_lazy *list_of(struct vmap_space *space, unsigned int nr)
{
	return space->cpus ? &per_cpu_ptr(space->cpus, nr)->lazy : &space->lazy;
}

/* ---- retiring ----------------------------------------------------------- */

/* Take the first area off *@chain, and from it all that it has as a range. */
static struct vmap_area *strip_first(struct vmap_space *space,
				     struct llist_node **chain)
{
	struct vmap_area *va = area_of(*chain);
	struct vm_struct *vm = va_vm(va);

	*chain = va->purge_list.next;
	if (va_flags(va) & VA_INDEXED)
		vmap_index_remove(space, va);
	set_va_flags(va, 0);
	kfree(vm->array);
	vm->array = NULL;
	return va;
}

/* Make @va reach over @next too, if they touch. */
static bool join(struct vmap_area *va, const struct vmap_area *next)
{
	if (next->va_end == va->va_start)
		va->va_start = next->va_start;
	else if (next->va_start == va->va_end)
		va->va_end = next->va_end;
	else
		return false;
	return true;
}

/* Retire up to @max areas of *@chain, joined where neighbours follow each
 * other. */
static void retire(struct vmap_space *space, struct llist_node **chain,
		   unsigned int max)
{
	struct vmap_area *va = NULL;
	LIST_HEAD(surplus);

	for (; *chain && max; max--) {
		struct vmap_area *next = strip_first(space, chain);

		if (!va) {
			va = next;
		} else if (join(va, next)) {
			list_add(&next->list, &surplus);
		} else {
			free_vmap_area(space, va);
			va = next;
		}
	}
	if (va)
		free_vmap_area(space, va);
	free_vmap_descriptors(&surplus);
}

void vmap_empty_caches(struct vmap_space *space)
{
	struct llist_node *chain = NULL;
	unsigned int cpu;

	if (!space->cpus)
		return;
	for_each_cpu(cpu, cpu_online_mask())
		vmap_cache_empty(space, cpu, &chain);
	retire(space, &chain, UINT32_MAX);
}

/* ---- purge -------------------------------------------------------------- */

/* Give back a bounded number of flushed areas. Return: false: there was none.
 */
static bool step_locked(struct vmap_space *space)
{
	unsigned int nr;

	if (space->retiring) {
		retire(space, &space->retiring, STEP_RETIRED);
		return true;
	}
	for_each_cpu(nr, lists_of(space)) {
		struct vmap_lazy *lazy = list_of(space, nr);

		if (!lazy->flushed)
			continue;
		if (space->cpus) {
			vmap_cache_put(space, nr, &lazy->flushed, STEP_CACHED,
				       &space->retiring);
		} else {
			space->retiring = lazy->flushed;
			lazy->flushed = NULL;
		}
		return true;
	}
	return false;
}

/* Give back all that is flushed. Other threads may run meanwhile if @yield. */
static void give_back_locked(struct vmap_space *space, bool yield)
{
	while (step_locked(space)) {
		if (!yield || !mm_may_sleep())
			continue;
		spin_unlock(&space->purge_lock);
		mm_yield();
		spin_lock(&space->purge_lock);
	}
}

/* ---- by generation ------------------------------------------------------ */

/* Close all lists: they are a batch now, with a generation of its own. */
static void close_lists_locked(struct vmap_space *space)
{
	unsigned int nr;

	for_each_cpu(nr, lists_of(space)) {
		struct vmap_lazy *lazy = list_of(space, nr);

		atomic_store_explicit(&lazy->pages, 0, memory_order_relaxed);
		lazy->pending = llist_del_all(&lazy->list);
	}
	space->pending_gen = vmap_generation_new();
}

/* What is pending becomes flushed, if it is. Return: was there any? */
static bool release_pending_locked(struct vmap_space *space)
{
	bool any = false;
	unsigned int nr;

	if (space->pending_gen && !vmap_generation_done(space->pending_gen))
		return false; /* L1 */
	for_each_cpu(nr, lists_of(space)) {
		struct vmap_lazy *lazy = list_of(space, nr);

		if (!lazy->pending || lazy->flushed)
			continue;
		lazy->flushed = lazy->pending;
		lazy->pending = NULL;
		any = true;
	}
	return any;
}

static bool anything_pending(struct vmap_space *space)
{
	unsigned int nr;

	for_each_cpu(nr, lists_of(space))
		if (list_of(space, nr)->pending)
			return true;
	return false;
}

/* Give back a batch that every CPU has flushed, and close the next. */
static void next_generation_locked(struct vmap_space *space)
{
	if (space->pending_gen && !vmap_generation_done(space->pending_gen))
		return;
	give_back_locked(space, false);
	while (release_pending_locked(space))
		give_back_locked(space, false);
	close_lists_locked(space);
}

static void try_next_generation(struct vmap_space *space)
{
	if (!spin_trylock(&space->purge_lock))
		return;
	next_generation_locked(space);
	spin_unlock(&space->purge_lock);
}

/* ---- by interrupt ------------------------------------------------------- */

/* Pages of a CPU's part of what may be lazy; a space without caches has but
 * one part. */
static size_t share_of(const struct vmap_space *space)
{
	return space->cpus ? lazy_max_pages() / cpus_online()
			   : lazy_max_pages();
}

/* Take all lists, which become .flushed. Return: pages, more or less. */
static size_t take_lists_locked(struct vmap_space *space)
{
	size_t pages = 0;
	unsigned int nr;

	for_each_cpu(nr, lists_of(space)) {
		struct vmap_lazy *lazy = list_of(space, nr);

		ASSERT(!lazy->flushed);
		pages += atomic_exchange_explicit(&lazy->pages, 0,
						  memory_order_relaxed);
		lazy->flushed = llist_del_all(&lazy->list);
		atomic_store_explicit(&lazy->limit, share_of(space) / 2,
				      memory_order_relaxed);
	}
	return pages;
}

/* Make [*@start, *@end) reach around the areas from @node on. Return: their
 * pages; counts no further than to more than MAX_RANGE_PAGES. */
static size_t add_range(struct llist_node *node, size_t pages, va_t *start,
			va_t *end)
{
	for (; node && pages <= MAX_RANGE_PAGES; node = node->next) {
		const struct vmap_area *va = area_of(node);

		*start = min(*start, get_va_start(va));
		*end = max(*end, va->va_end);
		pages += va_size(va) >> PAGE_SHIFT;
	}
	return pages;
}

/* Flush what take_lists_locked() took (L1). Return: was there anything? */
static bool flush_locked(struct vmap_space *space)
{
	va_t start = UINTPTR_MAX, end = 0;
	size_t pages = 0;
	unsigned int nr;

	for_each_cpu(nr, lists_of(space))
		pages = add_range(list_of(space, nr)->flushed, pages, &start,
				  &end);
	if (anything_pending(space))
		pages = SIZE_MAX;
	if (!pages)
		return false;
	if (pages > MAX_RANGE_PAGES) {
		start = space->start;
		end = space->end;
	}
	ASSERTF(start < end, "L2: [0x%lx, 0x%lx)", start, end);
	space->flush(start, end);
	space->pending_gen = 0;
	atomic_fetch_add_explicit(&space->nr_flushes, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&space->nr_purges, 1, memory_order_relaxed);
	return true;
}

static void decay_locked(struct vmap_space *space)
{
	unsigned int cpu;

	if (!space->cpus)
		return;
	for_each_cpu(cpu, cpu_online_mask())
		vmap_cache_decay(space, cpu, &space->retiring);
}

static size_t purge_locked(struct vmap_space *space, bool yield)
{
	size_t pages;

	give_back_locked(space, yield);
	pages = take_lists_locked(space);
	if (flush_locked(space)) {
		decay_locked(space);
		do
			give_back_locked(space, yield);
		while (release_pending_locked(space));
	}
	return pages;
}

size_t purge_vmap_area_lazy(struct vmap_space *space)
{
	size_t pages;

	spin_lock(&space->purge_lock);
	pages = purge_locked(space, true);
	spin_unlock(&space->purge_lock);
	return pages;
}

/* Purge, unless somebody does already. */
static void try_purge(struct vmap_space *space)
{
	if (!spin_trylock(&space->purge_lock))
		return;
	purge_locked(space, false);
	spin_unlock(&space->purge_lock);
}

void free_vmap_area_lazy(struct vmap_space *space, struct vmap_area *va)
{
	set_va_flags(va, va_flags(va) | VA_LAZY);
	add_lazy_area(space, va, va_size(va) >> PAGE_SHIFT);
}

/* Where to look again: half a part of fresh areas, or a bit more of those that
 * could not be closed. */
static size_t limit_by_generation(const struct vmap_lazy *lazy, size_t share)
{
	size_t pages = atomic_load_explicit(&lazy->pages, memory_order_relaxed);

	return clamp(pages + share / 8, share / 2, share);
}

noinline void vmap_too_lazy(struct vmap_space *space, struct vmap_lazy *lazy)
{
	size_t share = share_of(space), limit;
	size_t pages = atomic_load_explicit(&lazy->pages, memory_order_relaxed);

	if (pages > share && may_flush()) {
		try_purge(space);
		return;
	}
	if (purge_policy == PURGE_GENERATION && space == &vmalloc_space) {
		try_next_generation(space);
		limit = limit_by_generation(lazy, share);
	} else {
		limit = pages > share / 2 ? share : share / 2;
	}
	if (atomic_exchange_explicit(&lazy->limit, limit,
				     memory_order_relaxed) < limit &&
	    limit == share && space == &vmalloc_space)
		mm_wake_drain();
}

void vm_unmap_aliases(void)
{
	purge_vmap_area_lazy(&vmalloc_space);
}

void vmap_drain(void)
{
	vm_unmap_aliases();
	vmap_empty_caches(&vmalloc_space);
}

/* ---- allocation --------------------------------------------------------- */

int try_vmap_area(struct vmap_space *space, const struct vmap_request *req,
		  gfp_t gfp, struct vmap_area **area)
{
	if (req->start == space->start && req->end == space->end) {
		*area = vmap_cache_take_like(space, req->size, req->align);
		if (*area)
			return 0;
	}
	return place_vmap_area(space, req, gfp, area);
}

/* Make room without a flush. */
static void reclaim_flushed(struct vmap_space *space)
{
	if (spin_trylock(&space->purge_lock)) {
		give_back_locked(space, false);
		spin_unlock(&space->purge_lock);
	}
	vmap_empty_caches(space);
}

static noinline int try_harder(struct vmap_space *space,
			       const struct vmap_request *req, gfp_t gfp,
			       struct vmap_area **area)
{
	int err;

	reclaim_flushed(space);
	err = try_vmap_area(space, req, gfp, area);
	if (err != -ENOSPC || !(gfp & __GFP_DIRECT_RECLAIM))
		return err;
	purge_vmap_area_lazy(space);
	vmap_empty_caches(space);
	return try_vmap_area(space, req, gfp, area);
}

int alloc_vmap_area(struct vmap_space *space, const struct vmap_request *req,
		    gfp_t gfp, struct vmap_area **area)
{
	int err = try_vmap_area(space, req, gfp, area);

	if (likely(err != -ENOSPC))
		return err;
	return try_harder(space, req, gfp, area);
}
