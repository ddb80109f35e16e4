/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Areas of kernel addresses: free space, and placement in it.
 *
 * Terms
 *	area	a range of addresses with a descriptor, struct vmap_area
 *	free	in the free tree: anybody may have it
 *	busy	somebody uses it, look-ups find it (vmap_index.c)
 *	lazy	freed, but a CPU may remember what was mapped (vmap_purge.c)
 *	cached	flushed, and kept for the next who wants that size
 *		(vmap_cache.c)
 *	fit	a free area has a fit for a request when an aligned range of
 *		the requested size lies in it and in the request's window
 *	space	the addresses that one free tree manages
 *
 * Structures
 *	The free tree holds the free areas by address. Each node also knows
 *	subtree_max_size, the size of the largest area in the tree below it:
 *	whole subtrees without a large enough area are passed over with one
 *	comparison. The same areas are on a list, so that the neighbours of a
 *	place are at hand when an area comes back.
 *	An area goes through its states with one descriptor of 8 words: what it
 *	needs in one state it does not need in another (struct vmap_area). The
 *	flags that tell the states apart have room below PAGE_SIZE in va_start.
 *
 * Operations
 *	place	the lowest fit. A walk in address order that goes only where
 *		subtree_max_size >= size, starting at the window. Without
 *		alignment the first large area is a fit: O(log n). With it,
 *		large areas without an aligned place may have to be passed, at
 *		O(log n) each. Nothing that exists is missed.
 *		The area found is cut: all of it (its descriptor becomes
 *		superfluous), one end (its bounds move), or the middle (a
 *		second descriptor is needed, got before the lock is taken once
 *		more).
 *
 *	free	O(log n): the place is found, and the area melts into the
 *		neighbours that it touches. Needs no memory.
 *
 * Invariants
 *	A1	start <= va_start < va_end <= end, multiples of PAGE_SIZE
 *	A2	free: a.va_end < next(a).va_start: ordered, and no two touch
 *	A3	free: subtree_max_size(a) = max(size(a), subtree_max_size of
 *		both children)
 *	A4	the free list is the free tree in order; nr_free its length,
 *		free_bytes the sum of its sizes
 *	A5	an area that is not free is disjoint from every free one
 *	A6	free: no flag is set
 *	A7	place gives the lowest fit there is
 *	free + busy + lazy + cached + just being placed or freed = the space
 *
 * Locking
 *	free_lock protects the tree and the list. Interrupts are off under it,
 *	since areas may be freed by interrupt handlers. Descriptors are
 *	allocated before it is taken and freed after. An area that is not free
 *	belongs to the one who took it.
 *
 * Departures from Linux
 *	Linux looks for size + align - 1 bytes where alignment is asked for,
 *	and so misses holes, and windows, that fit exactly. Here the search
 *	tries each candidate. Linux takes the second descriptor from a stock
 *	per CPU; here the rare request that needs one starts over with it.
 */
#include <arch/tlb.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <mm/slab.h>
#include <mm/vmap_area.h>
#include <mm/vmap_index.h>

static struct kmem_cache *desc_cache;

static struct vmap_area *area_of(const struct rb_node *node)
{
	return rb_entry(node, struct vmap_area, rb_node);
}

/* ---- the free tree ------------------------------------------------------ */

/* A free area has no flags (A6), so its va_start is read as it is. */
static size_t free_size(const struct vmap_area *va)
{
	return va->va_end - va->va_start;
}

RB_DECLARE_CALLBACKS_MAX(free_tree, struct vmap_area, rb_node, size_t,
			 subtree_max_size, free_size);

static size_t max_below(const struct rb_node *node)
{
	return node ? area_of(node)->subtree_max_size : 0;
}

/* The size of @va changed: bring the values on the way to the root to date. */
static void resized_locked(struct vmap_area *va)
{
	free_tree_propagate(&va->rb_node, NULL);
}

/*
 * Put @va at @link below @parent, and after @prev in the list.
 */
static void link_free_locked(struct vmap_space *space, struct vmap_area *va,
			     struct rb_node *parent, struct rb_node **link,
			     struct list_head *prev)
{
	va->subtree_max_size = free_size(va);
	rb_link_node(&va->rb_node, parent, link);
	if (parent)
		free_tree_propagate(parent, NULL);
	rb_insert_augmented(&va->rb_node, &space->free_root, &free_tree);
	list_add(&va->list, prev);
	space->nr_free++;
}

static void unlink_free_locked(struct vmap_space *space, struct vmap_area *va)
{
	rb_erase_augmented(&va->rb_node, &space->free_root, &free_tree);
	list_del(&va->list);
	space->nr_free--;
}

/* Put @va next to @prev, its neighbour below in the tree and the list. */
static void link_free_after_locked(struct vmap_space *space,
				   struct vmap_area *va, struct vmap_area *prev)
{
	struct rb_node *parent = &prev->rb_node, **link = &parent->rb_right;

	while (*link) {
		parent = *link;
		link = &parent->rb_left;
	}
	link_free_locked(space, va, parent, link, &prev->list);
}

static struct vmap_area *list_area(struct vmap_space *space,
				   struct list_head *entry)
{
	return entry == &space->free_list
		       ? NULL
		       : list_entry(entry, struct vmap_area, list);
}

/* Let @va melt into the free areas that it touches, or become one. */
static void free_vmap_area_locked(struct vmap_space *space,
				  struct vmap_area *va,
				  struct list_head *surplus)
{
	struct rb_node **link = &space->free_root.rb_node, *parent = NULL;
	struct list_head *before = &space->free_list;
	struct vmap_area *prev, *next;

	set_va_flags(va, 0); /* A6 */
	space->free_bytes += free_size(va);
	while (*link) {
		struct vmap_area *other = area_of(*link);

		parent = *link;
		if (va->va_end <= other->va_start) {
			link = &parent->rb_left;
			continue;
		}
		ASSERTF(va->va_start >= other->va_end,
			"A2: [0x%lx, 0x%lx) freed, [0x%lx, 0x%lx) is free",
			va->va_start, va->va_end, other->va_start,
			other->va_end);
		before = &other->list;
		link = &parent->rb_right;
	}
	prev = list_area(space, before);
	next = list_area(space, before->next);

	if (next && next->va_start == va->va_end) {
		list_add(&va->list, surplus);
		next->va_start = va->va_start;
		va = next;
		if (prev && prev->va_end == va->va_start) {
			unlink_free_locked(space, va);
			list_add(&va->list, surplus);
			prev->va_end = va->va_end;
			va = prev;
		}
		resized_locked(va);
	} else if (prev && prev->va_end == va->va_start) {
		list_add(&va->list, surplus);
		prev->va_end = va->va_end;
		resized_locked(prev);
	} else {
		link_free_locked(space, va, parent, link, before);
	}
}

static struct vmap_area *alloc_desc(gfp_t gfp)
{
	struct vmap_desc *desc = kmem_cache_alloc(desc_cache, gfp);

	if (unlikely(!desc))
		return NULL;
	desc->va.flags = 0;
	desc->vm.array = NULL;
	desc->vm.flags = 0;
	return &desc->va;
}

static void free_desc(struct vmap_area *va)
{
	kmem_cache_free(desc_cache, container_of(va, struct vmap_desc, va));
}

void free_vmap_descriptors(struct list_head *surplus)
{
	struct vmap_area *va, *tmp;

	list_for_each_entry_safe(va, tmp, surplus, list)
		free_desc(va);
}

void free_vmap_area(struct vmap_space *space, struct vmap_area *va)
{
	LIST_HEAD(surplus);
	unsigned long flags;

	spin_lock_irqsave(&space->free_lock, flags);
	free_vmap_area_locked(space, va, &surplus);
	spin_unlock_irqrestore(&space->free_lock, flags);
	free_vmap_descriptors(&surplus);
}

/* ---- placement ---------------------------------------------------------- */

bool vmap_area_fits(const struct vmap_area *va, const struct vmap_request *req,
		    va_t *addr)
{
	va_t low = max(va->va_start, req->start);
	va_t high = min(va->va_end, req->end);
	va_t start = round_up(low, req->align);

	*addr = start;
	return start >= low && start < high && high - start >= req->size;
}

/*
 * The free area with the lowest fit for @req, which goes to @addr (A7). Visits
 * in address order the areas of which subtree_max_size says that they may be
 * large enough. Left of an area that starts at or below the window nothing is
 * of use.
 */
struct vmap_area *find_fit_locked(struct vmap_space *space,
				  const struct vmap_request *req, va_t *addr)
{
	struct rb_node *node = space->free_root.rb_node, *child;

	if (max_below(node) < req->size)
		return NULL;
	for (;;) {
		/* Down: as far left as there may be a fit. */
		while (area_of(node)->va_start > req->start &&
		       max_below(node->rb_left) >= req->size)
			node = node->rb_left;
		/* In order: this one, its right subtree, those above. */
		for (;;) {
			if (vmap_area_fits(area_of(node), req, addr))
				return area_of(node);
			if (area_of(node)->va_start >= req->end)
				return NULL;
			if (max_below(node->rb_right) >= req->size)
				break;
			do {
				child = node;
				node = rb_parent(node);
				if (!node)
					return NULL;
			} while (child == node->rb_right);
		}
		node = node->rb_right;
	}
}

/*
 * Cut [start, end) out of the free area @hole. Takes a descriptor out of
 * @fresh for each piece beyond the first: at most two pieces remain beside the
 * one cut out.
 * Return: the area; NULL, and nothing is done, when @fresh has too few.
 */
static struct vmap_area *cut_locked(struct vmap_space *space,
				    struct vmap_area *hole, va_t start,
				    va_t end, struct vmap_area *fresh[2])
{
	bool below = hole->va_start < start, above = end < hole->va_end;
	struct vmap_area *area = hole, *rest = fresh[1];

	if ((below || above) && !fresh[0])
		return NULL;
	if (below && above && !rest)
		return NULL;
	space->free_bytes -= end - start;
	if (!below && !above) {
		unlink_free_locked(space, hole);
		return hole;
	}
	area = fresh[0];
	area->va_start = start;
	area->va_end = end;
	fresh[0] = NULL;
	if (below && above) {
		rest->va_start = end;
		rest->va_end = hole->va_end;
		fresh[1] = NULL;
	}
	if (below)
		hole->va_end = start;
	else
		hole->va_start = end;
	resized_locked(hole);
	if (below && above)
		link_free_after_locked(space, rest, hole);
	return area;
}

/* Return: 0 with the area; -ENOSPC; -EBUSY: more @fresh descriptors needed. */
static int take_fit(struct vmap_space *space, const struct vmap_request *req,
		    struct vmap_area *fresh[2], struct vmap_area **area)
{
	struct vmap_area *hole;
	unsigned long flags;
	va_t addr;

	spin_lock_irqsave(&space->free_lock, flags);
	hole = find_fit_locked(space, req, &addr);
	*area = hole ? cut_locked(space, hole, addr, addr + req->size, fresh)
		     : NULL;
	spin_unlock_irqrestore(&space->free_lock, flags);
	return *area ? 0 : hole ? -EBUSY : -ENOSPC;
}

/* take_fit() again, with one more descriptor. */
static noinline int take_fit_inside(struct vmap_space *space,
				    const struct vmap_request *req, gfp_t gfp,
				    struct vmap_area *fresh[2],
				    struct vmap_area **area)
{
	fresh[1] = alloc_desc(gfp);
	if (!fresh[1])
		return -ENOMEM;
	return take_fit(space, req, fresh, area);
}

int place_vmap_area(struct vmap_space *space, const struct vmap_request *req,
		    gfp_t gfp, struct vmap_area **area)
{
	struct vmap_area *fresh[2] = {alloc_desc(gfp), NULL};
	int err;

	DEBUG_ASSERT(req->size && !(req->size & ~PAGE_MASK));
	DEBUG_ASSERT(is_power_of_2(req->align) && req->align >= PAGE_SIZE);
	if (unlikely(!fresh[0]))
		return -ENOMEM;
	err = take_fit(space, req, fresh, area);
	if (unlikely(err == -EBUSY))
		err = take_fit_inside(space, req, gfp, fresh, area);
	if (fresh[0])
		free_desc(fresh[0]);
	if (unlikely(fresh[1]))
		free_desc(fresh[1]);
	return err;
}

/* ---- spaces ------------------------------------------------------------- */

void vmap_area_init(void)
{
	desc_cache = kmem_cache_create("vmap_area", sizeof(struct vmap_desc), 0,
				       NULL);
	if (!desc_cache)
		panic("vmap areas: no cache of descriptors");
	vmap_index_boot();
}

int vmap_space_init(struct vmap_space *space, const char *name, va_t start,
		    va_t end, pte_t *root)
{
	struct vmap_area *all;

	if (start >= end || (start | end) & ~PAGE_MASK) {
		printk("vmap space %s: [0x%lx, 0x%lx) is empty or not whole "
		       "pages\n",
		       name, start, end);
		return -EINVAL;
	}
	all = alloc_desc(GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	*space = (struct vmap_space){
		.name = name,
		.start = start,
		.end = end,
		.root = root,
		.flush = tlb_flush_kernel_range,
		.free_list = LIST_HEAD_INIT(space->free_list),
	};
	if (vmap_index_init(space)) {
		free_desc(all);
		return -ENOMEM;
	}
	all->va_start = start;
	all->va_end = end;
	free_vmap_area(space, all);
	return 0;
}

void vmap_space_destroy(struct vmap_space *space)
{
	LIST_HEAD(all);

	ASSERTF(space->free_bytes == space->end - space->start,
		"vmap space %s: %zu of %zu bytes are free", space->name,
		space->free_bytes, (size_t)(space->end - space->start));
	list_splice_init(&space->free_list, &all);
	free_vmap_descriptors(&all);
	space->free_root = RB_ROOT;
	vmap_index_destroy(space);
}
