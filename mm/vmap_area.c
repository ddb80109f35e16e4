/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Areas of kernel addresses: free space, placement, busy areas.
 *
 * Terms
 *	area	a range of addresses with a descriptor, struct vmap_area
 *	free	in the free tree: anybody may have it
 *	busy	in the busy tree: somebody uses it, look-ups find it
 *	lazy	freed, but a CPU may remember what was mapped (vmap_purge.c)
 *	fit	a free area has a fit for a request when an aligned range of
 *		the requested size lies in it and in the request's window
 *	space	the addresses that one pair of trees manages
 *
 * Structures
 *	The free tree holds the free areas by address. Each node also knows
 *	subtree_max_size, the size of the largest area in the tree below it:
 *	whole subtrees without a large enough area are passed over with one
 *	comparison. The same areas are on a list, so that the neighbours of a
 *	place are at hand when an area comes back.
 *	The busy tree holds the busy areas by address, no more.
 *	An area moves between the trees with one descriptor of 8 words: what it
 *	needs in one state it does not need in another (struct vmap_area).
 *
 * Operations
 *	place	the lowest fit. A walk in address order that goes only where
 *		subtree_max_size >= size, starting at the window. Without
 *		alignment the first large area is a fit: O(log n). With it,
 *		large areas without an aligned place may have to be passed, at
 *		O(log n) each. Nothing that exists is missed.
 *		The area found is cut: all of it (its descriptor becomes
 *		superfluous), one end (its bounds move), or the middle (a
 *		second descriptor is needed, got before the lock is taken
 *again). free	O(log n): the place is found, and the area melts into the
 *		neighbours that it touches.
 *	find	O(log n), for any address inside.
 *	Freeing needs no memory.
 *
 * Invariants
 *	A1	start <= va_start < va_end <= end, multiples of PAGE_SIZE
 *	A2	free: a.va_end < next(a).va_start: ordered, and no two touch
 *	A3	free: subtree_max_size(a) = max(size(a), subtree_max_size of
 *		both children)
 *	A4	the free list is the free tree in order; nr_free its length,
 *		free_bytes the sum of its sizes
 *	A5	busy: ordered, disjoint, disjoint from every free area, flag
 *		VA_VM or VA_RAM set; nr_busy their number
 *	A6	free: no flag is set
 *	A7	place gives the lowest fit there is
 *	free + busy + lazy + just being placed or freed = the whole space
 *
 * Locking
 *	free_lock protects the free tree, busy_lock the busy tree; never both
 *	at once. Interrupts are off under either, since areas may be freed by
 *	interrupt handlers. Descriptors are allocated before and freed after.
 *	An area in no tree belongs to the one who took it there.
 *
 * Departures from Linux
 *	Linux looks for size + align - 1 bytes where alignment is asked for,
 *	and so misses holes, and windows, that fit exactly. Here the search
 *	tries each candidate. Linux takes the second descriptor from a stock
 *	per CPU; here the rare request that needs one starts over with it.
 *	Look-up before setting up finds empty trees, and nothing else.
 */
#include <arch/tlb.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <mm/slab.h>
#include <mm/vmap_area.h>

struct vmap_space vmalloc_space;

static struct kmem_cache *vmap_area_cache;

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

void free_vmap_descriptors(struct list_head *surplus)
{
	struct vmap_area *va, *tmp;

	list_for_each_entry_safe(va, tmp, surplus, list)
		kmem_cache_free(vmap_area_cache, va);
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

/* Return: true with the lowest fit for @req in the free @va. */
static bool fits(const struct vmap_area *va, const struct vmap_request *req,
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
static struct vmap_area *find_fit_locked(struct vmap_space *space,
					 const struct vmap_request *req,
					 va_t *addr)
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
			if (fits(area_of(node), req, addr))
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
	fresh[1] = kmem_cache_alloc(vmap_area_cache, gfp);
	if (!fresh[1])
		return -ENOMEM;
	return take_fit(space, req, fresh, area);
}

int place_vmap_area(struct vmap_space *space, const struct vmap_request *req,
		    gfp_t gfp, struct vmap_area **area)
{
	struct vmap_area *fresh[2] = {kmem_cache_alloc(vmap_area_cache, gfp),
				      NULL};
	int err;

	DEBUG_ASSERT(req->size && !(req->size & ~PAGE_MASK));
	DEBUG_ASSERT(is_power_of_2(req->align) && req->align >= PAGE_SIZE);
	if (unlikely(!fresh[0]))
		return -ENOMEM;
	err = take_fit(space, req, fresh, area);
	if (unlikely(err == -EBUSY))
		err = take_fit_inside(space, req, gfp, fresh, area);
	if (fresh[0])
		kmem_cache_free(vmap_area_cache, fresh[0]);
	if (unlikely(fresh[1]))
		kmem_cache_free(vmap_area_cache, fresh[1]);
	return err;
}

/* ---- the busy tree ------------------------------------------------------ */

void insert_vmap_area(struct vmap_space *space, struct vmap_area *va,
		      struct vm_struct *vm)
{
	struct rb_node **link = &space->busy_root.rb_node, *parent = NULL;
	va_t start = get_va_start(va);
	unsigned long flags;

	va->vm = vm;
	set_va_flags(va, VA_VM);
	spin_lock_irqsave(&space->busy_lock, flags);
	while (*link) {
		parent = *link;
		link = start < area_of(parent)->va_start ? &parent->rb_left
							 : &parent->rb_right;
	}
	rb_link_node(&va->rb_node, parent, link);
	rb_insert_color(&va->rb_node, &space->busy_root);
	space->nr_busy++;
	spin_unlock_irqrestore(&space->busy_lock, flags);
}

/* The flags in va_start are below PAGE_SIZE: round @addr up, and they do not
 * matter for whether it lies at or above va_start. */
static struct vmap_area *find_busy_locked(struct vmap_space *space, va_t addr)
{
	struct rb_node *node = space->busy_root.rb_node;
	va_t page_last = addr | ~PAGE_MASK;

	while (node) {
		struct vmap_area *va = area_of(node);

		if (page_last < va->va_start)
			node = node->rb_left;
		else if (addr >= va->va_end)
			node = node->rb_right;
		else
			return va;
	}
	return NULL;
}

struct vmap_area *find_vmap_area(struct vmap_space *space, va_t addr)
{
	struct vmap_area *va;
	unsigned long flags;

	spin_lock_irqsave(&space->busy_lock, flags);
	va = find_busy_locked(space, addr);
	spin_unlock_irqrestore(&space->busy_lock, flags);
	return va;
}

struct vmap_area *unlink_vmap_area(struct vmap_space *space, va_t addr,
				   vmap_wanted_fn *wanted, const void *arg)
{
	struct vmap_area *va;
	unsigned long flags;

	spin_lock_irqsave(&space->busy_lock, flags);
	va = find_busy_locked(space, addr);
	if (va && (get_va_start(va) != addr || (wanted && !wanted(va, arg))))
		va = NULL;
	if (va) {
		rb_erase(&va->rb_node, &space->busy_root);
		space->nr_busy--;
	}
	spin_unlock_irqrestore(&space->busy_lock, flags);
	return va;
}

/* ---- spaces ------------------------------------------------------------- */

void vmap_area_init(void)
{
	vmap_area_cache = kmem_cache_create("vmap_area",
					    sizeof(struct vmap_area), 0, NULL);
	if (!vmap_area_cache)
		panic("vmap areas: no cache of descriptors");
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
	all = kmem_cache_alloc(vmap_area_cache, GFP_KERNEL);
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
	all->va_start = start;
	all->va_end = end;
	free_vmap_area(space, all);
	return 0;
}

void vmap_space_destroy(struct vmap_space *space)
{
	LIST_HEAD(all);

	ASSERTF(space->nr_busy == 0 && llist_empty(&space->lazy_list) &&
			space->free_bytes == space->end - space->start,
		"vmap space %s: %zu areas are busy, %zu of %zu bytes free",
		space->name, space->nr_busy, space->free_bytes,
		(size_t)(space->end - space->start));
	list_splice_init(&space->free_list, &all);
	free_vmap_descriptors(&all);
	space->free_root = RB_ROOT;
}

struct vmap_space_stats vmap_space_stats(struct vmap_space *space)
{
	struct vmap_space_stats stats = {0};
	unsigned long flags;

	spin_lock_irqsave(&space->free_lock, flags);
	stats.nr_free = space->nr_free;
	stats.free_bytes = space->free_bytes;
	stats.largest_free = max_below(space->free_root.rb_node);
	spin_unlock_irqrestore(&space->free_lock, flags);
	spin_lock_irqsave(&space->busy_lock, flags);
	stats.nr_busy = space->nr_busy;
	spin_unlock_irqrestore(&space->busy_lock, flags);
	stats.lazy_pages =
		atomic_load_explicit(&space->lazy_pages, memory_order_relaxed);
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

	return va->subtree_max_size == max(largest, free_size(va));
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
		bytes += free_size(va);
		prev = va;
		node = rb_next(node);
	}
	if (node || nr != space->nr_free || bytes != space->free_bytes)
		return broken(space, "A4: free areas miscounted", NULL);
	return true;
}

/* The free area after @free (NULL: the first) that ends above @addr. */
static struct vmap_area *next_free(struct vmap_space *space,
				   struct vmap_area *free, va_t addr)
{
	if (!free)
		free = list_area(space, space->free_list.next);
	while (free && free->va_end <= addr)
		free = list_area(space, free->list.next);
	return free;
}

static bool verify_busy(struct vmap_space *space)
{
	struct vmap_area *free = NULL;
	va_t end = space->start;
	size_t nr = 0;

	if (!rb_verify(&space->busy_root))
		return broken(space, "busy tree out of balance", NULL);
	for (struct rb_node *n = rb_first(&space->busy_root); n;
	     n = rb_next(n)) {
		struct vmap_area *va = area_of(n);

		if (!bounds_ok(space, va))
			return broken(space, "A1: bounds of a busy area", va);
		if (get_va_start(va) < end)
			return broken(space, "A5: busy areas overlap", va);
		if (va_flags(va) != VA_VM && va_flags(va) != VA_RAM)
			return broken(space, "A5: flags of a busy area", va);
		free = next_free(space, free, get_va_start(va));
		if (free && free->va_start < va->va_end)
			return broken(space, "A5: busy and free", va);
		end = va->va_end;
		nr++;
	}
	if (nr != space->nr_busy)
		return broken(space, "A5: busy areas miscounted", NULL);
	return true;
}

/* A7: what the tree finds is what a scan of the list finds. */
static bool verify_fit(struct vmap_space *space, const struct vmap_request *req)
{
	struct vmap_area *va, *scanned = NULL;
	va_t found_at = 0, scanned_at = 0;
	struct vmap_area *found = find_fit_locked(space, req, &found_at);

	list_for_each_entry(va, &space->free_list, list)
		if (fits(va, req, &scanned_at)) {
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
	return verify_free(space) && verify_busy(space) && verify_fits(space);
}
