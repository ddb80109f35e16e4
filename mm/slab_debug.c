/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Red zones and poison around slab objects, in the debug build.
 *
 *   object | red zone | link        one stride
 *
 * The red zone, at least 8 bytes, says whether the object is in use; a free
 * object is filled with one poison, a new one with another, so that neither
 * what was there nor zeros can be relied on. Broken red zones are reported
 * when the object is freed, broken poison when it is handed out again, each in
 * one line with the first byte that is wrong; then all goes on. Constructed
 * objects keep their content and are not poisoned.
 */
#include <mm/slab_internal.h>

#ifdef QUIRE_DEBUG
enum {
	REDZONE_BYTES = 8, /* at least */
	REDZONE_USED = 0xcc,
	REDZONE_FREE = 0xbb,
	POISON_FREE = 0x6b,
	POISON_NEW = 0x5a,
};

size_t link_offset(size_t size, bool has_ctor)
{
	return round_up(size + REDZONE_BYTES, UNIT);
}

static size_t redzone_size(const struct kmem_cache *cache)
{
	return cache->link - cache->object_size;
}

/* One line unless all of the @n bytes at @offset of @object are @value. */
static void check_bytes(const struct kmem_cache *cache, const uint8_t *object,
			const char *what, size_t offset, uint8_t value,
			size_t n)
{
	size_t i = offset;

	while (i < offset + n && object[i] == value)
		i++;
	if (i < offset + n)
		printk("slab: %s: object %p was written %s: byte %zu is %#x in "
		       "place of %#x\n",
		       cache->name, (const void *)object, what, i, object[i],
		       value);
}

void mark_free(const struct kmem_cache *cache, void *object)
{
	if (!cache->ctor)
		memset(object, POISON_FREE, cache->object_size);
	memset((char *)object + cache->object_size, REDZONE_FREE,
	       redzone_size(cache));
}

void debug_free(const struct kmem_cache *cache, void *object)
{
	check_bytes(cache, object, "beyond its end", cache->object_size,
		    REDZONE_USED, redzone_size(cache));
	mark_free(cache, object);
}

void debug_alloc(const struct kmem_cache *cache, void *object)
{
	if (!cache->ctor) {
		check_bytes(cache, object, "after it was freed", 0, POISON_FREE,
			    cache->object_size);
		memset(object, POISON_NEW, cache->object_size);
	}
	check_bytes(cache, object, "beyond its end after it was freed",
		    cache->object_size, REDZONE_FREE, redzone_size(cache));
	memset((char *)object + cache->object_size, REDZONE_USED,
	       redzone_size(cache));
}
#endif
