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
 *	A mapped area (vmap.c) that owns its pages: vm->pages is its page array,
 *	in the descriptor for up to VM_INLINE_PAGES pages, else from kmalloc.
 *
 * Operations
 *	vmalloc	an area, a page array, its pages with one call of the bulk
 *		allocator, the entries table by table; then it can be found.
 *		O(pages + log areas).
 *	vfree	the reverse, without the last step of it: entries cleared, pages
 *		back with one call; the addresses come back with a purge.
 *		O(pages + log areas). Needs no memory.
 *
 *	Allocation may fail at the descriptor of the mapped area, that of the
 *	area (twice: vmap_area.c), the page array, the pages, each page table.
 *	Each failure undoes the steps before it in reverse order; the addresses
 *	go the lazy way even so, which costs nothing and is always right.
 *
 * Invariants
 *	(those of vmap.c, and)
 *	M1	VM_ALLOC: pages[0 .. nr_pages) are distinct pages, each with the
 *		one reference that the area holds
 *	M2	pages == inline_pages if and only if nr_pages <= VM_INLINE_PAGES
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
#include <lib/panic.h>
#include <lib/printk.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/tlb_log.h>
#include <mm/vmalloc.h>
#include <mm/vmap_purge.h>

void vmalloc_init(void)
{
	tlb_log_start();
	vmap_area_init();
	vm_area_init();
	if (vmap_space_init(&vmalloc_space, "vmalloc", VMALLOC_START,
			    VMALLOC_END, arch_root_table()))
		panic("vmalloc space [0x%lx, 0x%lx): not set up", VMALLOC_START,
		      VMALLOC_END);
}

/* Give @vm an empty page array. Return: false: out of memory. */
static bool alloc_page_array(struct vm_struct *vm, gfp_t gfp)
{
	if (likely(vm->nr_pages <= VM_INLINE_PAGES)) {
		for (unsigned int i = 0; i < VM_INLINE_PAGES; i++)
			vm->inline_pages[i] = NULL;
		vm->pages = vm->inline_pages;
		return true;
	}
	if (vm->nr_pages > KMALLOC_MAX_SIZE / sizeof(*vm->pages))
		return false;
	vm->pages = kzalloc(vm->nr_pages * sizeof(*vm->pages),
			    (gfp & __GFP_DIRECT_RECLAIM) | __GFP_NOWARN);
	return vm->pages != NULL;
}

/* Fill the page array. Return: false: out of memory, some may be filled. */
static bool alloc_pages_of(struct vm_struct *vm, gfp_t gfp, int node)
{
	size_t got = 0, before;

	do {
		before = got;
		got = alloc_pages_bulk_array_node(gfp | __GFP_NOWARN, node,
						  vm->nr_pages, vm->pages);
	} while (got < vm->nr_pages && got > before);
	return got == vm->nr_pages;
}

/* Free pages and page array, whether complete or not. */
static void free_pages_of(struct vm_struct *vm)
{
	if (!vm->pages)
		return;
	free_pages_bulk(vm->pages, vm->nr_pages);
	if (vm->pages != vm->inline_pages) /* M2 */
		kfree(vm->pages);
}

static noinline void *fail(struct vmap_space *space,
			   const struct vm_request *req, struct vmap_area *va)
{
	struct vm_struct *vm = va->vm;

	free_pages_of(vm);
	discard_vm_area(space, va);
	if (!(req->gfp & __GFP_NOWARN))
		printk("vmalloc: %zu bytes: out of memory, %lu pages free\n",
		       req->size, nr_free_pages());
	return NULL;
}

void *vmalloc_in(struct vmap_space *space, const struct vm_request *req)
{
	struct vmap_area *va = create_vm_area(space, req, "vmalloc");
	struct vm_struct *vm;

	if (unlikely(!va))
		return NULL;
	vm = va->vm;
	if (unlikely(!alloc_page_array(vm, req->gfp) ||
		     !alloc_pages_of(vm, req->gfp, req->node) ||
		     map_vm_area(space, va, vm->pages, req->prot, req->gfp)))
		return fail(space, req, va);
	return vm->addr;
}

static __always_inline void *vmalloc_from(size_t size, gfp_t gfp, int node,
					  const void *caller)
{
	return vmalloc_in(&vmalloc_space, &(const struct vm_request){
						  .size = size,
						  .align = PAGE_SIZE,
						  .start = VMALLOC_START,
						  .end = VMALLOC_END,
						  .gfp = gfp,
						  .prot = PAGE_KERNEL,
						  .flags = VM_ALLOC,
						  .node = node,
						  .caller = caller,
					  });
}

void *vmalloc(size_t size)
{
	return vmalloc_from(size, GFP_KERNEL, NUMA_NO_NODE,
			    __builtin_return_address(0));
}

void *vzalloc(size_t size)
{
	return vmalloc_from(size, GFP_KERNEL | __GFP_ZERO, NUMA_NO_NODE,
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

void *vmalloc_node(size_t size, int node)
{
	if (!node_known(size, node))
		return NULL;
	return vmalloc_from(size, GFP_KERNEL, node,
			    __builtin_return_address(0));
}

void *vzalloc_node(size_t size, int node)
{
	if (!node_known(size, node))
		return NULL;
	return vmalloc_from(size, GFP_KERNEL | __GFP_ZERO, node,
			    __builtin_return_address(0));
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
		.flags = VM_ALLOC,
		.node = node,
		.caller = __builtin_return_address(0),
	};

	if (!node_known(size, node))
		return NULL;
	if (flags) {
		printk("vmalloc: %zu bytes: flags 0x%x: unknown\n", size,
		       flags);
		return NULL;
	}
	return vmalloc_in(&vmalloc_space, &req);
}

void vfree_in(struct vmap_space *space, const void *addr)
{
	struct vm_struct *vm;

	if (!addr)
		return;
	vm = remove_vm_area(space, addr, VM_ALLOC, "vfree");
	if (unlikely(!vm))
		return;
	free_pages_of(vm);
	free_vm_struct(vm);
}

void vfree(const void *addr)
{
	vfree_in(&vmalloc_space, addr);
}
