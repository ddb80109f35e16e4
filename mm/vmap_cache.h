/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-CPU caches of ranges by size, in front of the free tree. See
 * vmap_cache.c.
 */
#ifndef MM_VMAP_CACHE_H
#define MM_VMAP_CACHE_H

#include <arch/cpumask.h>
#include <arch/percpu.h>
#include <mm/vmap_area.h>

/* Ranges of up to so many pages, the guard page not counted, have a class for
 * each size; larger ones share classes. */
#define VMAP_CACHE_SIZES   128
#define VMAP_CACHE_CLASSES (VMAP_CACHE_SIZES + 16)

/* Ranges of one size, or of a few. */
struct vmap_class {
	struct llist_node *first; /* L: by .purge_list */
	uint32_t taken;           /* L: and not taken off .nr yet */
	uint16_t nr;              /* L: on the list, and those .taken */
	uint16_t idle;            /* L: purges since any was taken */
};

/* A range weighs its pages, and so much for the memory that it holds. */
#define VMAP_RANGE_WEIGHT 6

/* What a CPU has of a space. Lock letters: L lock; and as in vmap_area.h. */
struct vmap_cpu {
	struct vmap_lazy lazy;

	spinlock_t lock;
	size_t weight; /* L: of .nr ranges in each class */
	struct vmap_class class[VMAP_CACHE_CLASSES]; /* see class_of() */
};

/* Those of vmalloc space. */
DECLARE_PER_CPU(struct vmap_cpu, vmalloc_cpus);

/*
 * Take a range of @index + 1 pages, and a guard page, out of this CPU's cache;
 * @index < VMAP_CACHE_SIZES. @space has caches. Context: any.
 * Return: the area, VA_INDEXED and no more; NULL when there is none.
 */
static __always_inline struct vmap_area *
vmap_cache_take(const struct vmap_space *space, size_t index)
{
	unsigned long flags = irq_save();
	struct vmap_cpu *c = this_cpu_ptr(
		space == &vmalloc_space ? &vmalloc_cpus : space->cpus);
	struct vmap_class *class = &c->class[index];
	struct llist_node *node;

	spin_lock(&c->lock);
	node = class->first;
	if (likely(node)) {
		class->first = node->next;
		class->taken++;
	}
	spin_unlock_irqrestore(&c->lock, flags);
	return llist_entry_or_null(node, struct vmap_area, purge_list);
}

/*
 * The same for any @size, the guard page included, and a range that starts at
 * a multiple of @align, if one is among the first few.
 */
struct vmap_area *vmap_cache_take_like(const struct vmap_space *space,
				       size_t size, size_t align);

/*
 * Put up to @max of the areas of *@chain, which are VA_LAZY and flushed, into
 * @cpu's cache, where they may stay; the others to *@rest.
 * Context: any. Return: how many were taken off *@chain.
 */
unsigned int vmap_cache_put(struct vmap_space *space, unsigned int cpu,
			    struct llist_node **chain, unsigned int max,
			    struct llist_node **rest);

/*
 * Take out of @cpu's cache a half of each class of which nobody took any since
 * the last call, and put them to *@rest. Context: any.
 */
void vmap_cache_decay(struct vmap_space *space, unsigned int cpu,
		      struct llist_node **rest);

/* Empty @cpu's cache to *@rest. Context: any. */
void vmap_cache_empty(struct vmap_space *space, unsigned int cpu,
		      struct llist_node **rest);

/*
 * Check K1 and K2 of vmap_cache.c.
 * Context: as vmap_space_verify().
 * Return: false after one line.
 */
bool vmap_cache_verify(struct vmap_space *space);

#endif
