/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mapped areas.
 *
 * Terms
 *	area		addresses: struct vmap_area
 *	mapped area	an area, its pages, and what it is for: the area's .vm
 *	guard page	the last page of an area, never mapped: who runs past
 *			the end faults instead of writing to the neighbour
 *	publish		put into the busy tree, where look-ups find it
 *
 * Structures
 *	struct vm_struct, one cache line. It keeps the size asked for in bytes,
 *	not rounded, so that reports and checks know where the user's part ends.
 *	Small areas have their page array inside.
 *
 * Operations
 *	create	checks the request, places an area of size + guard page
 *	map	writes the page-table entries, then publishes: what can be found
 *		is mapped completely
 *	remove	takes the area out of the busy tree, so that a second free of
 *		it finds nothing; clears the entries; then hands the addresses
 *		to the lazy list. The memory may be used again at once, the
 *		addresses after a flush (vmap_purge.c).
 *	Each costs one operation on a tree, O(log n), and one walk of the page
 *	tables per 2 MiB.
 *
 *	An area of which any entry was ever written is freed lazily, also when
 *	its mapping failed half-way: a CPU may remember what was taken back.
 *
 * Invariants
 *	V1	busy area: .vm->addr = va_start, and [va_start, va_start +
 *		nr_pages * PAGE_SIZE) is mapped
 *	V2	nr_pages = size rounded up to pages;
 *		va_size = (nr_pages + 1) * PAGE_SIZE: the guard page
 *	V3	in a space nothing else is mapped
 *	V4	what cannot be found has no entry set, or is being made or
 *		unmade by one caller
 *
 * Locking
 *	Those of the area trees and the page tables, one after another, never
 *	one inside the other. A descriptor belongs to who created it until it
 *	is published, and to who unlinked it afterwards; in between it is
 *	constant, so readers need no lock, only the owner's word that it does
 *	not free it meanwhile.
 *
 * Departures from Linux
 *	Linux publishes first and marks the area as not ready yet. There is no
 *	area without a guard page: one would take away its neighbour's.
 */
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/tlb_log.h>
#include <mm/vmap.h>
#include <mm/vmap_purge.h>

#define GUARD_SIZE PAGE_SIZE

/* Descriptors are ordinary memory, got with the caller's right to wait. */
#define NESTED_GFP(gfp) (((gfp)&__GFP_DIRECT_RECLAIM) | __GFP_NOWARN)

static struct kmem_cache *vm_struct_cache;

void vm_area_init(void)
{
	vm_struct_cache = kmem_cache_create("vm_struct",
					    sizeof(struct vm_struct), 0, NULL);
	if (!vm_struct_cache)
		panic("mapped areas: no cache of descriptors");
}

/* What is wrong with @req, in words; NULL: nothing. */
static const char *request_fault(const struct vmap_space *space,
				 const struct vm_request *req)
{
	if (unlikely(!vm_struct_cache))
		return "too early, vmalloc space is not set up";
	if (req->size == 0)
		return "size is 0";
	if (req->size > nr_managed_pages() << PAGE_SHIFT)
		return "more than there is memory";
	if (!is_power_of_2(req->align))
		return "alignment is not a power of two";
	if (req->start < space->start || req->end > space->end)
		return "window is not inside the space";
	if (req->start >= req->end ||
	    req->end - req->start < PAGE_ALIGN(req->size) + GUARD_SIZE)
		return "window is too small for that and a guard page";
	if ((req->prot & PROT_WRITE) && (req->prot & PROT_EXEC))
		return "both writable and executable";
	return NULL;
}

static noinline void *refuse(const char *who, const struct vm_request *req,
			     const char *why)
{
	printk("%s: %zu bytes, align 0x%zx, in [0x%lx, 0x%lx), prot 0x%x: %s\n",
	       who, req->size, req->align, req->start, req->end, req->prot,
	       why);
	return NULL;
}

static noinline void *out_of(const char *who, const struct vm_request *req,
			     int err)
{
	if (req->gfp & __GFP_NOWARN)
		return NULL;
	return refuse(who, req,
		      err == -ENOSPC ? "no room for it" : "out of memory");
}

static void init_vm(struct vm_struct *vm, const struct vmap_area *va,
		    const struct vm_request *req)
{
	vm->addr = (void *)va->va_start;
	vm->size = req->size;
	vm->pages = NULL;
	vm->nr_pages = (uint32_t)(PAGE_ALIGN(req->size) >> PAGE_SHIFT);
	vm->flags = req->flags;
	vm->caller = req->caller;
}

struct vmap_area *create_vm_area(struct vmap_space *space,
				 const struct vm_request *req, const char *who)
{
	const char *fault = request_fault(space, req);
	const gfp_t gfp = NESTED_GFP(req->gfp);
	struct vmap_request place;
	struct vmap_area *va;
	struct vm_struct *vm;
	int err;

	if (unlikely(fault))
		return refuse(who, req, fault);
	vm = kmem_cache_alloc(vm_struct_cache, gfp);
	if (!vm)
		return out_of(who, req, -ENOMEM);
	place = (struct vmap_request){PAGE_ALIGN(req->size) + GUARD_SIZE,
				      max(req->align, (size_t)PAGE_SIZE),
				      req->start, req->end};
	err = alloc_vmap_area(space, &place, gfp, &va);
	if (unlikely(err)) {
		free_vm_struct(vm);
		return out_of(who, req, err);
	}
	init_vm(vm, va, req);
	va->vm = vm;
	return va;
}

int map_vm_area(struct vmap_space *space, struct vmap_area *va,
		struct page *const *pages, pgprot_t prot, gfp_t gfp)
{
	struct vm_struct *vm = va->vm;
	int err;

	tlb_log_map(space->root, va->va_start, va->va_end - GUARD_SIZE,
		    vm->caller);
	err = pgtable_map_pages(space->root, va->va_start, pages, vm->nr_pages,
				prot, NESTED_GFP(gfp));
	if (likely(!err))
		insert_vmap_area(space, va, vm);
	return err;
}

void discard_vm_area(struct vmap_space *space, struct vmap_area *va)
{
	struct vm_struct *vm = va->vm;

	tlb_log_unmap(space->root, va->va_start, va->va_end - GUARD_SIZE,
		      vm->caller);
	free_vmap_area_lazy(space, va);
	free_vm_struct(vm);
}

void free_vm_struct(struct vm_struct *vm)
{
	kmem_cache_free(vm_struct_cache, vm);
}

static bool wanted_kind(const struct vmap_area *va, const void *flags)
{
	return (va_flags(va) & VA_VM) &&
	       (va->vm->flags & *(const uint32_t *)flags);
}

/* Say why there is nothing to free at @addr. */
static noinline void explain(struct vmap_space *space, va_t addr,
			     const char *who)
{
	const struct vmap_area *va = find_vmap_area(space, addr);

	if (!va)
		printk("%s: 0x%lx: no area is there: never was, or is freed\n",
		       who, addr);
	else if (get_va_start(va) != addr)
		printk("%s: 0x%lx: lies 0x%lx bytes inside the area "
		       "[0x%lx, 0x%lx)\n",
		       who, addr, addr - get_va_start(va), get_va_start(va),
		       va->va_end);
	else
		printk("%s: 0x%lx: the area there is of another kind (0x%x)\n",
		       who, addr, va->vm->flags);
}

struct vm_struct *remove_vm_area(struct vmap_space *space, const void *addr,
				 uint32_t flags, const char *who)
{
	struct vmap_area *va =
		unlink_vmap_area(space, (va_t)addr, wanted_kind, &flags);
	struct vm_struct *vm;

	if (unlikely(!va)) {
		explain(space, (va_t)addr, who);
		return NULL;
	}
	vm = va->vm;
	pgtable_unmap(space->root, (va_t)addr, va->va_end - GUARD_SIZE);
	tlb_log_unmap(space->root, (va_t)addr, va->va_end - GUARD_SIZE,
		      vm->caller);
	free_vmap_area_lazy(space, va);
	return vm;
}

/* ---- vmap --------------------------------------------------------------- */

void *vmap(struct page *const *pages, unsigned int count, uint32_t flags,
	   pgprot_t prot)
{
	const struct vm_request req = {
		.size = (size_t)count << PAGE_SHIFT,
		.align = PAGE_SIZE,
		.start = VMALLOC_START,
		.end = VMALLOC_END,
		.gfp = GFP_KERNEL,
		.prot = prot,
		.flags = VM_MAP,
		.caller = __builtin_return_address(0),
	};
	struct vmap_area *va;
	int err;

	if (flags & ~VM_MAP || !pages)
		return refuse("vmap", &req,
			      pages ? "unknown flags" : "no page array");
	va = create_vm_area(&vmalloc_space, &req, "vmap");
	if (!va)
		return NULL;
	err = map_vm_area(&vmalloc_space, va, pages, prot, GFP_KERNEL);
	if (likely(!err))
		return va->vm->addr;
	discard_vm_area(&vmalloc_space, va);
	return err == -ENOMEM ? out_of("vmap", &req, err)
			      : refuse("vmap", &req, "pages can't be mapped");
}

void vunmap(const void *addr)
{
	struct vm_struct *vm;

	if (!addr)
		return;
	vm = remove_vm_area(&vmalloc_space, addr, VM_MAP, "vunmap");
	if (likely(vm))
		free_vm_struct(vm);
}

/* ---- look-up ------------------------------------------------------------ */

struct vm_struct *find_vm_area(const void *addr)
{
	const struct vmap_area *va = find_vmap_area(&vmalloc_space, (va_t)addr);

	return va && (va_flags(va) & VA_VM) ? va->vm : NULL;
}

struct page *vmalloc_to_page(const void *addr)
{
	pa_t pa;

	if (unlikely(!is_vmalloc_addr(addr))) {
		printk("vmalloc_to_page: %p is not in vmalloc space\n", addr);
		return NULL;
	}
	if (unlikely(!vmalloc_space.root))
		return NULL;
	pa = pgtable_translate(vmalloc_space.root, (va_t)addr);
	return pa ? pa_to_page(pa) : NULL;
}

/* ---- checks ------------------------------------------------------------- */

struct check {
	struct vmap_space *space;
	size_t mapped; /* areas found mapped so far */
	bool ok;
};

/* V1..V3 for one mapped range: it is one area's, and all of it. */
static bool check_range(void *ctx, const struct pgtable_range *range)
{
	struct check *c = ctx;
	const struct vmap_area *va = find_vmap_area(c->space, range->start);
	const struct vm_struct *vm =
		va && (va_flags(va) & VA_VM) ? va->vm : NULL;

	c->ok = vm && (va_t)vm->addr == range->start &&
		get_va_start(va) == range->start &&
		range->end - range->start == PAGE_ALIGN(vm->size) &&
		(range->end - range->start) >> PAGE_SHIFT == vm->nr_pages &&
		va->va_end == range->end + GUARD_SIZE;
	if (!c->ok)
		printk("vmap space %s: [0x%lx, 0x%lx) is mapped: not what an "
		       "area says\n",
		       c->space->name, range->start, range->end);
	c->mapped++;
	return c->ok;
}

bool vmap_verify_space(struct vmap_space *space)
{
	struct check c = {.space = space, .ok = true};

	if (!vmap_space_verify(space))
		return false;
	pgtable_for_each_range(space->root, space->start, space->end,
			       check_range, &c);
	if (c.ok && c.mapped != space->nr_busy) {
		printk("vmap space %s: %zu areas busy, %zu mapped\n",
		       space->name, space->nr_busy, c.mapped);
		return false;
	}
	return c.ok;
}
