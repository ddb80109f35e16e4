/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmalloc: memory that is contiguous in kernel addresses, made of single
 * pages. See vmalloc.c.
 *
 * Mapped addresses are touched through <arch/va.h>.
 */
#ifndef MM_VMALLOC_H
#define MM_VMALLOC_H

#include <mm/node.h>
#include <mm/vmap.h>

/*
 * Set up the area subsystem and vmalloc space.
 * Context: boot, after slab_init(); the kernel's own page tables are in force.
 */
void vmalloc_init(void);

/*
 * Allocate @size bytes, page aligned, writable; vzalloc() clears them.
 * Context: may wait.
 * Return: the address; NULL after one line: @size is 0 or larger than memory,
 * no memory, no room.
 */
void *vmalloc(size_t size);
void *vzalloc(size_t size);

/*
 * The same with pages as alloc_pages_node() takes them for @node: from there
 * or, when it has none left, from the nearest that has. Page tables and
 * descriptors come from anywhere.
 * Context, return: as above; NULL also when there is no such node.
 */
void *vmalloc_node(size_t size, int node);
void *vzalloc_node(size_t size, int node);

/*
 * vmalloc_user(): cleared, so that it may be shown to users. vmalloc_32(): of
 * pages below 4 GiB.
 * Context, return: as vmalloc().
 */
void *vmalloc_user(size_t size);
void *vmalloc_32(size_t size);

/*
 * The same with 2 MiB mappings where @size and memory permit. The slots of
 * vm->pages behind the first page of a block of 2 MiB are NULL then.
 * Context: as @gfp says. Return: as vmalloc().
 */
void *vmalloc_huge(size_t size, gfp_t gfp);

/*
 * Allocate @size bytes at a multiple of @align, a power of two, inside
 * [@start, @end), a part of vmalloc space that has to hold a guard page too.
 * @gfp: for the pages; nested allocations have no more rights than it gives.
 * Without the right to wait nothing is purged. @prot: not both PROT_WRITE and
 * PROT_EXEC. @flags: VM_ALLOW_HUGE, VM_USERMAP, or 0. @node: as for
 * vmalloc_node(); with
 * __GFP_THISNODE no other serves.
 * Context: as @gfp says.
 * Return: the address; NULL after one line (which __GFP_NOWARN suppresses where
 * memory or room is short).
 */
void *__vmalloc_node_range(size_t size, size_t align, va_t start, va_t end,
			   gfp_t gfp, pgprot_t prot, uint32_t flags, int node);

/*
 * Free what vmalloc() and its kin gave, all of it. NULL does nothing; what they
 * did not give (wild, inside an area, freed already, vmap()ed) gives one line
 * and is left alone.
 * Context: any; needs no memory.
 */
void vfree(const void *addr);

/* vfree() that never purges, for interrupt handlers. Context: any. */
void vfree_atomic(const void *addr);

/*
 * Make the allocation at @p @size bytes large and keep what is in it, as far as
 * both sizes go; in place where that is possible. @p NULL: a new one. @size 0:
 * free it. Pages that are not needed any more are freed. With __GFP_ZERO in
 * @gfp what is added reads as zero.
 * Context: may wait.
 * Return: the address, perhaps another; NULL, and @p is as before: after one
 * line when it is no allocation or memory is short.
 */
void *vrealloc(const void *p, size_t size, gfp_t gfp);

/*
 * The same in any space, whose bounds take the place of vmalloc space's. The
 * flags of @req are ignored.
 */
void *vmalloc_in(struct vmap_space *space, const struct vm_request *req);
void vfree_in(struct vmap_space *space, const void *addr);

#endif
