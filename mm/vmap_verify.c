/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Areas looked at as a whole: sizes for reports, and whether the invariants of
 * vmap_area.c (A), vmap_index.c (I) and vmap_cache.c (K) hold.
 */
#include <lib/math.h>
#include <lib/printk.h>
#include <mm/vmap_cache.h>
#include <mm/vmap_index.h>

static struct vmap_area *area_of(const struct rb_node *node)
{
	return rb_entry(node, struct vmap_area, rb_node);
}

static size_t max_below(const struct rb_node *node)
{
	return node ? area_of(node)->subtree_max_size : 0;
}

/* ---- sizes -------------------------------------------------------------- */

static bool count_area(void *ctx, struct vmap_area *va)
{
	struct vmap_space_stats *stats = ctx;

	if (va_flags(va) & VA_BUSY)
		stats->nr_busy++;
	else if (!(va_flags(va) & VA_LAZY))
		stats->cached_pages += va_size(va) >> PAGE_SHIFT;
	return true;
}

static size_t lazy_pages(const struct vmap_lazy *lazy)
{
	return atomic_load_explicit(&lazy->pages, memory_order_relaxed);
}

struct vmap_space_stats vmap_space_stats(struct vmap_space *space)
{
	struct vmap_space_stats stats = {0};
	unsigned long flags;
	unsigned int cpu;

	spin_lock_irqsave(&space->free_lock, flags);
	stats.nr_free = space->nr_free;
	stats.free_bytes = space->free_bytes;
	stats.largest_free = max_below(space->free_root.rb_node);
	spin_unlock_irqrestore(&space->free_lock, flags);
	vmap_index_for_each(space, count_area, &stats);
	stats.lazy_pages = lazy_pages(&space->lazy);
	if (space->cpus)
		for_each_cpu(cpu, cpu_online_mask()) {
			struct vmap_cpu *c = per_cpu_ptr(space->cpus, cpu);

			stats.lazy_pages += lazy_pages(&c->lazy);
		}
	stats.nr_purges =
		atomic_load_explicit(&space->nr_purges, memory_order_relaxed);
	stats.nr_flushes =
		atomic_load_explicit(&space->nr_flushes, memory_order_relaxed);
	return stats;
}

/* ---- checks ------------------------------------------------------------- */

static bool broken(const struct vmap_space *space, const char *what,
		   const struct vmap_area *va)
{
	printk("vmap space %s: %s at [0x%lx, 0x%lx)\n", space->name, what,
	       va ? va->va_start : space->start, va ? va->va_end : space->end);
	return false;
}

static bool bounds_ok(const struct vmap_space *space,
		      const struct vmap_area *va)
{
	return space->start <= get_va_start(va) &&
	       get_va_start(va) < va->va_end && va->va_end <= space->end &&
	       !(va->va_end & ~PAGE_MASK);
}

static bool max_ok(const struct vmap_area *va)
{
	size_t largest = max(max_below(va->rb_node.rb_left),
			     max_below(va->rb_node.rb_right));

	return va->subtree_max_size == max(largest, va_size(va));
}

static bool verify_free(struct vmap_space *space)
{
	struct rb_node *node = rb_first(&space->free_root);
	const struct vmap_area *va, *prev = NULL;
	size_t nr = 0, bytes = 0;

	if (!rb_verify(&space->free_root))
		return broken(space, "free tree out of balance", NULL);
	list_for_each_entry(va, &space->free_list, list) {
		if (node != &va->rb_node)
			return broken(space, "A4: list and tree differ", va);
		if (va_flags(va))
			return broken(space, "A6: flags of a free area", va);
		if (!bounds_ok(space, va))
			return broken(space, "A1: bounds of a free area", va);
		if (prev && prev->va_end >= va->va_start)
			return broken(space, "A2: free areas touch", va);
		if (!max_ok(va))
			return broken(space, "A3: subtree_max_size", va);
		nr++;
		bytes += va_size(va);
		prev = va;
		node = rb_next(node);
	}
	if (node || nr != space->nr_free || bytes != space->free_bytes)
		return broken(space, "A4: free areas miscounted", NULL);
	return true;
}

/* A5, I2 for one indexed area: no free area has a part of it. */
static bool verify_indexed(void *ctx, struct vmap_area *va)
{
	struct vmap_space *space = ctx;
	const struct vmap_request there = {PAGE_SIZE, PAGE_SIZE,
					   get_va_start(va), va->va_end};
	va_t flags = va_flags(va) & ~VA_INDEXED;
	va_t addr;

	if (!bounds_ok(space, va))
		return broken(space, "A1: bounds of an area", va);
	if (flags & (flags - 1))
		return broken(space, "A5: flags of an area", va);
	if (find_fit_locked(space, &there, &addr))
		return broken(space, "A5: not free and free", va);
	return true;
}

/* A7: what the tree finds is what a scan of the list finds. */
static bool verify_fit(struct vmap_space *space, const struct vmap_request *req)
{
	struct vmap_area *va, *scanned = NULL;
	va_t found_at = 0, scanned_at = 0;
	struct vmap_area *found = find_fit_locked(space, req, &found_at);

	list_for_each_entry(va, &space->free_list, list)
		if (vmap_area_fits(va, req, &scanned_at)) {
			scanned = va;
			break;
		}
	if (found != scanned || (found && found_at != scanned_at))
		return broken(space, "A7: not the lowest fit", found);
	return true;
}

static bool verify_fits(struct vmap_space *space)
{
	for (size_t size = PAGE_SIZE; size && size <= space->end - space->start;
	     size *= 4)
		for (size_t align = PAGE_SIZE; align <= 64 * PAGE_SIZE;
		     align *= 8)
			if (!verify_fit(space,
					&(struct vmap_request){size, align,
							       space->start,
							       space->end}))
				return false;
	return true;
}

bool vmap_space_verify(struct vmap_space *space)
{
	return verify_free(space) && verify_fits(space) &&
	       vmap_index_verify(space) &&
	       vmap_index_for_each(space, verify_indexed, space) &&
	       vmap_cache_verify(space);
}
