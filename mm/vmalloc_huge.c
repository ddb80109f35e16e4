/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmalloc with 2 MiB mappings.
 *
 * Terms
 *	part	2 MiB of an area, from a multiple of 2 MiB on; the last one may
 *		be shorter
 *	block	PT_ENTRIES pages that are physically contiguous and aligned
 *
 * Why
 *	One entry in place of 512 is written and cleared at once, a walk is a
 *	level shorter, and one entry of the TLB serves 2 MiB.
 *
 * Structures
 *	A block stands in the page array as its first page alone; the 511 slots
 *	after it are NULL. So the array tells how the pages are to be freed.
 *
 * Operations
 *	Each whole part gets a block, mapped by one leaf of level 1. Where there
 *	is no block, or a page table is in the way that can't be taken out now,
 *	it gets single pages: a large mapping is never worth a failure. The size
 *	recorded is the one asked for.
 *
 *	The page table that an earlier user of the addresses left is taken out
 *	of the tree, every CPU is flushed, since CPUs remember tables, too, and
 *	the table is freed. That wants a caller who may wait. A range that comes
 *	from a cache has no table any more.
 *
 * Invariants
 *	(those of vmalloc.c, and)
 *	H1	a part is mapped by one leaf of level 1 if and only if its first
 *		slot holds a block
 *	H2	VM_HUGE is set if a part was mapped by a block; .slot is NULL
 *		then
 *
 * Locking
 *	None of its own.
 *
 * Departures from Linux
 *	Linux splits blocks into pages in the array; here they stay blocks, and
 *	are freed as such.
 */
#include <arch/tlb.h>
#include <mm/page_alloc.h>
#include <mm/vmalloc_internal.h>

#define BLOCK_ORDER (HUGE_PAGE_SHIFT - PAGE_SHIFT)

/* No page table is in the way of a leaf at @va, or it is no more. */
static bool make_way(struct vmap_space *space, va_t va, gfp_t gfp)
{
	unsigned int level;
	pte_t *table;

	pgtable_slot(space->root, va, &level);
	if (level > 0)
		return true;
	if (!(gfp & __GFP_DIRECT_RECLAIM) || !irq_enabled())
		return false;
	vmap_index_set_table(space, va, NULL);
	table = pgtable_unlink(space->root, va);
	space->flush(va, va + HUGE_PAGE_SIZE);
	pgtable_free_table(table);
	return true;
}

/* Map a block at @va. Return: its first page; NULL: not possible now. */
static struct page *map_block(struct vmap_space *space, va_t va, gfp_t gfp,
			      pgprot_t prot, int node)
{
	const gfp_t nested = (gfp & __GFP_DIRECT_RECLAIM) | __GFP_NOWARN;
	struct page *page;

	if (arch_max_leaf_level() < 1)
		return NULL;
	page = alloc_pages_node(node, gfp | __GFP_NOWARN, BLOCK_ORDER);
	if (!page)
		return NULL;
	if (make_way(space, va, gfp) &&
	    !pgtable_map_range(space->root, va, va + HUGE_PAGE_SIZE,
			       page_to_pa(page), prot, 1, nested))
		return page;
	__free_pages(page, BLOCK_ORDER);
	return NULL;
}

/* Map single pages at [@from, @to) of @vm's pages. */
static bool map_singles(struct vmap_space *space, struct vm_struct *vm,
			size_t from, size_t to, gfp_t gfp, pgprot_t prot,
			int node)
{
	return get_pages(vm, from, to, gfp, node) &&
	       !map_vm_pages(space, vm, from, to, prot, gfp);
}

bool populate_huge(struct vmap_space *space, struct vm_struct *vm, gfp_t gfp,
		   pgprot_t prot, int node)
{
	size_t i = 0;

	if (!get_page_array(vm, gfp))
		return false;
	log_map(space, vm);
	for (; i + PT_ENTRIES <= vm->nr_pages; i += PT_ENTRIES) {
		va_t va = (va_t)vm->addr + (i << PAGE_SHIFT);

		vm->pages[i] = map_block(space, va, gfp, prot, node);
		if (vm->pages[i]) {
			vm->flags |= VM_HUGE;
			vm->slot = NULL;
		} else if (!map_singles(space, vm, i, i + PT_ENTRIES, gfp, prot,
					node)) {
			return false;
		}
	}
	return i == vm->nr_pages ||
	       map_singles(space, vm, i, vm->nr_pages, gfp, prot, node);
}
