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
 *	Each CPU has a list for each size of 1 to VMAP_CACHE_SIZES pages. Larger
 *	ranges are few: those whose sizes are equal modulo a small number share
 *	a list, of which the first few are looked at.
 *
 * Operations
 *	take	O(1): the first of the list; with an alignment, or a size that
 *		has no list of its own, one of the first few
 *	put	O(1) a range, less for those of equal size that follow each
 *		other: by purges alone, after the flush, to the CPU that had
 *		freed it
 *	decay	half of a class that nobody asked for since some purges goes
 *		back to the tree; so a cache follows what its CPU does
 *	empty	when there is no room elsewhere. Needs no flush: what is here
 *		was flushed.
 *
 * Invariants
 *	K1	every area in a cache has the flag VA_INDEXED and no state, and
 *		nothing is mapped in it on any CPU
 *	K2	.nr = areas on the list, each of its class's sizes, and those
 *		.taken; .weight = the sum over all classes
 *	K3	.weight <= cache_limit() after each put
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
#define MAX_LOOKS 64

/* After so many purges without a request a class begins to shrink. */
#define IDLE_PURGES 4

static bool enabled = true;

PARAM_BOOL("vmap_cache", enabled, "0: no per-CPU caches of address ranges");

static struct vmap_area *area_of(struct llist_node *node)
{
	return llist_entry(node, struct vmap_area, purge_list);
}

static size_t weight_of(size_t size)
{
	return (size >> PAGE_SHIFT) + VMAP_RANGE_WEIGHT;
}

/* With ranges of one page, as many as a purge brings; of larger ones more,
 * since their sizes differ. */
static size_t cache_limit(void)
{
	return enabled ? 5 * lazy_max_pages() / cpus_online() : 0;
}

/* The class of ranges of @size bytes, the guard page included. */
static size_t class_of(size_t size)
{
	size_t pages = (size >> PAGE_SHIFT) - 1;

	if (likely(pages <= VMAP_CACHE_SIZES))
		return pages - 1;
	return VMAP_CACHE_SIZES +
	       pages % (VMAP_CACHE_CLASSES - VMAP_CACHE_SIZES);
}

static struct vmap_area *take_like_locked(struct vmap_cpu *c, size_t size,
					  size_t align)
{
	struct vmap_class *class = &c->class[class_of(size)];
	struct llist_node **link = &class->first;

	for (unsigned int i = 0; i < MAX_LOOKS && *link; i++) {
		struct vmap_area *va = area_of(*link);

		if (get_va_start(va) & (align - 1) || va_size(va) != size) {
			link = &va->purge_list.next;
			continue;
		}
		*link = va->purge_list.next;
		class->nr--;
		class->idle = 0;
		c->weight -= weight_of(size);
		return va;
	}
	return NULL;
}

struct vmap_area *vmap_cache_take_like(const struct vmap_space *space,
				       size_t size, size_t align)
{
	struct vmap_area *va;
	struct vmap_cpu *c;
	unsigned long flags;

	if (!space->cpus || size < 2 * PAGE_SIZE)
		return NULL;
	flags = irq_save();
	c = this_cpu_ptr(space->cpus);
	spin_lock(&c->lock);
	va = take_like_locked(c, size, align);
	spin_unlock_irqrestore(&c->lock, flags);
	return va;
}

/*
 * Put areas of *@chain into the cache, up to @max of them, as long as they are
 * of one size.
 * Return: how many; 0 when the first can't be cached.
 */
static unsigned int put_run_locked(struct vmap_cpu *c,
				   struct llist_node **chain, unsigned int max,
				   size_t limit)
{
	struct llist_node *first = *chain, *last = first, *node = first;
	size_t size = va_size(area_of(first)), weight = weight_of(size);
	struct vmap_class *class = &c->class[class_of(size)];
	size_t room = c->weight < limit ? (limit - c->weight) / weight : 0;
	size_t like = va_likeness(area_of(first));
	unsigned int nr = 0;

	if (va_flags(area_of(first)) != (VA_LAZY | VA_INDEXED))
		return 0;
	for (max = min((size_t)max, room); nr < max && node; nr++) {
		if (va_likeness(area_of(node)) != like)
			break;
		area_of(node)->flags ^= VA_LAZY; /* K1 */
		last = node;
		node = node->next;
	}
	if (!nr)
		return 0;
	last->next = class->first;
	class->first = first;
	class->nr += nr;
	c->weight += nr * weight;
	*chain = node;
	return nr;
}

unsigned int vmap_cache_put(struct vmap_space *space, unsigned int cpu,
			    struct llist_node **chain, unsigned int max,
			    struct llist_node **rest)
{
	struct vmap_cpu *c = per_cpu_ptr(space->cpus, cpu);
	size_t limit = cache_limit();
	unsigned int left = max;
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	while (*chain && left) {
		unsigned int nr = put_run_locked(c, chain, left, limit);
		struct llist_node *node = *chain;

		left -= nr ? nr : 1;
		if (nr)
			continue;
		*chain = node->next;
		node->next = *rest;
		*rest = node;
	}
	spin_unlock_irqrestore(&c->lock, flags);
	return max - left;
}

/* Take @nr areas out of the class at @index. */
static void shrink_locked(struct vmap_cpu *c, size_t index, unsigned int nr,
			  struct llist_node **rest)
{
	struct vmap_class *class = &c->class[index];

	class->nr -= nr;
	while (nr--) {
		struct llist_node *node = class->first;

		c->weight -= weight_of(va_size(area_of(node)));
		class->first = node->next;
		node->next = *rest;
		*rest = node;
	}
}

/* Takes only count, since they are many: bring .nr and .weight to date. */
static void settle_takes_locked(struct vmap_cpu *c)
{
	for (size_t i = 0; i < VMAP_CACHE_SIZES; i++) {
		struct vmap_class *class = &c->class[i];

		if (likely(!class->taken))
			continue;
		class->nr -= class->taken;
		c->weight -= class->taken * weight_of((i + 2) << PAGE_SHIFT);
		class->taken = 0;
		class->idle = 0;
	}
}

void vmap_cache_decay(struct vmap_space *space, unsigned int cpu,
		      struct llist_node **rest)
{
	struct vmap_cpu *c = per_cpu_ptr(space->cpus, cpu);
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	settle_takes_locked(c);
	for (size_t i = 0; i < VMAP_CACHE_CLASSES; i++) {
		struct vmap_class *class = &c->class[i];

		if (unlikely(class->nr && class->idle++ >= IDLE_PURGES))
			shrink_locked(c, i, (class->nr + 1) / 2, rest);
	}
	spin_unlock_irqrestore(&c->lock, flags);
}

void vmap_cache_empty(struct vmap_space *space, unsigned int cpu,
		      struct llist_node **rest)
{
	struct vmap_cpu *c = per_cpu_ptr(space->cpus, cpu);
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	settle_takes_locked(c);
	for (size_t i = 0; i < VMAP_CACHE_CLASSES; i++)
		shrink_locked(c, i, c->class[i].nr, rest);
	spin_unlock_irqrestore(&c->lock, flags);
}

/* K1, K2 for a class. Return: its weight, or SIZE_MAX. */
static size_t verify_class(struct vmap_cpu *c, size_t index)
{
	const struct vmap_class *class = &c->class[index];
	unsigned int nr = 0;
	size_t weight = 0;

	for (struct llist_node *n = class->first; n; n = n->next, nr++) {
		size_t size = va_size(area_of(n));

		if (va_flags(area_of(n)) != VA_INDEXED ||
		    class_of(size) != index)
			return SIZE_MAX;
		weight += weight_of(size);
	}
	weight += class->taken * weight_of((index + 2) << PAGE_SHIFT);
	return nr + class->taken == class->nr ? weight : SIZE_MAX;
}

static bool verify_cpu(const struct vmap_space *space, unsigned int cpu)
{
	struct vmap_cpu *c = per_cpu_ptr(space->cpus, cpu);
	size_t weight = 0;

	for (size_t i = 0; i < VMAP_CACHE_CLASSES; i++) {
		size_t of_class = verify_class(c, i);

		if (of_class == SIZE_MAX) {
			printk("vmap space %s: K2: class %zu of CPU %u\n",
			       space->name, i, cpu);
			return false;
		}
		weight += of_class;
	}
	if (weight != c->weight)
		printk("vmap space %s: K2: CPU %u weighs %zu, not %zu\n",
		       space->name, cpu, weight, c->weight);
	return weight == c->weight;
}

bool vmap_cache_verify(struct vmap_space *space)
{
	unsigned int cpu;

	if (!space->cpus)
		return true;
	for_each_cpu(cpu, cpu_online_mask())
		if (!verify_cpu(space, cpu))
			return false;
	return true;
}
