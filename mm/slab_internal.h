/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of slab share: caches, places in slabs, links between free
 * objects, red zones and poison. The theory stands in slab.c.
 */
#ifndef MM_SLAB_INTERNAL_H
#define MM_SLAB_INTERNAL_H

#include <lib/list.h>
#include <lib/math.h>
#include <lib/printk.h>
#include <lib/spinlock.h>
#include <lib/string.h>
#include <mm/page.h>
#include <mm/slab.h>

#define UNIT           8UL    /* bytes; all places are multiples */
#define LINK_END       0xffff /* no next free object */
#define SLAB_MAX_ORDER 3

/* S5: every place in a slab, and LINK_END, fit in 16 bits. */
_Static_assert((PAGE_SIZE << SLAB_MAX_ORDER) / UNIT < LINK_END, "places");

/*
 * Lock letters: S = .lock held; L = slab_caches_lock held; C = constant after
 * creation.
 */
struct kmem_cache {
	spinlock_t lock;
	uint32_t stride;          /* C: bytes, a multiple of UNIT */
	uint32_t link;            /* C: bytes from an object to its link */
	uint64_t multiple;        /* C: ceil(2^64 / stride) */
	uint64_t secret;          /* C */
	struct list_head partial; /* S */
	struct list_head full;    /* S */
	size_t empty;             /* S: slabs without objects in use */
	size_t slabs, pages;      /* S */
	void (*ctor)(void *);     /* C */
	uint32_t object_size;     /* C: bytes, as asked for */
	uint8_t order;            /* C: of slabs */
	uint8_t min_order;        /* C: of slabs, when memory is short */
	char name[32];            /* C */
	struct list_head caches;  /* L */
};

/* All caches, in order of creation; the lock stands outside of theirs. */
extern struct list_head slab_caches; /* L */
extern spinlock_t slab_caches_lock;

/* Make @cache, zeroed memory, a cache. Context: boot, or its only user. */
void cache_init(struct kmem_cache *cache, const char *name, size_t size,
		size_t align, void (*ctor)(void *));

/* Make the classes of kmalloc. Context: boot. */
void kmalloc_init(void);

/* Free @object, any address in the slab at @page; one line when that can't
 * be. Context: any. */
void slab_free_object(struct page *page, void *object);

/* Print the one line that says why @what can't be done with @object, which is
 * on a page of the block at @page (NULL: on none) and that is no slab. */
void slab_refuse_page(const char *what, const void *object,
		      const struct page *page);

/* --- places and links ---------------------------------------------------- */

static inline void *object_at(const struct page *page, unsigned int place)
{
	return (char *)page_address(page) + place * UNIT;
}

static inline uint64_t *link_of(const struct kmem_cache *cache, void *object)
{
	return (uint64_t *)((char *)object + cache->link);
}

/* A link made from a place, a place from a link: both are the same. */
static inline uint64_t link_code(const struct kmem_cache *cache,
				 const uint64_t *link, uint64_t v)
{
	return v ^ cache->secret ^ (uintptr_t)link;
}

static inline uint64_t link_read(const struct kmem_cache *cache, void *object)
{
	const uint64_t *link = link_of(cache, object);

	return link_code(cache, link, *link);
}

static inline void link_write(const struct kmem_cache *cache, void *object,
			      unsigned int place)
{
	uint64_t *link = link_of(cache, object);

	*link = link_code(cache, link, place);
}

static inline size_t slab_bytes(const struct page *page)
{
	return PAGE_SIZE << page->order;
}

static inline unsigned int slab_capacity(const struct kmem_cache *cache,
					 const struct page *page)
{
	return slab_bytes(page) / cache->stride;
}

/* Is @offset, any number, that of an object in the slab? */
static inline bool is_object_offset(const struct kmem_cache *cache,
				    const struct page *page, size_t offset)
{
	return offset * cache->multiple < cache->multiple &&
	       offset + cache->stride <= slab_bytes(page);
}

/* Head of the block of pages around @object, any pointer; NULL: no page. */
static inline struct page *block_around(const void *object)
{
	return likely(virt_addr_valid(object))
		       ? compound_head(virt_to_page(object))
		       : NULL;
}

/* --- red zones and poison ------------------------------------------------ */

/*
 * Offset of the link in an object of @size bytes, which leaves room for the
 * red zone; the object comes into the hands of the cache, goes out of them.
 */
#ifdef QUIRE_DEBUG
size_t link_offset(size_t size, bool has_ctor);
void mark_free(const struct kmem_cache *cache, void *object);
void debug_free(const struct kmem_cache *cache, void *object);
void debug_alloc(const struct kmem_cache *cache, void *object);
#else
static inline size_t link_offset(size_t size, bool has_ctor)
{
	return has_ctor ? round_up(size, UNIT) : 0;
}

static inline void mark_free(const struct kmem_cache *cache, void *object)
{
}

static inline void debug_free(const struct kmem_cache *cache, void *object)
{
}

static inline void debug_alloc(const struct kmem_cache *cache, void *object)
{
}
#endif

#endif
