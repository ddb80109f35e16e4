/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of vmalloc share among themselves. */
#ifndef MM_VMALLOC_INTERNAL_H
#define MM_VMALLOC_INTERNAL_H

#include <mm/vmalloc.h>

/* Give @vm an empty page array. Context: as @gfp says. Return: false: out of
 * memory. */
bool get_page_array(struct vm_struct *vm, gfp_t gfp);

/* Fill the NULL slots [@from, @to) of @vm's page array. Context: as @gfp says.
 * Return: false: out of memory, some may be filled. */
bool get_pages(struct vm_struct *vm, size_t from, size_t to, gfp_t gfp,
	       int node);

/* Free the pages of @vm, blocks or single ones, complete or not; the array is
 * all NULL then. Context: any. */
void put_pages(struct vm_struct *vm);

/*
 * Get pages for @vm, which begins at a multiple of HUGE_PAGE_SIZE, and write
 * the entries: 2 MiB at a time where there are such blocks.
 * Context: as @gfp says.
 * Return: false: out of memory; what is there is undone by discarding.
 */
bool populate_huge(struct vmap_space *space, struct vm_struct *vm, gfp_t gfp,
		   pgprot_t prot, int node);

#endif
