/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory as a whole.
 *
 * Terms
 *   early memory   what memblock gives out before the page allocator is up:
 *                  page tables and page descriptors.
 *   taken          in use before we were asked: the first MiB (firmware and
 *                  legacy devices live there), the image, what the loader
 *                  left for us.
 *   kept           page tables of vmalloc space, and the index of its areas.
 *                  They stay when what they mapped goes, so a snapshot counts
 *                  them as free, and the pages of slabs too: the objects in
 *                  use, counted apart, may come to lie in more slabs.
 *
 * Operations
 *   mm_early_init()  O(ranges): what there is, less what is taken, becomes
 *                    memblock's.
 *   mm_init()        O(free ranges): each allocator takes what the one below
 *                    it offers.
 *   mm_drain_all()   top down: an area freed lazily holds a descriptor of
 *                    the slab, an empty slab holds pages.
 *
 * Invariants
 *   M1  no page that memblock hands out is taken.
 *   M2  between two snapshots, work that freed all it allocated changes no
 *       value of the snapshot.
 *
 * Departure from Linux: there, early memory goes on after the page allocator
 * is up, for hotplug. Here memory is what the map said at boot.
 */
#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/printk.h>
#include <mm/memblock.h>
#include <mm/mm.h>
#include <mm/page_alloc.h>
#include <mm/pcp.h>
#include <mm/pgtable.h>
#include <mm/slab.h>
#include <mm/vmalloc.h>
#include <mm/vmap.h>
#include <mm/vmap_purge.h>

static uint64_t usable_bytes(const struct boot_info *info)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < info->nr_map; i++) {
		if (info->map[i].type == MEM_USABLE)
			sum += info->map[i].end - info->map[i].start;
	}
	return sum;
}

int mm_early_init(const struct boot_info *info)
{
	uint64_t usable = usable_bytes(info);

	if (usable < MM_MIN_MEMORY) {
		printk("memory: %lu KiB usable, at least %lu KiB are needed\n",
		       usable >> 10, MM_MIN_MEMORY >> 10);
		return -ENOMEM;
	}
	memblock_init(&memblock);
	return memblock_add_boot_info(&memblock, info);
}

void mm_init(const struct boot_info *info)
{
	page_init(&memblock);
	page_alloc_init(info, &memblock);
	slab_init();
	vmalloc_init();
}

void mm_drain_all(void)
{
	vmap_drain();
	slab_drain();
	drain_all_pages();
}

/* Objects in use of all caches, and the pages that they keep. */
static struct slab_info sum_of_caches(void)
{
	struct slab_info info, sum = {.name = "all"};

	for (size_t i = 0; slab_info(i, &info); i++) {
		sum.objects += info.objects;
		sum.pages += info.pages;
	}
	return sum;
}

size_t mm_snapshot(uint64_t values[], const char *names[], size_t max)
{
	mm_drain_all();

	const struct slab_info slab = sum_of_caches();
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {
		{"free pages + kept page tables + slabs",
		 nr_free_pages() + pgtable_nr_tables() + vmap_index_pages() +
			 slab.pages},
		{"live objects", slab.objects - vmap_index_objects()},
		{"busy areas", vmap_stats().nr_busy},
	};
	size_t n = 0;

	for (; n < ARRAY_SIZE(rows) && n < max; n++) {
		names[n] = rows[n].name;
		values[n] = rows[n].value;
	}
	return n;
}
