/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of areas: whose is an address?
 *
 * Terms
 *	indexed	an area that the index leads to from each of its pages, the
 *		guard page too. An area is indexed when it is first mapped, and
 *		stays so while it is busy, lazy or in a cache.
 *	leaf	one word for each page of 2 MiB of addresses: the descriptor of
 *		the area that has the page, or NULL
 *	key	address >> VMAP_LEAF_SHIFT, of a leaf
 *	bucket	the leaves whose keys are equal modulo the number of buckets
 *
 * Why
 *	vfree() is told an address and needs the descriptor. A tree of the busy
 *	areas answers in O(log n), behind one lock. A word per page answers with
 *	two loads, for any address inside, without a lock; and since a range
 *	that is used again keeps its descriptor, it keeps its words, too: most
 *	allocations and frees write none.
 *	The words cost 8 bytes a page of address space in use, as much as the
 *	page tables do.
 *
 * Structures
 *	An array of buckets, each the head of a chain of leaves and itself the
 *	first of them. There are as many as twice the memory has leaves: areas
 *	are placed as low as possible, so the keys in use are nearly always
 *	neighbours, and each has a bucket of its own.
 *	A leaf lasts as long as its space. A reader that came to one may use it
 *	without further care.
 *
 * Operations
 *	find	O(1): the bucket, as a rule its first leaf, the word
 *	insert,	O(pages): once for each range that comes from the free tree,
 *	remove	and once when it goes back there
 *
 * Invariants
 *	I1	each page of an indexed area has the area's descriptor as its
 *		word, and every other word is NULL; so areas are disjoint
 *	I2	an indexed area is not free: it lies in no free area
 *	I3	a leaf is in the bucket of its key, one leaf per key
 *	I4	once .key is set, a leaf stays; .key, .owner, .next change no
 *		more, but for .next from NULL to a leaf
 *
 * Locking
 *	Words are changed by the one who has the area; those of disjoint areas
 *	are disjoint. index_lock, interrupts off, is taken only to add a leaf.
 *	A reader that looks for an address whose area is freed meanwhile may
 *	read a descriptor that is one no more: find_vmap_area() believes what it
 *	read there only if the word still leads to it afterwards. Descriptors
 *	lie in memory that is always mapped, so reading is harmless.
 *
 * Departures from Linux
 *	Linux finds busy areas in red-black trees, one per node of a hash of
 *	addresses, each with a lock.
 */
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/vmap_index.h>

/* Buckets for at least so many leaves: 128 MiB of addresses. */
#define MIN_BUCKETS 64UL
#define MAX_BUCKETS (KMALLOC_MAX_SIZE / sizeof(struct vmap_leaf))

struct vmap_leaf vmap_no_leaf = {.key = VMAP_NO_KEY};

static struct kmem_cache *leaf_cache; /* leaves that are not a bucket's first */
static _Atomic size_t nr_pages, nr_objects;

void vmap_index_boot(void)
{
	leaf_cache = kmem_cache_create("vmap_leaf", sizeof(struct vmap_leaf), 0,
				       NULL);
	if (!leaf_cache)
		panic("index of areas: no cache of leaves");
}

size_t vmap_index_pages(void)
{
	return atomic_load_explicit(&nr_pages, memory_order_relaxed);
}

size_t vmap_index_objects(void)
{
	return atomic_load_explicit(&nr_objects, memory_order_relaxed);
}

static size_t wanted_buckets(const struct vmap_space *space)
{
	size_t leaves = ((space->end - 1) >> VMAP_LEAF_SHIFT) -
			(space->start >> VMAP_LEAF_SHIFT) + 1;
	size_t near = 2 * nr_managed_pages() / PT_ENTRIES;

	near = roundup_pow_of_two(clamp(near, MIN_BUCKETS, MAX_BUCKETS));
	return min(near, roundup_pow_of_two(leaves));
}

int vmap_index_init(struct vmap_space *space)
{
	size_t nr = wanted_buckets(space);
	struct vmap_leaf *index = kzalloc(nr * sizeof(*index), GFP_KERNEL);

	if (!index)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		index[i].key = VMAP_NO_KEY;
	space->index = index;
	space->index_mask = nr - 1;
	spin_lock_init(&space->index_lock);
	return 0;
}

static void free_words(struct vmap_area **owner)
{
	free_pages(owner, 0);
	atomic_fetch_sub_explicit(&nr_pages, 1, memory_order_relaxed);
}

void vmap_index_destroy(struct vmap_space *space)
{
	for (size_t i = 0; i <= space->index_mask; i++) {
		struct vmap_leaf *first = &space->index[i], *leaf, *next;

		if (first->key == VMAP_NO_KEY)
			continue;
		free_words(first->owner);
		for (leaf = first->next; leaf; leaf = next) {
			next = leaf->next;
			free_words(leaf->owner);
			kmem_cache_free(leaf_cache, leaf);
			atomic_fetch_sub_explicit(&nr_objects, 1,
						  memory_order_relaxed);
		}
	}
	kfree(space->index);
	space->index = &vmap_no_leaf;
	space->index_mask = 0;
}

noinline struct vmap_leaf *vmap_leaf_behind(struct vmap_leaf *first, va_t key)
{
	struct vmap_leaf *leaf = first;

	do
		leaf = __atomic_load_n(&leaf->next, __ATOMIC_ACQUIRE);
	while (leaf && leaf->key != key);
	return leaf;
}

/* ---- leaves ------------------------------------------------------------- */

static void fill_leaf(struct vmap_leaf *leaf, va_t key,
		      struct vmap_area **owner)
{
	leaf->owner = owner;
	leaf->table = NULL;
	__atomic_store_n(&leaf->key, key, __ATOMIC_RELEASE); /* I4 */
}

/*
 * Make @owner, all NULL, the words of a new leaf with @key: a free first leaf,
 * or @more. Return: true with those of the two that were used set to NULL;
 * false when @more is NULL and needed.
 */
static bool add_leaf_locked(struct vmap_space *space, va_t key,
			    struct vmap_area ***owner, struct vmap_leaf **more)
{
	struct vmap_leaf *last = &space->index[key & space->index_mask];

	if (vmap_leaf_at(space, key << VMAP_LEAF_SHIFT))
		return true;
	if (last->key == VMAP_NO_KEY) {
		fill_leaf(last, key, *owner);
		*owner = NULL;
		return true;
	}
	if (!*more)
		return false;
	while (last->next)
		last = last->next;
	fill_leaf(*more, key, *owner);
	(*more)->next = NULL;
	__atomic_store_n(&last->next, *more, __ATOMIC_RELEASE);
	*owner = NULL;
	*more = NULL;
	return true;
}

static bool try_add_leaf(struct vmap_space *space, va_t key,
			 struct vmap_area ***owner, struct vmap_leaf **more)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&space->index_lock, flags);
	done = add_leaf_locked(space, key, owner, more);
	spin_unlock_irqrestore(&space->index_lock, flags);
	return done;
}

/* See to it that there is a leaf with @key. */
static noinline int make_leaf(struct vmap_space *space, va_t key, gfp_t gfp)
{
	struct vmap_area **owner = get_zeroed_page(gfp);
	struct vmap_leaf *more = NULL;
	bool done;

	if (!owner)
		return -ENOMEM;
	atomic_fetch_add_explicit(&nr_pages, 1, memory_order_relaxed);
	done = try_add_leaf(space, key, &owner, &more);
	if (!done) {
		more = kmem_cache_alloc(leaf_cache, gfp);
		if (more) {
			atomic_fetch_add_explicit(&nr_objects, 1,
						  memory_order_relaxed);
			done = try_add_leaf(space, key, &owner, &more);
		}
	}
	if (owner)
		free_words(owner);
	if (more) {
		kmem_cache_free(leaf_cache, more);
		atomic_fetch_sub_explicit(&nr_objects, 1, memory_order_relaxed);
	}
	return done ? 0 : -ENOMEM;
}

/* ---- areas -------------------------------------------------------------- */

/* Write @word for the pages of [@start, @end), whose leaves exist. */
static void write_words(struct vmap_space *space, va_t start, va_t end,
			struct vmap_area *word)
{
	while (start < end) {
		struct vmap_leaf *leaf = vmap_leaf_at(space, start);
		struct vmap_area **slot = vmap_owner_slot(leaf, start);
		va_t leaf_end = (start | (HUGE_PAGE_SIZE - 1)) + 1;
		size_t n = (min(end, leaf_end) - start) >> PAGE_SHIFT;

		for (size_t i = 0; i < n; i++)
			__atomic_store_n(&slot[i], word, __ATOMIC_RELEASE);
		start += n << PAGE_SHIFT;
	}
}

int vmap_index_insert(struct vmap_space *space, struct vmap_area *va, gfp_t gfp)
{
	va_t start = get_va_start(va);

	for (va_t key = start >> VMAP_LEAF_SHIFT;
	     key <= (va->va_end - 1) >> VMAP_LEAF_SHIFT; key++) {
		int err = 0;

		if (unlikely(!vmap_leaf_at(space, key << VMAP_LEAF_SHIFT)))
			err = make_leaf(space, key, gfp);
		if (err)
			return err;
	}
	set_va_flags(va, VA_INDEXED);
	write_words(space, start, va->va_end, va);
	return 0;
}

void vmap_index_remove(struct vmap_space *space, struct vmap_area *va)
{
	write_words(space, get_va_start(va), va->va_end, NULL);
	set_va_flags(va, 0);
}

void vmap_index_absorb(struct vmap_space *space, struct vmap_area *va,
		       struct vmap_area *next)
{
	va_t end = next->va_end;

	write_words(space, va->va_end, end, va);
	va->va_end = end;
}

void vmap_index_set_table(struct vmap_space *space, va_t addr, pte_t *table)
{
	__atomic_store_n(&vmap_leaf_at(space, addr)->table, table,
			 __ATOMIC_RELEASE);
}

struct vmap_area *find_vmap_area(const struct vmap_space *space, va_t addr)
{
	struct vmap_area *va = vmap_owner(space, addr);

	if (!va || !(va_flags(va) & VA_BUSY))
		return NULL;
	return vmap_owner(space, addr) == va ? va : NULL;
}

/* ---- all of them -------------------------------------------------------- */

static bool visit_leaf(const struct vmap_leaf *leaf, vmap_visit_fn *visit,
		       void *ctx)
{
	va_t base = leaf->key << VMAP_LEAF_SHIFT;

	for (unsigned int i = 0; i < PT_ENTRIES; i++) {
		struct vmap_area *va =
			__atomic_load_n(&leaf->owner[i], __ATOMIC_ACQUIRE);

		/* Once each: where it starts. */
		if (va && get_va_start(va) == base + i * PAGE_SIZE &&
		    !visit(ctx, va))
			return false;
	}
	return true;
}

bool vmap_index_for_each(struct vmap_space *space, vmap_visit_fn *visit,
			 void *ctx)
{
	for (size_t i = 0; i <= space->index_mask; i++)
		for (const struct vmap_leaf *leaf = &space->index[i];
		     leaf && leaf->key != VMAP_NO_KEY; leaf = leaf->next)
			if (!visit_leaf(leaf, visit, ctx))
				return false;
	return true;
}

/* I1 from the side of the area: all its pages lead to it. */
static bool all_lead_to(struct vmap_space *space, struct vmap_area *va)
{
	for (va_t addr = get_va_start(va); addr < va->va_end; addr += PAGE_SIZE)
		if (vmap_owner(space, addr) != va)
			return false;
	return true;
}

/* I1, I3 for one leaf, from the side of the words. */
static bool verify_leaf(struct vmap_space *space, const struct vmap_leaf *leaf)
{
	va_t base = leaf->key << VMAP_LEAF_SHIFT;

	if (vmap_leaf_at(space, base) != leaf) {
		printk("vmap space %s: I3: leaf 0x%lx is not found\n",
		       space->name, base);
		return false;
	}
	for (unsigned int i = 0; i < PT_ENTRIES; i++) {
		struct vmap_area *va = leaf->owner[i];
		va_t addr = base + i * PAGE_SIZE;

		if (!va ||
		    (va_flags(va) & VA_INDEXED && get_va_start(va) <= addr &&
		     addr < va->va_end &&
		     (get_va_start(va) != addr || all_lead_to(space, va))))
			continue;
		printk("vmap space %s: I1: 0x%lx leads to [0x%lx, 0x%lx)\n",
		       space->name, addr, va->va_start, va->va_end);
		return false;
	}
	return true;
}

bool vmap_index_verify(struct vmap_space *space)
{
	for (size_t i = 0; i <= space->index_mask; i++)
		for (const struct vmap_leaf *leaf = &space->index[i];
		     leaf && leaf->key != VMAP_NO_KEY; leaf = leaf->next)
			if (!verify_leaf(space, leaf))
				return false;
	return true;
}
