/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small objects: caches of objects of one size, and kmalloc. See slab.c.
 */
#ifndef MM_SLAB_H
#define MM_SLAB_H

#include <lib/compiler.h>
#include <lib/fault_inject.h>
#include <mm/gfp.h>
#include <mm/page.h>
#include <stdbool.h>
#include <stddef.h>

struct kmem_cache;

/* Largest object of a cache, and the largest kmalloc that comes from one. */
#define SLAB_MAX_SIZE 8192UL

/* Largest kmalloc: a block of the highest order. */
#define KMALLOC_MAX_SIZE (PAGE_SIZE << MAX_ORDER)

/*
 * Set up kmalloc and the cache of caches.
 * Context: boot, after page_alloc_init().
 */
void slab_init(void);

/*
 * Make a cache of objects of @size bytes (1..SLAB_MAX_SIZE), aligned to @align
 * (a power of two up to a page; 0: 8). @name is copied, cut to 31 characters.
 * @ctor, unless NULL, is run on every object once, when its memory comes from
 * the page allocator; who frees an object leaves it constructed.
 * Context: may wait.
 * Return: the cache; NULL after one line: bad arguments, out of memory.
 */
struct kmem_cache *kmem_cache_create(const char *name, size_t size,
				     size_t align, void (*ctor)(void *));

/*
 * Give up @cache (NULL: nothing happens) and its pages.
 * Context: any; nobody uses @cache any more.
 * Return: true; false after one line: objects are still in use, all is left.
 */
bool kmem_cache_destroy(struct kmem_cache *cache);

/*
 * Allocate an object; zeroed with __GFP_ZERO, which a cache with a
 * constructor refuses.
 * Context: as for alloc_pages() with @gfp.
 * Return: the object; NULL: out of memory (after one line unless
 * __GFP_NOWARN).
 */
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp);

/*
 * Free @object (NULL: nothing happens) of @cache.
 * Context: any. A pointer that is no object of @cache in use (foreign, of
 * another cache, inside an object, free already) gives one line and changes
 * nothing.
 */
void kmem_cache_free(struct kmem_cache *cache, void *object);

/*
 * Allocate @size bytes (1..KMALLOC_MAX_SIZE), aligned to 8 and, where @size is
 * a power of two, to @size.
 * Context: as for alloc_pages() with @gfp.
 * Return: the memory; NULL: out of memory, or after one line @size is 0 or too
 * large.
 */
void *kmalloc(size_t size, gfp_t gfp) __attribute__((malloc));

static inline void *kzalloc(size_t size, gfp_t gfp)
{
	return kmalloc(size, gfp | __GFP_ZERO);
}

/*
 * Free what kmalloc() or kmem_cache_alloc() gave (NULL: nothing happens).
 * Context, bad pointers: as for kmem_cache_free().
 */
void kfree(void *object);

/*
 * Bytes that may be used at @object, at least what was asked for.
 * Context: any.
 * Return: bytes; 0 for NULL, and after one line for what is no allocation.
 */
size_t ksize(const void *object);

/*
 * Give slabs without objects in use back to the page allocator.
 * Context: any.
 * Return: pages given back.
 */
size_t slab_drain(void);

/* Objects of @cache in use. Any context. */
size_t slab_objects(struct kmem_cache *cache);

/* One cache, for reports and leak checks. */
struct slab_info {
	const char *name;
	size_t object_size; /* bytes, as asked for */
	size_t stride;      /* bytes from one object to the next */
	size_t objects;     /* in use */
	size_t slabs;       /* blocks of pages */
	size_t pages;       /* in them */
};

/*
 * Look at the caches one by one: @i = 0, 1, ... in order of creation.
 * Context: any; caches are not created or destroyed meanwhile.
 * Return: true with *@info filled in; false: there are only @i.
 */
bool slab_info(size_t i, struct slab_info *info);

/*
 * Check every invariant of slab.c in every cache, every free object included.
 * Context: any; takes the caches' locks, time linear in objects.
 * Return: true; false after one line that says what is broken and where.
 */
bool slab_verify(void);

/* Boot parameter failslab=N: the Nth object allocation from then fails. */
extern struct fault_attr failslab;

#endif
