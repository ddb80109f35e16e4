/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmalloc: memory of any size.
 *
 * Terms
 *   class   one of the caches of slab.c that kmalloc() chooses from by size
 *   large   more than the largest class: a compound block of pages
 *
 * Structures
 *   36 caches: eight for 8, 16, ... 64 bytes, then four to each doubling.
 *
 *     8 .. 64  | 80 96 112 128 | 160 192 224 256 | 320 ...   ... 7168 8192
 *
 *   So above 64 bytes at most a fifth of an object is unused, a tenth on
 *   average; with powers of two it would be up to half.
 *
 *   Nothing is kept about an allocation: freeing reads the descriptor of its
 *   page, which is a slab's, or the head or a tail of a compound block.
 *
 * Operations
 *   kmalloc   O(1): the class by arithmetic, then the cache; large ones cost
 *             what alloc_pages() costs
 *   kfree     O(1)
 *   ksize     O(1)
 *
 * Invariants
 *   C1  class_size(class_of(n)) >= n for n in [1, SLAB_MAX_SIZE], and no
 *       smaller class would do
 *   C2  an object of a class is aligned to the largest power of two that
 *       divides the class's size, at most a page
 *   C3  large <=> order of its block >= 1, so that it is a compound one: a
 *       page from alloc_pages() can't be taken for a kmalloc
 *
 * Locking
 *   That of the caches.
 *
 * Departures from Linux
 *   Linux has powers of two, 96 and 192. Size 0 is an error here, a special
 *   pointer there.
 */
#include <lib/math.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/slab_internal.h>

#define NR_CLASSES 36

static struct kmem_cache classes[NR_CLASSES];

/* C1: class of @size, 1..SLAB_MAX_SIZE. */
static inline unsigned int class_of(size_t size)
{
	size_t n = size - 1;
	unsigned int shift;

	if (n < 64)
		return n >> 3;
	shift = ilog2(n) - 2;
	return (n >> shift) + 4 * shift - 12;
}

/* Largest size of class @i. */
static size_t class_size(unsigned int i)
{
	unsigned int j = i - 8;

	return i < 8 ? (i + 1) * 8UL : (5UL + j % 4) << (j / 4 + 4);
}

static noinline void *kmalloc_pages(size_t size, gfp_t gfp)
{
	if (!size || size > KMALLOC_MAX_SIZE) {
		printk("slab: cannot kmalloc %zu bytes: at least 1, at most "
		       "%lu\n",
		       size, KMALLOC_MAX_SIZE);
		return NULL;
	}
	return __get_free_pages(gfp | __GFP_COMP,
				ilog2(size - 1) + 1 - PAGE_SHIFT);
}

void *kmalloc(size_t size, gfp_t gfp)
{
	if (unlikely(size - 1 >= SLAB_MAX_SIZE))
		return kmalloc_pages(size, gfp);
	return kmem_cache_alloc(&classes[class_of(size)], gfp);
}

/* Is @object, on a page of the block at @page, the start of a large kmalloc? */
static inline bool is_large(const struct page *page, const void *object)
{
	return page && page->type == PAGE_USED && page->flags & PAGE_COMPOUND &&
	       object == page_address(page);
}

void kfree(void *object)
{
	struct page *page;

	if (!object)
		return;
	page = block_around(object);
	if (likely(page && page->type == PAGE_SLAB))
		slab_free_object(page, object);
	else if (is_large(page, object))
		__free_pages(page, page->order);
	else
		slab_refuse_page("free", object, page);
}

size_t ksize(const void *object)
{
	struct page *page;
	size_t offset;

	if (!object)
		return 0;
	page = block_around(object);
	if (is_large(page, object))
		return slab_bytes(page);
	if (!page || page->type != PAGE_SLAB) {
		slab_refuse_page("size", object, page);
		return 0;
	}
	offset = (const char *)object - (char *)page_address(page);
	if (is_object_offset(page->slab_cache, page, offset))
		return page->slab_cache->object_size;
	printk("slab: cannot size %p: inside an object or behind all\n",
	       object);
	return 0;
}

void kmalloc_init(void)
{
	char name[16];

	for (unsigned int i = 0; i < NR_CLASSES; i++) {
		size_t size = class_size(i);
		size_t align = size & -size;

		snprintf(name, sizeof(name), "kmalloc-%zu", size);
		cache_init(&classes[i], name, size, min(align, PAGE_SIZE),
			   NULL);
	}
}
