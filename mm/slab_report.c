/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slab: what the caches hold, and whether the invariants of slab.c are kept. */
#include <mm/slab_internal.h>

bool slab_info(size_t i, struct slab_info *info)
{
	struct kmem_cache *cache;
	unsigned long flags;
	bool found = false;

	spin_lock_irqsave(&slab_caches_lock, flags);
	list_for_each_entry(cache, &slab_caches, caches) {
		if (i--)
			continue;
		*info = (struct slab_info){
			.name = cache->name,
			.object_size = cache->object_size,
			.stride = cache->stride,
			.objects = slab_objects(cache),
			.slabs = cache->slabs,
			.pages = cache->pages,
		};
		found = true;
		break;
	}
	spin_unlock_irqrestore(&slab_caches_lock, flags);
	return found;
}

static bool broken(const struct kmem_cache *cache, const char *which,
		   const struct page *page)
{
	printk("slab: %s: cache %s: slab at pfn %#lx, %s, %u of %u objects in "
	       "use, first free %#x\n",
	       which, cache->name, page_to_pfn(page),
	       page_type_name(page->type), page->slab_inuse,
	       slab_capacity(cache, page), page->slab_free);
	return false;
}

static bool verify_slab(const struct kmem_cache *cache, const struct page *page)
{
	unsigned int n = slab_capacity(cache, page);
	unsigned int left = n - page->slab_inuse;
	uint64_t at = page->slab_free;

	if (page->type != PAGE_SLAB || page->slab_cache != cache)
		return broken(cache, "S1", page);
	if (page->slab_inuse > n)
		return broken(cache, "S2", page);
	/* A place that came twice would make the list too long. */
	for (; left && at != LINK_END; left--) {
		if (at > LINK_END || !is_object_offset(cache, page, at * UNIT))
			return broken(cache, "S5", page);
		at = link_read(cache, object_at(page, at));
	}
	if (left || at != LINK_END)
		return broken(cache, "S2", page);
	return true;
}

static bool verify_cache_locked(const struct kmem_cache *cache)
{
	size_t slabs = 0, pages = 0, empty = 0;
	struct page *page;

	list_for_each_entry(page, &cache->partial, list) {
		if (!verify_slab(cache, page))
			return false;
		if (page->slab_free == LINK_END)
			return broken(cache, "S3", page);
		slabs++;
		pages += 1UL << page->order;
		empty += !page->slab_inuse;
	}
	list_for_each_entry(page, &cache->full, list) {
		if (!verify_slab(cache, page))
			return false;
		if (page->slab_free != LINK_END)
			return broken(cache, "S3", page);
		slabs++;
		pages += 1UL << page->order;
	}
	if (slabs == cache->slabs && pages == cache->pages &&
	    empty == cache->empty)
		return true;
	printk("slab: S4, S6: cache %s: counted %zu slabs, %zu pages, %zu "
	       "empty; noted %zu, %zu, %zu\n",
	       cache->name, slabs, pages, empty, cache->slabs, cache->pages,
	       cache->empty);
	return false;
}

bool slab_verify(void)
{
	struct kmem_cache *cache;
	unsigned long flags;
	bool ok = true;

	spin_lock_irqsave(&slab_caches_lock, flags);
	list_for_each_entry(cache, &slab_caches, caches) {
		spin_lock(&cache->lock);
		ok = ok && verify_cache_locked(cache);
		spin_unlock(&cache->lock);
	}
	spin_unlock_irqrestore(&slab_caches_lock, flags);
	return ok;
}
