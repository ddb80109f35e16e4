/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-CPU caches of ranges.
 *
 * Terms
 *	range	an area that nobody uses, and all that was made for it: its
 *		descriptor, the words of the index, its page tables, a page
 *		array if it ever needed one
 *	class	the ranges of one size in a CPU's cache
 *
 * Why
 *	Most allocations are of a size that was freed shortly before. A range
 *	of just that size saves the search, the cut, the descriptor, the index,
 *	the walk of the page tables, and, when it is freed, all of it again.
 *	vmem calls these quantum caches.
 *
 * Structures
 *	Each CPU has a list for each size of 1 to VMAP_CACHE_CLASSES pages.
 *	Larger ranges are seldom, and their pages cost more than what a cache
 *	saves.
 *
 * Operations
 *	take	O(1): the first of the list. With an alignment, the first few.
 *	put	O(1) a range: by purges alone, after the flush, to the CPU that
 *		had freed it
 *	decay	half of what nobody asked for between two purges goes back to
 *		the tree; so a cache follows what its CPU does.
 *	empty	when there is no room elsewhere. Needs no flush: what is here
 *		was flushed.
 *
 * Invariants
 *	K1	every area in a cache has the flag VA_INDEXED and no state, and
 *		nothing is mapped in it on any CPU
 *	K2	.nr = areas on the list, each of its class's size; .pages = the
 *		sum over all classes
 *	K3	.pages <= cache_limit() after each put: as many addresses may
 *		be kept as may be lazy
 *
 * Locking
 *	Each CPU's .lock, interrupts off. Others than its CPU take it in purges
 *	alone, so it is nearly always free.
 *
 * Departures from Linux
 *	Linux has pools of ranges by size, too, per node: shared by CPUs, which
 *	are spread over them by number; it looks a range up in the busy tree
 *	and allocates its descriptors each time even so.
 */
#include <lib/math.h>
#include <lib/param.h>
#include <lib/printk.h>
#include <mm/vmap_cache.h>
#include <mm/vmap_purge.h>

/* Ranges that are looked at for one with the alignment asked for. */
#define MAX_LOOKS 8

static bool enabled = true;

PARAM_BOOL("vmap_cache", enabled, "0: no per-CPU caches of address ranges");

static struct vmap_area *area_of(struct llist_node *node)
{
	return llist_entry(node, struct vmap_area, purge_list);
}

static size_t cache_limit(void)
{
	return enabled ? lazy_max_pages() / cpus_online() : 0;
}

static struct vmap_area *take_aligned_locked(struct vmap_cpu *c, size_t index,
					     size_t align)
{
	struct vmap_class *class = &c->class[index];
	struct llist_node **link = &class->first, *node;

	for (unsigned int i = 0; i < MAX_LOOKS && *link; i++) {
		node = *link;
		if (get_va_start(area_of(node)) & (align - 1)) {
			link = &node->next;
			continue;
		}
		*link = node->next;
		class->nr--;
		class->taken++;
		c->pages -= index + 2;
		return area_of(node);
	}
	return NULL;
}

struct vmap_area *vmap_cache_take_aligned(const struct vmap_space *space,
					  size_t size, size_t align)
{
	size_t index = (size >> PAGE_SHIFT) - 2;
	struct vmap_area *va;
	struct vmap_cpu *c;
	unsigned long flags;

	if (!space->cpus || index >= VMAP_CACHE_CLASSES)
		return NULL;
	flags = irq_save();
	c = this_cpu_ptr(space->cpus);
	spin_lock(&c->lock);
	va = take_aligned_locked(c, index, align);
	spin_unlock_irqrestore(&c->lock, flags);
	return va;
}

static bool put_locked(struct vmap_cpu *c, struct vmap_area *va, size_t limit)
{
	size_t pages = va_size(va) >> PAGE_SHIFT, index = pages - 2;

	if (index >= VMAP_CACHE_CLASSES || !(va_flags(va) & VA_INDEXED) ||
	    c->pages + pages > limit)
		return false;
	set_va_flags(va, VA_INDEXED); /* K1 */
	va->purge_list.next = c->class[index].first;
	c->class[index].first = &va->purge_list;
	c->class[index].nr++;
	c->pages += pages;
	return true;
}

unsigned int vmap_cache_put(struct vmap_space *space, unsigned int cpu,
			    struct llist_node **chain, unsigned int max,
			    struct llist_node **rest)
{
	struct vmap_cpu *c = per_cpu_ptr(space->cpus, cpu);
	size_t limit = cache_limit();
	unsigned int nr = 0;
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	for (; *chain && nr < max; nr++) {
		struct llist_node *node = *chain;

		*chain = node->next;
		if (put_locked(c, area_of(node), limit))
			continue;
		node->next = *rest;
		*rest = node;
	}
	spin_unlock_irqrestore(&c->lock, flags);
	return nr;
}

/* Take @nr areas out of the class at @index. */
static void shrink_locked(struct vmap_cpu *c, size_t index, unsigned int nr,
			  struct llist_node **rest)
{
	struct vmap_class *class = &c->class[index];

	class->nr -= nr;
	c->pages -= nr * (index + 2);
	while (nr--) {
		struct llist_node *node = class->first;

		class->first = node->next;
		node->next = *rest;
		*rest = node;
	}
}

void vmap_cache_decay(struct vmap_space *space, unsigned int cpu,
		      struct llist_node **rest)
{
	struct vmap_cpu *c = per_cpu_ptr(space->cpus, cpu);
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	for (size_t i = 0; i < VMAP_CACHE_CLASSES; i++) {
		struct vmap_class *class = &c->class[i];

		if (unlikely(class->nr && !class->taken))
			shrink_locked(c, i, (class->nr + 1) / 2, rest);
		class->taken = 0;
	}
	spin_unlock_irqrestore(&c->lock, flags);
}

void vmap_cache_empty(struct vmap_space *space, unsigned int cpu,
		      struct llist_node **rest)
{
	struct vmap_cpu *c = per_cpu_ptr(space->cpus, cpu);
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	for (size_t i = 0; i < VMAP_CACHE_CLASSES; i++)
		shrink_locked(c, i, c->class[i].nr, rest);
	spin_unlock_irqrestore(&c->lock, flags);
}

static bool verify_class(struct vmap_cpu *c, size_t index)
{
	const struct vmap_class *class = &c->class[index];
	unsigned int nr = 0;

	for (struct llist_node *n = class->first; n; n = n->next, nr++)
		if (va_flags(area_of(n)) != VA_INDEXED ||
		    va_size(area_of(n)) != (index + 2) << PAGE_SHIFT)
			return false;
	return nr == class->nr;
}

bool vmap_cache_verify(struct vmap_space *space)
{
	unsigned int cpu;

	if (!space->cpus)
		return true;
	for_each_cpu(cpu, cpu_online_mask())
	{
		struct vmap_cpu *c = per_cpu_ptr(space->cpus, cpu);
		size_t pages = 0;

		for (size_t i = 0; i < VMAP_CACHE_CLASSES; i++) {
			pages += c->class[i].nr * (i + 2);
			if (verify_class(c, i))
				continue;
			printk("vmap space %s: K2: CPU %u's ranges of %zu "
			       "pages\n",
			       space->name, cpu, i + 1);
			return false;
		}
		if (pages == c->pages)
			continue;
		printk("vmap space %s: K2: CPU %u has %zu pages, not %zu\n",
		       space->name, cpu, pages, c->pages);
		return false;
	}
	return true;
}
