/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own address space.
 *
 * Terms
 *	memory		usable and ACPI ranges of the memory map; reserved
 *			ranges and holes are not memory and are not mapped
 *	direct map	all memory, at DIRECT_MAP_BASE + pa
 *	vmemmap		the page descriptors, at VMEMMAP_BASE + pfn * size
 *	fixmap		a small window for device registers
 *	span		memory ranges joined where they meet, whole pages
 *
 * Structures
 *	Only the page tables, and the fill level of the fixmap.
 *
 * Operations
 *	build	O(tables + descriptors). One descent per table; the direct map
 *		is a handful of 1 GiB and 2 MiB leaves, so nearly all of the
 *		time goes into zeroing the descriptors: 32 bytes per page.
 *	device	O(pages); never undone, there is no need to.
 *
 *	What maps what, and how it may be used:
 *		direct map	largest leaves	rw-
 *		  under read-only sections	r--
 *		image		4 KiB leaves	as each section says
 *		vmemmap		4 KiB leaves	rw-
 *		fixmap		4 KiB leaves	rw- uncached
 *	The image has an alias in the direct map. Code and constants are
 *	read-only there too, or else a stray write through the alias would
 *	change code after all.
 *
 *	Large leaves are kept to the direct map on purpose: an emulated CPU
 *	that has touched two far large pages takes every flush of a page
 *	between them for a full one, and would hide missing flushes.
 *
 *	Which descriptors there are is the page allocator's matter (page.c).
 *	Those of a node's pages lie in that node's memory where it has room
 *	for them below EARLY_DIRECT_MAP_END.
 *
 * Invariants
 *	K1	page 0 is not mapped anywhere: no table, no direct map
 *	K2	a page of a span is mapped at DIRECT_MAP_BASE + pa and there
 *		alone, but for image, descriptors and device windows
 *	K3	no mapping, with all its aliases, is writable and executable
 *	K4	FIXMAP_START <= fixmap_next <= FIXMAP_END
 *
 * Locking
 *	None: boot runs on one CPU.
 *
 * Departures from Linux
 *	No early and late stage of the direct map: the early allocator's
 *	memory is reachable through the boot tables, so the tree is built in
 *	one go. Descriptors lie on 4 KiB pages, for the reason above.
 */
#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <mm/kernel_map.h>
#include <mm/node.h>
#include <mm/page.h>
#include <mm/pgtable.h>

static va_t fixmap_next = FIXMAP_START;

static bool is_memory(const struct mem_range *r)
{
	return r->type == MEM_USABLE || r->type == MEM_ACPI_RECLAIM ||
	       r->type == MEM_ACPI_NVS;
}

/*
 * The first span that ends above @from, cut off below it.
 * Return: false when there is none.
 */
static bool next_span(const struct boot_info *info, pa_t from, pa_t *start,
		      pa_t *end)
{
	unsigned int i = 0;

	while (i < info->nr_map && (!is_memory(&info->map[i]) ||
				    PAGE_ALIGN(info->map[i].end) <= from))
		i++;
	if (i == info->nr_map)
		return false;
	*start = max(PAGE_ALIGN_DOWN(info->map[i].start), from);
	*end = PAGE_ALIGN(info->map[i].end);
	for (i++; i < info->nr_map; i++) {
		if (!is_memory(&info->map[i]))
			continue;
		if (PAGE_ALIGN_DOWN(info->map[i].start) > *end)
			break;
		*end = PAGE_ALIGN(info->map[i].end);
	}
	return true;
}

static int map_direct(pte_t *root, const struct boot_info *info)
{
	pa_t start, end = PAGE_SIZE; /* K1 */
	int err = 0;

	while (!err && next_span(info, end, &start, &end))
		err = pgtable_map_range(root, DIRECT_MAP_BASE + start,
					DIRECT_MAP_BASE + end, start,
					PAGE_KERNEL, arch_max_leaf_level(), 0);
	return err;
}

static int map_section(pte_t *root, const struct image_section *s)
{
	va_t alias = DIRECT_MAP_BASE + s->pa;
	int err = pgtable_map_range(root, s->va, s->va + s->size, s->pa,
				    s->prot, 0, 0);

	if (!err && !(s->prot & PROT_WRITE))
		err = pgtable_protect(root, alias, alias + s->size,
				      PAGE_KERNEL_RO, 0);
	if (err)
		printk("kernel map: section %s at 0x%lx, %zu bytes: error %d\n",
		       s->name, s->va, s->size, err);
	return err;
}

/* Memory for descriptors of pages of @nid, in that node if it has so much in a
 * row where the boot tables reach. Return: 0 after one line: there is none. */
static pa_t alloc_descriptors(struct memblock *mb, size_t size,
			      unsigned int nid)
{
	pa_t pa = 0;

	for (unsigned int i = 0; i < node_map.nr_ranges && !pa; i++) {
		const struct node_range *r = &node_map.range[i];

		if (r->nid == nid)
			pa = memblock_alloc_in(mb, size, PAGE_SIZE,
					       r->start_pfn << PAGE_SHIFT,
					       min(r->end_pfn << PAGE_SHIFT,
						   EARLY_DIRECT_MAP_END));
	}
	return pa ? pa
		  : memblock_alloc(mb, size, PAGE_SIZE, EARLY_DIRECT_MAP_END);
}

/* Memory for the descriptors of [@start, @end), all pages of @nid, zeroed,
 * mapped at @start. */
static int map_descriptors(pte_t *root, va_t start, va_t end, unsigned int nid,
			   struct memblock *mb)
{
	pa_t pa = alloc_descriptors(mb, end - start, nid);

	if (!pa) {
		printk("kernel map: no %zu bytes for page descriptors\n",
		       (size_t)(end - start));
		return -ENOMEM;
	}
	memset(pa_to_va(pa), 0, end - start);
	return pgtable_map_range(root, start, end, pa, PAGE_KERNEL, 0, 0);
}

/* The node of the page whose descriptor is at @start; so are those of the
 * descriptors up to *@next, which is at most @end. */
static unsigned int descriptor_node(va_t start, va_t end, va_t *next)
{
	unsigned long end_pfn = page_to_pfn((const struct page *)end), pfn_next;
	unsigned int nid = node_of_pfn(
		&node_map, page_to_pfn((const struct page *)start), &pfn_next);

	*next = (va_t)pfn_to_page(min(pfn_next, end_pfn));
	return nid;
}

static int map_vmemmap(pte_t *root, struct memblock *mb)
{
	va_t start, end = 0, next;
	int err = 0;

	while (!err && vmemmap_next(mb, end, &start, &end))
		for (; !err && start < end; start = next) {
			unsigned int nid = descriptor_node(start, end, &next);

			err = map_descriptors(root, start, next, nid, mb);
		}
	return err;
}

pa_t kernel_map_build(const struct boot_info *info,
		      const struct image_section *sections, size_t nr,
		      struct memblock *mb)
{
	pte_t *root = pgtable_create(0);
	int err = root ? 0 : -ENOMEM;

	if (!err)
		err = map_direct(root, info);
	for (size_t i = 0; i < nr && !err; i++)
		err = map_section(root, &sections[i]);
	if (!err)
		err = map_vmemmap(root, mb);
	if (err) {
		printk("kernel map: not built: error %d\n", err);
		if (root)
			pgtable_destroy(root);
		return 0;
	}
	return va_to_pa(root);
}

va_t kernel_map_device(pa_t pa, size_t size)
{
	pa_t first = PAGE_ALIGN_DOWN(pa);
	va_t va = fixmap_next;
	pa_t end;

	if (size == 0 || __builtin_add_overflow(pa, size, &end) ||
	    end > ((pa_t)1 << MAX_PHYS_BITS) ||
	    PAGE_ALIGN(end) - first > FIXMAP_END - va) {
		printk("kernel map: device at 0x%lx, %zu bytes: empty, beyond "
		       "physical memory, or over the %zu bytes left\n",
		       (unsigned long)pa, size, (size_t)(FIXMAP_END - va));
		return 0;
	}
	end = PAGE_ALIGN(end);
	if (pgtable_map_range(arch_root_table(), va, va + (end - first), first,
			      PAGE_KERNEL_NOCACHE, 0, GFP_KERNEL))
		return 0;
	fixmap_next = va + (end - first);
	return va + (pa - first);
}
