/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slab: objects of one size, cut out of blocks of pages.
 *
 * Terms
 *   cache    objects of one size, with what is common to them
 *   slab     a block of pages cut into objects of one cache
 *   stride   bytes from one object of a slab to the next
 *   link     a word of a free object that says which is the next free one; in
 *            caches with a constructor it lies behind the object, whose
 *            content has to survive, else in its first word
 *   partial  a slab with a free object; an empty one has no other
 *
 * Structures
 *   What is to be known about a slab stands in its page descriptor, none of it
 *   in the slab: its cache, the number of objects in use, the first free one.
 *   So the way from an object to its cache is the way from an address to its
 *   descriptor, and a write beyond an object meets objects, not structure.
 *
 *     cache --partial--> slab ---> slab ---> slab       (struct page.list)
 *           --full-----> slab ---> slab
 *
 *     slab  | used | free | used | free | free |  rest |
 *              first --'  '------------->'---->'-> end
 *
 *   A place in a slab is told in units of 8 bytes, 16 bits. The link holds
 *   place ^ secret ^ (address of the link), 64 bits. Decoded, a true link is
 *   below 2^16, and any other word is with a chance of 2^-48 only; so
 *     - an overwritten link is noticed when it would be followed,
 *     - an object freed twice is noticed at the second time: links are wiped
 *       when an object is handed out, so one that looks true may be one. Then
 *       the slab's list is searched.
 *
 *   Whether an offset is a multiple of the stride d, without a division: with
 *   m = ceil(2^64 / d), n is a multiple of d <=> n * m mod 2^64 < m, for n and
 *   d below 2^32 (Lemire, Kaser, Kurz: Faster remainder by direct computation).
 *
 * Operations
 *   alloc    O(1): first free object of the first partial slab
 *   free     O(1)
 *   grow     O(objects of a slab): pages from the page allocator, cut up
 *
 *   A slab that becomes empty is kept, last in the list, while the cache has
 *   no more than KEEP_EMPTY of them; slab_drain() gives those back too.
 *
 * Invariants
 *   S1  the head of each slab says SLAB and the cache whose lists it is on
 *   S2  slab_inuse + length of the slab's free list = objects of a slab
 *   S3  on full <=> the free list is empty
 *   S4  cache.empty = slabs with slab_inuse = 0, all on partial
 *   S5  places on a free list are multiples of the stride, none twice
 *   S6  cache.slabs, cache.pages = number, sum of sizes of slabs on both lists
 *
 * Locking
 *   One lock a cache, interrupts off; outside the zones' and never held while
 *   a slab is made. One for the list of caches, outside of those.
 *
 * Departures from Linux
 *   Free lists belong to slabs; Linux moves them to a CPU and back. Double
 *   frees and pointers into objects are refused in every build. The secret
 *   comes from a fixed seed, so that runs repeat: it guards against accidents.
 */
#include <lib/list.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <lib/random.h>
#include <lib/spinlock.h>
#include <lib/string.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/slab_internal.h>

/* So that a few objects that come and go do not cost a slab each time. */
#define KEEP_EMPTY 4

LIST_HEAD(slab_caches);
spinlock_t slab_caches_lock = SPINLOCK_INIT;
static struct kmem_cache cache_cache;
static struct rng secrets; /* slab_caches_lock */

FAULT_ATTR(failslab, "the Nth object allocation from now fails");

/* --- slabs --------------------------------------------------------------- */

/* Cut the new slab at @page into free objects, in ascending order. */
static void carve(const struct kmem_cache *cache, struct page *page)
{
	unsigned int step = cache->stride / UNIT;
	unsigned int n = slab_capacity(cache, page);
	char *object = page_address(page);

	for (unsigned int i = 1; i <= n; i++, object += cache->stride) {
		if (cache->ctor)
			cache->ctor(object);
		mark_free(cache, object);
		link_write(cache, object, i < n ? i * step : LINK_END);
	}
}

/* A new slab. Return: NULL: out of memory, which @gfp may want reported. */
static struct page *slab_create(struct kmem_cache *cache, gfp_t gfp)
{
	struct page *page = NULL;

	gfp = (gfp & ~__GFP_ZERO) | __GFP_COMP;
	if (cache->order > cache->min_order)
		page = alloc_pages(gfp | __GFP_NOWARN, cache->order);
	if (!page)
		page = alloc_pages(gfp, cache->min_order);
	if (!page)
		return NULL;
	carve(cache, page);
	page_set_type(page, PAGE_SLAB);
	page->slab_cache = cache;
	page->slab_inuse = 0;
	page->slab_free = 0;
	return page;
}

/* Give the pages of a slab, which is on no list any more, back. */
static void slab_release(struct page *page)
{
	page_set_type(page, PAGE_USED);
	atomic_init(&page->refcount, 1);
	__free_pages(page, page->order);
}

static void add_slab_locked(struct kmem_cache *cache, struct page *page)
{
	list_add(&page->list, &cache->partial);
	cache->empty++;
	cache->slabs++;
	cache->pages += 1UL << page->order;
}

/* Take an empty slab out of its cache. */
static void remove_slab_locked(struct kmem_cache *cache, struct page *page)
{
	list_del(&page->list);
	cache->empty--;
	cache->slabs--;
	cache->pages -= 1UL << page->order;
}

/* --- allocation ---------------------------------------------------------- */

/*
 * Take the first free object of the first partial slab.
 * Return: NULL, and nothing changed: there is no such slab, or the object's
 * link was overwritten.
 */
static inline void *take_object_locked(struct kmem_cache *cache)
{
	struct page *page;
	uint64_t next;
	void *object;

	if (unlikely(list_empty(&cache->partial)))
		return NULL;
	page = list_first_entry(&cache->partial, struct page, list);
	object = object_at(page, page->slab_free);
	next = link_read(cache, object);
	if (unlikely(next > LINK_END))
		return NULL;
	*link_of(cache, object) = 0;
	if (page->slab_inuse++ == 0)
		cache->empty--;
	page->slab_free = next;
	if (unlikely(next == LINK_END))
		list_move(&page->list, &cache->full);
	return object;
}

/*
 * The first partial slab's list is broken: the rest of it can't be trusted, so
 * its objects stay as they are, neither free nor anybody's.
 */
static void give_up_list_locked(struct kmem_cache *cache)
{
	struct page *page =
		list_first_entry(&cache->partial, struct page, list);
	unsigned int n = slab_capacity(cache, page);
	void *object = object_at(page, page->slab_free);

	printk("slab: %s: link of free object %p was overwritten (reads %#lx), "
	       "%u objects are lost\n",
	       cache->name, object, *link_of(cache, object),
	       n - page->slab_inuse);
	if (page->slab_inuse == 0)
		cache->empty--;
	page->slab_inuse = n;
	page->slab_free = LINK_END;
	list_move(&page->list, &cache->full);
}

/* Take an object from any partial slab, or else from a new one. */
static void *take_or_grow(struct kmem_cache *cache, gfp_t gfp)
{
	struct page *page;
	unsigned long flags;
	void *object;

	spin_lock_irqsave(&cache->lock, flags);
	while (!(object = take_object_locked(cache)) &&
	       !list_empty(&cache->partial))
		give_up_list_locked(cache);
	spin_unlock_irqrestore(&cache->lock, flags);
	if (object)
		return object;
	page = slab_create(cache, gfp);
	if (!page)
		return NULL;
	spin_lock_irqsave(&cache->lock, flags);
	add_slab_locked(cache, page);
	object = take_object_locked(cache);
	spin_unlock_irqrestore(&cache->lock, flags);
	return object;
}

/* What is not done in a few instructions. */
static noinline void *alloc_slowly(struct kmem_cache *cache, gfp_t gfp)
{
	void *object;

	if (gfp & __GFP_ZERO && cache->ctor) {
		printk("slab: %s: objects have a constructor, they can't be "
		       "zeroed\n",
		       cache->name);
		return NULL;
	}
	if (should_fail(&failslab)) {
		if (!(gfp & __GFP_NOWARN))
			printk("slab: %s: no object of %u bytes, gfp %#x\n",
			       cache->name, cache->object_size, gfp);
		return NULL;
	}
	object = take_or_grow(cache, gfp);
	if (!object)
		return NULL;
	debug_alloc(cache, object);
	if (gfp & __GFP_ZERO)
		memset(object, 0, cache->object_size);
	return object;
}

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	unsigned long flags;
	void *object;

	if (gfp & __GFP_ZERO || unlikely(failslab.nth))
		return alloc_slowly(cache, gfp);
	spin_lock_irqsave(&cache->lock, flags);
	object = take_object_locked(cache);
	spin_unlock_irqrestore(&cache->lock, flags);
	if (unlikely(!object))
		return alloc_slowly(cache, gfp);
	debug_alloc(cache, object);
	return object;
}

/* --- freeing ------------------------------------------------------------- */

void slab_refuse_page(const char *what, const void *object,
		      const struct page *page)
{
	if (page)
		printk("slab: cannot %s %p: its page %#lx is %s, order %u\n",
		       what, object, page_to_pfn(page),
		       page_type_name(page->type), page->order);
	else
		printk("slab: cannot %s %p: not in the direct map of memory\n",
		       what, object);
}

/* Is @place on the free list of the slab? */
static noinline bool is_listed(const struct kmem_cache *cache,
			       const struct page *page, unsigned int place)
{
	unsigned int n = slab_capacity(cache, page);
	uint64_t at = page->slab_free;

	for (; n && at < LINK_END && at != place; n--) {
		if (!is_object_offset(cache, page, at * UNIT))
			return false;
		at = link_read(cache, object_at(page, at));
	}
	return at == place;
}

/* A free object joins the slab's list. Return: objects left in use. */
static inline unsigned int put_object_locked(struct kmem_cache *cache,
					     struct page *page, void *object,
					     unsigned int place)
{
	link_write(cache, object, page->slab_free);
	if (unlikely(page->slab_free == LINK_END))
		list_move(&page->list, &cache->partial);
	page->slab_free = place;
	return --page->slab_inuse;
}

/* The slab's last object in use was freed: end that with the lock, keep the
 * slab or give it back. */
static noinline void finish_empty(struct kmem_cache *cache, struct page *page,
				  unsigned long flags)
{
	bool release = ++cache->empty > KEEP_EMPTY;

	if (release)
		remove_slab_locked(cache, page);
	else if (cache->partial.next != &page->list)
		list_move_tail(&page->list, &cache->partial);
	spin_unlock_irqrestore(&cache->lock, flags);
	if (release)
		slab_release(page);
}

/* Free @object with the lock held, and give it up. */
static inline void put_and_unlock(struct kmem_cache *cache, struct page *page,
				  void *object, unsigned int place,
				  unsigned long flags)
{
	debug_free(cache, object);
	if (unlikely(put_object_locked(cache, page, object, place) == 0))
		finish_empty(cache, page, flags);
	else
		spin_unlock_irqrestore(&cache->lock, flags);
}

/* The same for an object that looks as if it was free already. */
static noinline void put_suspect(struct kmem_cache *cache, struct page *page,
				 void *object, unsigned int place,
				 unsigned long flags)
{
	if (!is_listed(cache, page, place)) {
		put_and_unlock(cache, page, object, place, flags);
		return;
	}
	spin_unlock_irqrestore(&cache->lock, flags);
	printk("slab: cannot free %p of %s: it is free already\n", object,
	       cache->name);
}

static noinline void refuse_offset(const struct kmem_cache *cache,
				   const void *object)
{
	printk("slab: cannot free %p of %s: inside an object or behind all\n",
	       object, cache->name);
}

void slab_free_object(struct page *page, void *object)
{
	struct kmem_cache *cache = page->slab_cache;
	size_t offset = (char *)object - (char *)page_address(page);
	unsigned int place = offset / UNIT;
	unsigned long flags;

	if (unlikely(!is_object_offset(cache, page, offset))) {
		refuse_offset(cache, object);
		return;
	}
	spin_lock_irqsave(&cache->lock, flags);
	if (likely(link_read(cache, object) > LINK_END))
		put_and_unlock(cache, page, object, place, flags);
	else
		put_suspect(cache, page, object, place, flags);
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	struct page *page;

	if (!object)
		return;
	page = block_around(object);
	if (unlikely(!page || page->type != PAGE_SLAB))
		slab_refuse_page("free", object, page);
	else if (unlikely(page->slab_cache != cache))
		printk("slab: cannot free %p into %s: it is of %s\n", object,
		       cache->name, page->slab_cache->name);
	else
		slab_free_object(page, object);
}

/* --- caches -------------------------------------------------------------- */

/* The least order at which at least four objects fit and at most a sixteenth
 * is left over; SLAB_MAX_ORDER when there is none. */
static unsigned int choose_order(size_t stride)
{
	for (unsigned int order = 0; order < SLAB_MAX_ORDER; order++) {
		size_t bytes = PAGE_SIZE << order;

		if (bytes / stride >= 4 && bytes % stride * 16 <= bytes)
			return order;
	}
	return SLAB_MAX_ORDER;
}

void cache_init(struct kmem_cache *cache, const char *name, size_t size,
		size_t align, void (*ctor)(void *))
{
	size_t link = link_offset(size, ctor);
	unsigned long flags;

	align = max(align, UNIT);
	spin_lock_init(&cache->lock);
	cache->object_size = size;
	cache->link = link;
	cache->stride = round_up(max(size, link + sizeof(uint64_t)), align);
	cache->multiple = UINT64_MAX / cache->stride + 1;
	INIT_LIST_HEAD(&cache->partial);
	INIT_LIST_HEAD(&cache->full);
	cache->empty = 0;
	cache->slabs = 0;
	cache->pages = 0;
	cache->ctor = ctor;
	cache->order = choose_order(cache->stride);
	cache->min_order = 0;
	while (PAGE_SIZE << cache->min_order < cache->stride)
		cache->min_order++;
	strscpy(cache->name, name, sizeof(cache->name));

	spin_lock_irqsave(&slab_caches_lock, flags);
	cache->secret = rng_u64(&secrets);
	list_add_tail(&cache->caches, &slab_caches);
	spin_unlock_irqrestore(&slab_caches_lock, flags);
}

struct kmem_cache *kmem_cache_create(const char *name, size_t size,
				     size_t align, void (*ctor)(void *))
{
	struct kmem_cache *cache;

	if (!size || size > SLAB_MAX_SIZE ||
	    (align && (!is_power_of_2(align) || align > PAGE_SIZE))) {
		printk("slab: cannot create cache %s: size %zu of 1..%lu, "
		       "alignment %zu of 1, 2, 4, ... %lu\n",
		       name, size, SLAB_MAX_SIZE, align, PAGE_SIZE);
		return NULL;
	}
	cache = kmem_cache_alloc(&cache_cache, GFP_KERNEL);
	if (cache)
		cache_init(cache, name, size, align, ctor);
	return cache;
}

static size_t objects_locked(const struct kmem_cache *cache)
{
	struct page *page;
	size_t n = 0;

	list_for_each_entry(page, &cache->partial, list)
		n += page->slab_inuse;
	list_for_each_entry(page, &cache->full, list)
		n += page->slab_inuse;
	return n;
}

size_t slab_objects(struct kmem_cache *cache)
{
	unsigned long flags;
	size_t n;

	spin_lock_irqsave(&cache->lock, flags);
	n = objects_locked(cache);
	spin_unlock_irqrestore(&cache->lock, flags);
	return n;
}

/* Give the empty slabs of @cache back. Return: pages. */
static size_t cache_drain(struct kmem_cache *cache)
{
	struct page *page, *next;
	unsigned long flags;
	size_t before;
	LIST_HEAD(gone);

	spin_lock_irqsave(&cache->lock, flags);
	before = cache->pages;
	list_for_each_entry_safe(page, next, &cache->partial, list) {
		if (page->slab_inuse)
			continue;
		remove_slab_locked(cache, page);
		list_add(&page->list, &gone);
	}
	before -= cache->pages;
	spin_unlock_irqrestore(&cache->lock, flags);
	list_for_each_entry_safe(page, next, &gone, list)
		slab_release(page);
	return before;
}

size_t slab_drain(void)
{
	struct kmem_cache *cache;
	unsigned long flags;
	size_t n = 0;

	spin_lock_irqsave(&slab_caches_lock, flags);
	list_for_each_entry(cache, &slab_caches, caches)
		n += cache_drain(cache);
	spin_unlock_irqrestore(&slab_caches_lock, flags);
	return n;
}

bool kmem_cache_destroy(struct kmem_cache *cache)
{
	unsigned long flags;
	size_t left;

	if (!cache)
		return true;
	left = slab_objects(cache);
	if (left) {
		printk("slab: cannot destroy cache %s: %zu objects are in "
		       "use\n",
		       cache->name, left);
		return false;
	}
	spin_lock_irqsave(&slab_caches_lock, flags);
	list_del(&cache->caches);
	spin_unlock_irqrestore(&slab_caches_lock, flags);
	cache_drain(cache);
	kmem_cache_free(&cache_cache, cache);
	return true;
}

void slab_init(void)
{
	rng_seed(&secrets, 1);
	cache_init(&cache_cache, "kmem_cache", sizeof(struct kmem_cache), 0,
		   NULL);
	kmalloc_init();
}
