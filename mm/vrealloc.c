/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vrealloc: change the size of a vmalloc allocation.
 *
 * Terms
 *	room	pages that the area has addresses for: nr_pages
 *	tail	pages of the room behind those that are mapped
 *
 * Operations
 *	shrink	in place, always: the pages that are too many are unmapped and
 *		freed at once, as vfree() would. The addresses stay the area's:
 *		giving them back would save nothing, and they are what makes it
 *		possible to grow again. O(pages freed).
 *	grow	within the mapped pages: nothing to do. Within the room: map
 *		more pages; if the tail was ever unmapped, CPUs may remember
 *		what was there, so it is flushed first (V1). Beyond the room:
 *		take the addresses behind the area, where they are free, so
 *		that the area has more room; else allocate, copy, free.
 *
 *	What can fail, an allocation, is done before anything is changed. The
 *	blocks of an area with 2 MiB mappings are kept until it is freed.
 *
 * Invariants
 *	(those of vmalloc.c, and)
 *	R1	slots of the page array behind the mapped pages are NULL
 *	R2	VM_CUT: entries of the tail were cleared since it was flushed
 *last
 *
 * Locking
 *	None of its own: the caller has the allocation to itself.
 *
 * Departures from Linux
 *	Linux grows in place only within the pages that a shrink left mapped,
 *	and never returns pages.
 */
#include <arch/va.h>
#include <lib/math.h>
#include <lib/printk.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/vmalloc_internal.h>

static size_t pages_of(size_t size)
{
	return (size >> PAGE_SHIFT) + !!(size & ~PAGE_MASK);
}

static void cut(struct vm_struct *vm, size_t nr)
{
	size_t mapped = vm_mapped_pages(vm);

	if (vm->flags & VM_HUGE || nr == mapped)
		return;
	clear_vm_pages(&vmalloc_space, vm, nr, mapped);
	vm->flags |= VM_CUT;
	free_pages_bulk(&vm->pages[nr], mapped - nr); /* R1 */
}

/* Map the pages from the mapped ones up to @nr. Return: false: not possible,
 * nothing has changed. */
static bool extend(struct vm_struct *vm, size_t nr, gfp_t gfp)
{
	size_t mapped = vm_mapped_pages(vm);
	va_t start = (va_t)vm->addr;

	if (!get_pages(vm, mapped, nr, gfp, NUMA_NO_NODE))
		goto no_pages;
	if (vm->flags & VM_CUT) {
		vmalloc_space.flush(
			start + (mapped << PAGE_SHIFT),
			start + ((size_t)vm->nr_pages << PAGE_SHIFT));
		vm->flags &= ~VM_CUT;
	}
	if (!map_vm_pages(&vmalloc_space, vm, mapped, nr, PAGE_KERNEL, gfp))
		return true;
	clear_vm_pages(&vmalloc_space, vm, mapped, nr);
	vm->flags |= VM_CUT;
no_pages:
	free_pages_bulk(&vm->pages[mapped], nr - mapped);
	return false;
}

/* Move the page array of @vm to one with @nr slots. */
static bool enlarge_array(struct vm_struct *vm, size_t nr)
{
	struct page **array = kzalloc(nr * sizeof(*array), GFP_KERNEL);

	if (!array)
		return false;
	for (size_t i = 0; i < vm->nr_pages; i++)
		array[i] = vm->pages[i];
	kfree(vm->array);
	vm->array = vm->pages = array;
	return true;
}

/*
 * Give @vm room for @nr pages, with the addresses behind it. They come from the
 * free tree, so that they are flushed. Return: false: they are not free.
 */
static bool make_room(struct vm_struct *vm, size_t nr)
{
	struct vmap_area *va = vm_va(vm), *next;
	va_t end = va->va_end + ((nr - vm->nr_pages) << PAGE_SHIFT);
	const struct vmap_request behind = {end - va->va_end, PAGE_SIZE,
					    va->va_end, end};
	LIST_HEAD(surplus);

	if (nr > KMALLOC_MAX_SIZE / sizeof(*vm->pages) ||
	    end > vmalloc_space.end || end < va->va_end ||
	    place_vmap_area(&vmalloc_space, &behind, GFP_KERNEL, &next))
		return false;
	if (vmap_index_insert(&vmalloc_space, next, GFP_KERNEL) ||
	    !enlarge_array(vm, nr)) {
		if (va_flags(next) & VA_INDEXED)
			vmap_index_remove(&vmalloc_space, next);
		free_vmap_area(&vmalloc_space, next);
		return false;
	}
	vmap_index_absorb(&vmalloc_space, va, next);
	list_add(&next->list, &surplus);
	free_vmap_descriptors(&surplus);
	vm->nr_pages = (uint32_t)nr;
	if (((va_t)vm->addr ^ (end - PAGE_SIZE - 1)) >> HUGE_PAGE_SHIFT)
		vm->slot = NULL; /* V5 */
	return true;
}

/* Grow in place to @nr pages, which are not mapped yet. */
static bool grow(struct vm_struct *vm, size_t nr, gfp_t gfp)
{
	if (vm->flags & VM_HUGE)
		return false;
	if (nr > vm->nr_pages && !make_room(vm, nr))
		return false;
	return extend(vm, nr, gfp);
}

static void *moved(const void *p, struct vm_struct *vm, size_t size, gfp_t gfp)
{
	void *to = gfp & __GFP_ZERO ? vzalloc(size) : vmalloc(size);

	if (!to)
		return NULL;
	va_copy_va((va_t)to, (va_t)p, min(size, vm->size));
	vfree(p);
	return to;
}

/* The allocation that begins at @p; NULL after one line. */
static struct vm_struct *allocation_at(const void *p)
{
	struct vm_struct *vm = find_vm_area(p);

	if (vm && vm->addr == p && vm->flags & VM_ALLOC)
		return vm;
	printk("vrealloc: %p: no allocation begins there\n", p);
	return NULL;
}

/* Zero the bytes of the pages mapped already that @size has more than before.
 */
static void clear_added(const struct vm_struct *vm, size_t size)
{
	size_t end = min(size, vm_mapped_pages(vm) << PAGE_SHIFT);

	if (end > vm->size)
		va_zero((va_t)vm->addr + vm->size, end - vm->size);
}

void *vrealloc(const void *p, size_t size, gfp_t gfp)
{
	size_t nr = pages_of(size);
	struct vm_struct *vm;

	if (!p)
		return gfp & __GFP_ZERO ? vzalloc(size) : vmalloc(size);
	vm = allocation_at(p);
	if (!vm)
		return NULL;
	if (size == 0) {
		vfree(p);
		return NULL;
	}
	if (nr > vm_mapped_pages(vm) && !grow(vm, nr, gfp))
		return moved(p, vm, size, gfp);
	if (gfp & __GFP_ZERO)
		clear_added(vm, size);
	if (nr < vm_mapped_pages(vm))
		cut(vm, nr);
	vm->size = size;
	return vm->addr;
}
