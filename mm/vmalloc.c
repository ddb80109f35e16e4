/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmalloc.
 *
 * Terms
 *	page array	the pages of one allocation, in the order of addresses
 *	nested		an allocation that another one needs: descriptors, page
 *			array, page tables
 *
 * Why
 *	Large physically contiguous blocks become rare as memory fragments.
 *	Single pages never do, and page tables make them contiguous where the
 *	user looks. The price is page-table entries and TLB misses.
 *
 * Structures
 *	A mapped area (vmap.c) that owns its pages: vm->pages is its page array.
 *	That of one page is in the descriptor, others come from kmalloc, and
 *	stay with the range when it is freed: the next who gets it has the same
 *	number of pages.
 *
 * Operations
 *	vmalloc	an area, a page array, its pages with one call of the bulk
 *		allocator, the entries; then it can be found. O(pages), and
 *		O(log areas) where no cache has a range.
 *	vfree	the reverse, without the last step of it: entries cleared, pages
 *		back with one call; the addresses come back with a purge.
 *		O(pages). Needs no memory.
 *
 *	Allocation may fail at the descriptor of the area (twice: vmap_area.c),
 *	the words of the index, the page array, the pages, each page table.
 *	Each failure undoes the steps before it; the addresses go the lazy way
 *	even so, which costs nothing and is always right.
 *
 * Invariants
 *	(those of vmap.c, and)
 *	M1	VM_ALLOC: pages[0 .. nr_pages) are distinct pages, each with the
 *		one reference that the area holds
 *	M2	pages == &page if nr_pages == 1, else pages == array
 *	M3	.array of what is not busy has nr_pages slots, all NULL
 *
 * Locking
 *	None of its own.
 *
 * Departures from Linux
 *	The page array never is vmalloc'ed memory itself: one allocation takes
 *	KMALLOC_MAX_SIZE / 8 pages at most, 2 GiB. vfree needs no worker: it
 *	never waits.
 */
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/param.h>
#include <lib/printk.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/tlb_log.h>
#include <mm/vmalloc_internal.h>

DEFINE_PER_CPU(struct vmap_cpu, vmalloc_cpus) __aligned(64);

struct vmap_space vmalloc_space = {
	.name = "vmalloc",
	.index = &vmap_no_leaf,
	.cpus = &vmalloc_cpus,
};

static bool bulk = true;

PARAM_BOOL("vmalloc_bulk", bulk, "0: vmalloc asks for its pages one by one");

void vmalloc_init(void)
{
	tlb_log_start();
	vmap_area_init();
	if (vmap_space_init(&vmalloc_space, "vmalloc", VMALLOC_START,
			    VMALLOC_END, arch_root_table()))
		panic("vmalloc space [0x%lx, 0x%lx): not set up", VMALLOC_START,
		      VMALLOC_END);
	vmalloc_space.cpus = &vmalloc_cpus;
}

/* ---- pages -------------------------------------------------------------- */

bool get_page_array(struct vm_struct *vm, gfp_t gfp)
{
	if (vm->nr_pages == 1) {
		vm->page = NULL;
		vm->pages = &vm->page;
		return true;
	}
	if (unlikely(!vm->array)) {
		if (vm->nr_pages > KMALLOC_MAX_SIZE / sizeof(*vm->array))
			return false;
		vm->array =
			kzalloc(vm->nr_pages * sizeof(*vm->array),
				(gfp & __GFP_DIRECT_RECLAIM) | __GFP_NOWARN);
	}
	vm->pages = vm->array;
	return vm->pages;
}

static noinline bool get_one_by_one(struct vm_struct *vm, size_t from,
				    size_t to, gfp_t gfp, int node)
{
	for (size_t i = from; i < to; i++) {
		vm->pages[i] = alloc_pages_node(node, gfp, 0);
		if (!vm->pages[i])
			return false;
	}
	return true;
}

bool get_pages(struct vm_struct *vm, size_t from, size_t to, gfp_t gfp,
	       int node)
{
	size_t got = 0, before;

	gfp |= __GFP_NOWARN;
	if (unlikely(!bulk))
		return get_one_by_one(vm, from, to, gfp, node);
	do {
		before = got;
		got = alloc_pages_bulk_array_node(gfp, node, to - from,
						  &vm->pages[from]);
	} while (unlikely(got < to - from && got > before));
	return got == to - from;
}

/* Free the blocks of 2 MiB in the page array, and the pages between. */
static noinline void put_blocks(struct vm_struct *vm)
{
	for (size_t i = 0; i < vm->nr_pages; i += PT_ENTRIES) {
		size_t n = min(vm->nr_pages - i, (size_t)PT_ENTRIES);
		struct page *page = vm->pages[i];

		if (page && page->order) {
			vm->pages[i] = NULL;
			__free_pages(page, page->order);
		} else {
			free_pages_bulk(&vm->pages[i], n);
		}
	}
}

void put_pages(struct vm_struct *vm)
{
	if (unlikely(vm->flags & VM_HUGE))
		put_blocks(vm);
	else
		free_pages_bulk(vm->pages, vm->nr_pages); /* M3 */
}

/* ---- vmalloc ------------------------------------------------------------ */

static noinline void *fail(struct vmap_space *space, struct vm_struct *vm,
			   gfp_t gfp)
{
	if (vm->pages) {
		clear_by_table(space, vm);
		put_pages(vm);
	}
	if (!(gfp & __GFP_NOWARN))
		printk("vmalloc: %zu bytes: out of memory, %lu pages free\n",
		       vm->size, nr_free_pages());
	discard_vm_area(space, vm);
	return NULL;
}

/* Give @vm its pages, map them, publish. */
static void *populate(struct vmap_space *space, struct vm_struct *vm, gfp_t gfp,
		      pgprot_t prot, int node)
{
	if (unlikely(!get_page_array(vm, gfp) ||
		     !get_pages(vm, 0, vm->nr_pages, gfp, node) ||
		     map_vm_area(space, vm, vm->pages, prot, gfp)))
		return fail(space, vm, gfp);
	return vm->addr;
}

void *vmalloc_in(struct vmap_space *space, const struct vm_request *req)
{
	struct vm_struct *vm = create_vm_area(space, req, "vmalloc");

	if (unlikely(!vm))
		return NULL;
	if (likely(!(req->flags & VM_ALLOW_HUGE) ||
		   (va_t)vm->addr & (HUGE_PAGE_SIZE - 1)))
		return populate(space, vm, req->gfp, req->prot, req->node);
	if (!populate_huge(space, vm, req->gfp, req->prot, req->node))
		return fail(space, vm, req->gfp);
	insert_vmap_area(vm_va(vm), vm);
	return vm->addr;
}

static noinline void *vmalloc_slowly(size_t size, gfp_t gfp, uint32_t flags,
				     int node, const void *caller)
{
	bool huge = flags & VM_ALLOW_HUGE;

	return vmalloc_in(&vmalloc_space,
			  &(const struct vm_request){
				  .size = size,
				  .align = huge ? HUGE_PAGE_SIZE : PAGE_SIZE,
				  .start = VMALLOC_START,
				  .end = VMALLOC_END,
				  .gfp = gfp,
				  .prot = PAGE_KERNEL,
				  .flags = VM_ALLOC | flags,
				  .node = node,
				  .caller = caller,
			  });
}

/* populate() for the most frequent request: one page, anywhere. */
static __always_inline void *populate_one(struct vm_struct *vm, gfp_t gfp)
{
	struct page *page = alloc_page(gfp | __GFP_NOWARN);

	vm->page = page;
	vm->pages = &vm->page;
	if (unlikely(!page))
		return fail(&vmalloc_space, vm, gfp);
	log_map(&vmalloc_space, vm);
	pgtable_write_pages(vm->slot, &vm->page, 1, PAGE_KERNEL);
	insert_vmap_area(vm_va(vm), vm);
	return vm->addr;
}

static __always_inline void *vmalloc_from(size_t size, gfp_t gfp,
					  const void *caller)
{
	size_t index = (size - 1) >> PAGE_SHIFT;
	struct vm_struct *vm = NULL;

	if (likely(index < VMAP_CACHE_SIZES))
		vm = take_vm_area(&vmalloc_space, index);
	if (unlikely(!vm))
		return vmalloc_slowly(size, gfp, 0, NUMA_NO_NODE, caller);
	vm->size = size;
	vm->flags = VM_ALLOC;
	vm->caller = caller;
	if (index == 0)
		return populate_one(vm, gfp);
	vm->pages = NULL;
	return populate(&vmalloc_space, vm, gfp, PAGE_KERNEL, NUMA_NO_NODE);
}

void *vmalloc(size_t size)
{
	return vmalloc_from(size, GFP_KERNEL, __builtin_return_address(0));
}

void *vzalloc(size_t size)
{
	return vmalloc_from(size, GFP_KERNEL | __GFP_ZERO,
			    __builtin_return_address(0));
}

/* Is there such a node? Else one line says so. */
static bool node_known(size_t size, int node)
{
	if (node == NUMA_NO_NODE ||
	    (node >= 0 && (unsigned int)node < nr_nodes()))
		return true;
	printk("vmalloc: %zu bytes: node %d: there are %u\n", size, node,
	       nr_nodes());
	return false;
}

static void *vmalloc_on(size_t size, gfp_t gfp, int node, const void *caller)
{
	if (!node_known(size, node))
		return NULL;
	return vmalloc_slowly(size, gfp, 0, node, caller);
}

void *vmalloc_node(size_t size, int node)
{
	return vmalloc_on(size, GFP_KERNEL, node, __builtin_return_address(0));
}

void *vzalloc_node(size_t size, int node)
{
	return vmalloc_on(size, GFP_KERNEL | __GFP_ZERO, node,
			  __builtin_return_address(0));
}

void *vmalloc_user(size_t size)
{
	return vmalloc_slowly(size, GFP_KERNEL | __GFP_ZERO, VM_USERMAP,
			      NUMA_NO_NODE, __builtin_return_address(0));
}

void *vmalloc_32(size_t size)
{
	return vmalloc_slowly(size, GFP_KERNEL | __GFP_DMA32, 0, NUMA_NO_NODE,
			      __builtin_return_address(0));
}

void *vmalloc_huge(size_t size, gfp_t gfp)
{
	return vmalloc_slowly(size, gfp,
			      size >= HUGE_PAGE_SIZE ? VM_ALLOW_HUGE : 0,
			      NUMA_NO_NODE, __builtin_return_address(0));
}

void *__vmalloc_node_range(size_t size, size_t align, va_t start, va_t end,
			   gfp_t gfp, pgprot_t prot, uint32_t flags, int node)
{
	const struct vm_request req = {
		.size = size,
		.align = align,
		.start = start,
		.end = end,
		.gfp = gfp,
		.prot = prot,
		.flags = VM_ALLOC | flags,
		.node = node,
		.caller = __builtin_return_address(0),
	};

	if (!node_known(size, node))
		return NULL;
	if (flags & ~(VM_ALLOW_HUGE | VM_USERMAP)) {
		printk("vmalloc: %zu bytes: flags 0x%x: unknown\n", size,
		       flags);
		return NULL;
	}
	return vmalloc_in(&vmalloc_space, &req);
}

/* ---- vfree -------------------------------------------------------------- */

/* Unmap and free what can't be found any more. */
static noinline void free_pages_of(struct vmap_space *space,
				   struct vm_struct *vm)
{
	clear_entries(space, vm);
	put_pages(vm);
	free_vm_area(space, vm);
}

/* Every call is the last thing done, so that nothing is saved for after it. */
static __always_inline void vfree_from(struct vmap_space *space,
				       const void *addr)
{
	struct vmap_area *va = unlink_vmap_area(space, (va_t)addr, VM_ALLOC);
	struct vm_struct *vm;
	struct page *page;

	if (unlikely(!va)) {
		explain_bad_free(space, addr, "vfree");
		return;
	}
	vm = va_vm(va);
	if (vm->nr_pages != 1) {
		free_pages_of(space, vm);
		return;
	}
	page = vm->page;
	clear_entries(space, vm);
	free_vm_area(space, vm);
	__free_page(page);
}

void vfree_in(struct vmap_space *space, const void *addr)
{
	vfree_from(space, addr);
}

void vfree(const void *addr)
{
	vfree_from(&vmalloc_space, addr);
}

void vfree_atomic(const void *addr)
{
	unsigned long flags = irq_save();

	vfree_from(&vmalloc_space, addr);
	irq_restore(flags);
}
