/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mapped areas.
 *
 * Terms
 *	area		addresses: struct vmap_area
 *	mapped area	an area, its pages, and what it is for: struct
 *vm_struct, in one object with it guard page	the last page of an area, never
 *mapped: who runs past the end faults instead of writing to the neighbour
 *	publish		make the area busy: look-ups find it from then on
 *	settle		give a range that comes from the free tree all that a
 *			mapped area needs
 *
 * Structures
 *	struct vm_struct, one cache line. It keeps the size asked for in bytes,
 *	not rounded, so that reports and checks know where the user's part ends.
 *	A range keeps, as long as it is not retired: its descriptor, its words
 *	in the index, its page tables, the place of its first entry, and the
 *	memory of its page array.
 *
 * Operations
 *	create	checks the request, gets a range of size + guard page from a
 *		cache, or places one and settles it
 *	map	writes the page-table entries, then publishes: what can be found
 *		is mapped completely
 *	remove	makes the area one that is not busy, so that a second free of it
 *		finds nothing; clears the entries
 *	free	hands the addresses to the lazy list. The memory may be used
 *		again at once, the addresses after a flush (vmap_purge.c).
 *	With a range from a cache each is O(1) and a store for each page,
 *without a walk, a lock shared with other CPUs, or an allocation. Else they
 *cost an operation on the free tree, O(log n), and a walk of the page tables
 *	per 2 MiB.
 *
 *	An area of which any entry was ever written is freed lazily, also when
 *	its mapping failed half-way: a CPU may remember what was taken back.
 *
 * Invariants
 *	V1	busy area: .vm->addr = va_start, and [va_start, va_start + size
 *		rounded up to pages) is mapped
 *	V2	size rounded up to pages <= nr_pages, and equal unless
 *vrealloc() took pages away; va_size = (nr_pages + 1) * PAGE_SIZE: the guard
 *		page
 *	V3	in a space nothing else is mapped
 *	V4	what cannot be found has no entry set, or is being made or
 *		unmade by one caller
 *	V5	.slot, if not NULL, is the entry of the first page, and all
 *		entries are in its table
 *
 * Locking
 *	None of its own. An area belongs to who created it until it is
 *	published, and to who removed it afterwards; in between it is constant,
 *	so readers need no lock, only the owner's word that it does not free it
 *	meanwhile.
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
#include <mm/tlb_log.h>
#include <mm/vmap.h>

#define GUARD_SIZE PAGE_SIZE

/* Nested allocations have the caller's right to wait, and no more. */
#define NESTED_GFP(gfp) (((gfp)&__GFP_DIRECT_RECLAIM) | __GFP_NOWARN)

/* What is wrong with @req, in words; NULL: nothing. */
static const char *request_fault(const struct vmap_space *space,
				 const struct vm_request *req)
{
	if (unlikely(space->start == space->end))
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

/* ---- create ------------------------------------------------------------- */

/* Find the entry of the first page, if the area lies in one table (V5). */
static int find_slot(struct vmap_space *space, struct vm_struct *vm, gfp_t gfp)
{
	va_t start = (va_t)vm->addr;
	va_t last = start + ((size_t)vm->nr_pages << PAGE_SHIFT) - 1;
	pte_t *table;
	int err;

	if (start >> HUGE_PAGE_SHIFT != last >> HUGE_PAGE_SHIFT)
		return 0;
	err = pgtable_table(space->root, start, gfp, &table);
	if (err)
		return err;
	vm->slot = &table[pt_index(start, 0)];
	vmap_index_set_table(space, start, table);
	return 0;
}

/* Settle @va, of @nr_pages pages and a guard page, as the tree gave it. If
 * large mappings are wanted, no table is made that would be in their way. */
static int settle(struct vmap_space *space, struct vmap_area *va,
		  size_t nr_pages, bool large, gfp_t gfp)
{
	struct vm_struct *vm = va_vm(va);
	int err = vmap_index_insert(space, va, gfp);

	if (err)
		return err;
	vm->addr = (void *)get_va_start(va);
	vm->nr_pages = (uint32_t)nr_pages;
	vm->slot = NULL;
	err = large ? 0 : find_slot(space, vm, gfp);
	if (err)
		vmap_index_remove(space, va);
	return err;
}

struct vm_struct *create_vm_area(struct vmap_space *space,
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
	place = (struct vmap_request){PAGE_ALIGN(req->size) + GUARD_SIZE,
				      max(req->align, (size_t)PAGE_SIZE),
				      req->start, req->end};
	err = alloc_vmap_area(space, &place, gfp, &va);
	if (unlikely(err))
		return out_of(who, req, err);
	if (!(va_flags(va) & VA_INDEXED)) {
		err = settle(space, va, (place.size >> PAGE_SHIFT) - 1,
			     req->flags & VM_ALLOW_HUGE, gfp);
		if (unlikely(err)) {
			free_vmap_area(space, va);
			return out_of(who, req, err);
		}
	}
	vm = va_vm(va);
	vm->size = req->size;
	vm->pages = NULL;
	vm->flags = req->flags;
	vm->caller = req->caller;
	return vm;
}

/* ---- map ---------------------------------------------------------------- */

/* The table of level 0 around @va, made if need be. NULL: out of memory. */
static pte_t *table_around(struct vmap_space *space, va_t va, gfp_t gfp)
{
	pte_t *table = vmap_leaf_table(vmap_leaf_at(space, va));

	if (likely(table))
		return table;
	if (pgtable_table(space->root, va, NESTED_GFP(gfp), &table))
		return NULL;
	vmap_index_set_table(space, va, table);
	return table;
}

/* Pages from @va on, of the @left that an area has there, in one table. */
static size_t pages_in_table(va_t va, size_t left)
{
	return min(left, (size_t)(PT_ENTRIES - pt_index(va, 0)));
}

void clear_vm_pages(struct vmap_space *space, const struct vm_struct *vm,
		    size_t from, size_t to)
{
	while (from < to) {
		va_t va = (va_t)vm->addr + (from << PAGE_SHIFT);
		size_t n = pages_in_table(va, to - from);
		pte_t *table = vmap_leaf_table(vmap_leaf_at(space, va));

		if (table)
			pgtable_clear(&table[pt_index(va, 0)], n);
		from += n;
	}
}

noinline void clear_by_table(struct vmap_space *space,
			     const struct vm_struct *vm)
{
	va_t start = (va_t)vm->addr;

	if (vm->flags & VM_HUGE)
		pgtable_unmap(space->root, start,
			      start + ((size_t)vm->nr_pages << PAGE_SHIFT));
	else
		clear_vm_pages(space, vm, 0, vm->nr_pages);
}

int map_vm_pages(struct vmap_space *space, struct vm_struct *vm, size_t from,
		 size_t to, pgprot_t prot, gfp_t gfp)
{
	while (from < to) {
		va_t va = (va_t)vm->addr + (from << PAGE_SHIFT);
		size_t n = pages_in_table(va, to - from);
		pte_t *table = table_around(space, va, gfp);

		if (unlikely(!table))
			return -ENOMEM;
		if (unlikely(pgtable_write_pages(&table[pt_index(va, 0)],
						 &vm->pages[from], n,
						 prot) < n))
			return -EINVAL;
		from += n;
	}
	return 0;
}

/* Write the entries of an area that lies in several tables. @pages need not be
 * its own. */
static noinline int write_by_table(struct vmap_space *space,
				   struct vm_struct *vm,
				   struct page *const *pages, pgprot_t prot,
				   gfp_t gfp)
{
	struct page **own = vm->pages;
	int err;

	vm->pages = (struct page **)pages;
	err = map_vm_pages(space, vm, 0, vm->nr_pages, prot, gfp);
	vm->pages = own;
	if (unlikely(err))
		clear_vm_pages(space, vm, 0, vm->nr_pages);
	return err;
}

/* The same in one table. */
static __always_inline int
write_in_table(struct vm_struct *vm, struct page *const *pages, pgprot_t prot)
{
	size_t done = pgtable_write_pages(vm->slot, pages, vm->nr_pages, prot);

	if (likely(done == vm->nr_pages))
		return 0;
	pgtable_clear(vm->slot, done);
	return -EINVAL;
}

int map_vm_area(struct vmap_space *space, struct vm_struct *vm,
		struct page *const *pages, pgprot_t prot, gfp_t gfp)
{
	int err;

	log_map(space, vm);
	err = likely(vm->slot) ? write_in_table(vm, pages, prot)
			       : write_by_table(space, vm, pages, prot, gfp);
	if (likely(!err))
		insert_vmap_area(vm_va(vm), vm);
	return err;
}

void discard_vm_area(struct vmap_space *space, struct vm_struct *vm)
{
	log_unmap(space, vm);
	free_vmap_area_lazy(space, vm_va(vm));
}

/* ---- remove ------------------------------------------------------------- */

/* Say why there is nothing to free at @addr. */
noinline void explain_bad_free(struct vmap_space *space, const void *addr,
			       const char *who)
{
	va_t at = (va_t)addr;
	struct vmap_area *va;

	if (!addr)
		return;
	va = find_vmap_area(space, at);
	if (!va)
		printk("%s: 0x%lx: no area is there: never was, or is freed\n",
		       who, at);
	else if (get_va_start(va) != at)
		printk("%s: 0x%lx: lies 0x%lx bytes inside the area "
		       "[0x%lx, 0x%lx)\n",
		       who, at, at - get_va_start(va), get_va_start(va),
		       va->va_end);
	else
		printk("%s: 0x%lx: the area there is of another kind (0x%x)\n",
		       who, at, va_vm(va)->flags);
}

struct vm_struct *remove_vm_area(struct vmap_space *space, const void *addr,
				 uint32_t kinds, const char *who)
{
	struct vmap_area *va = unlink_vmap_area(space, (va_t)addr, kinds);

	if (unlikely(!va)) {
		explain_bad_free(space, addr, who);
		return NULL;
	}
	clear_entries(space, va_vm(va));
	return va_vm(va);
}

/* ---- vmap --------------------------------------------------------------- */

/* Map and publish @vm for vmap(). */
static noinline void *vmap_area_of(struct vm_struct *vm,
				   struct page *const *pages, pgprot_t prot)
{
	int err = map_vm_area(&vmalloc_space, vm, pages, prot, GFP_KERNEL);

	if (likely(!err))
		return vm->addr;
	printk("vmap: %zu bytes: %s\n", vm->size,
	       err == -ENOMEM ? "out of memory" : "pages can't be mapped");
	discard_vm_area(&vmalloc_space, vm);
	return NULL;
}

/* The slow part of vmap(): bad arguments, or no range at hand. */
static noinline void *vmap_slowly(struct page *const *pages, unsigned int count,
				  uint32_t flags, pgprot_t prot,
				  const void *caller)
{
	const struct vm_request req = {
		.size = (size_t)count << PAGE_SHIFT,
		.align = PAGE_SIZE,
		.start = VMALLOC_START,
		.end = VMALLOC_END,
		.gfp = GFP_KERNEL,
		.prot = prot,
		.flags = VM_MAP,
		.caller = caller,
	};
	struct vm_struct *vm;

	if (flags & ~VM_MAP || !pages)
		return refuse("vmap", &req,
			      pages ? "unknown flags" : "no page array");
	vm = create_vm_area(&vmalloc_space, &req, "vmap");
	return vm ? vmap_area_of(vm, pages, prot) : NULL;
}

/* The rare end of vmap(): @vm lies in several tables, or a page was NULL. What
 * was written for nothing is not touched by anyone yet. */
static noinline void *vmap_again(struct vm_struct *vm,
				 struct page *const *pages)
{
	if (vm->slot)
		clear_entries(&vmalloc_space, vm);
	return vmap_area_of(vm, pages, PAGE_KERNEL);
}

/* Every call is the last thing done, so that nothing is saved for after it. */
void *vmap(struct page *const *pages, unsigned int count, uint32_t flags,
	   pgprot_t prot)
{
	const void *caller = __builtin_return_address(0);
	struct vm_struct *vm;

	if (unlikely(flags & ~VM_MAP || !pages || prot != PAGE_KERNEL ||
		     count - 1 >= VMAP_CACHE_SIZES))
		return vmap_slowly(pages, count, flags, prot, caller);
	vm = take_vm_area(&vmalloc_space, count - 1);
	if (unlikely(!vm))
		return vmap_slowly(pages, count, flags, prot, caller);
	vm->size = (size_t)count << PAGE_SHIFT;
	vm->pages = NULL;
	vm->flags = VM_MAP;
	vm->caller = caller;
	log_map(&vmalloc_space, vm);
	if (unlikely(!vm->slot || pgtable_write_pages(vm->slot, pages, count,
						      PAGE_KERNEL) < count))
		return vmap_again(vm, pages);
	insert_vmap_area(vm_va(vm), vm);
	return vm->addr;
}

static noinline void unmap_by_table(struct vm_struct *vm)
{
	clear_entries(&vmalloc_space, vm);
	free_vm_area(&vmalloc_space, vm);
}

void vunmap(const void *addr)
{
	struct vmap_area *va =
		unlink_vmap_area(&vmalloc_space, (va_t)addr, VM_MAP);
	struct vm_struct *vm;

	if (unlikely(!va)) {
		explain_bad_free(&vmalloc_space, addr, "vunmap");
		return;
	}
	vm = va_vm(va);
	if (unlikely(!vm->slot)) {
		unmap_by_table(vm);
		return;
	}
	clear_entries(&vmalloc_space, vm);
	free_vm_area(&vmalloc_space, vm);
}

/* ---- look-up ------------------------------------------------------------ */

struct vm_struct *find_vm_area(const void *addr)
{
	struct vmap_area *va = find_vmap_area(&vmalloc_space, (va_t)addr);

	return va && va_flags(va) & VA_VM ? va_vm(va) : NULL;
}

noinline struct page *vmalloc_to_page_slow(const void *addr)
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
	size_t mapped;   /* pages found mapped */
	size_t expected; /* pages of busy areas */
	bool ok;
};

/* V1..V3 for one mapped range: it is inside one area. */
static bool check_range(void *ctx, const struct pgtable_range *range)
{
	struct check *c = ctx;
	struct vmap_area *va = find_vmap_area(c->space, range->start);

	c->ok = va && va_flags(va) & VA_VM &&
		range->end <= va->va_end - GUARD_SIZE;
	if (!c->ok)
		printk("vmap space %s: [0x%lx, 0x%lx) is mapped: not what an "
		       "area says\n",
		       c->space->name, range->start, range->end);
	c->mapped += (range->end - range->start) >> PAGE_SHIFT;
	return c->ok;
}

/* V1, V2, V5 for one area: what its descriptor says. */
static bool check_area(void *ctx, struct vmap_area *va)
{
	struct check *c = ctx;
	const struct vm_struct *vm = va_vm(va);
	unsigned int level;

	if (!(va_flags(va) & VA_VM))
		return true;
	c->ok = va->vm == vm && (va_t)vm->addr == get_va_start(va) &&
		vm_mapped_pages(vm) <= vm->nr_pages &&
		va_size(va) >> PAGE_SHIFT == vm->nr_pages + 1UL &&
		(!vm->slot || vm->slot == pgtable_slot(c->space->root,
						       (va_t)vm->addr, &level));
	if (!c->ok)
		printk("vmap space %s: V2: the area at 0x%lx of %zu bytes\n",
		       c->space->name, va->va_start, vm->size);
	c->expected += vm_mapped_pages(vm);
	return c->ok;
}

bool vmap_verify_space(struct vmap_space *space)
{
	struct check c = {.space = space, .ok = true};

	if (!vmap_space_verify(space) ||
	    !vmap_index_for_each(space, check_area, &c))
		return false;
	pgtable_for_each_range(space->root, space->start, space->end,
			       check_range, &c);
	if (c.ok && c.mapped != c.expected) {
		printk("vmap space %s: V1: areas have %zu pages, %zu are "
		       "mapped\n",
		       space->name, c.expected, c.mapped);
		return false;
	}
	return c.ok;
}
