/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: a small space of their own inside vmalloc space, mapped in the
 * tree that the CPU translates through, so that it can be exhausted, verified
 * and read by the machine.
 */
#ifndef TESTS_UNIT_VMAP_WINDOW_H
#define TESTS_UNIT_VMAP_WINDOW_H

#include <arch/pte.h>
#include <mm/vmap_purge.h>

struct vmap_window {
	struct vmap_space space;
	struct vmap_area *reserved; /* in vmalloc space, to keep others out */
};

/* Open a window of @pages pages. Return: false: no memory or no room. */
static inline bool window_open(struct vmap_window *w, size_t pages)
{
	const struct vmap_request req = {pages << PAGE_SHIFT, HUGE_PAGE_SIZE,
					 VMALLOC_START, VMALLOC_END};

	if (alloc_vmap_area(&vmalloc_space, &req, GFP_KERNEL, &w->reserved))
		return false;
	return !vmap_space_init(&w->space, "window", w->reserved->va_start,
				w->reserved->va_end, arch_root_table());
}

/* Close it; everything in it is freed. */
static inline void window_close(struct vmap_window *w)
{
	purge_vmap_area_lazy(&w->space);
	vmap_space_destroy(&w->space);
	free_vmap_area_lazy(&vmalloc_space, w->reserved);
}

#endif
