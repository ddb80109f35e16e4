/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own address space, built once at boot.
 */
#ifndef MM_KERNEL_MAP_H
#define MM_KERNEL_MAP_H

#include <arch/boot_info.h>
#include <arch/machine.h>
#include <mm/memblock.h>

/*
 * Build the kernel's page tables: the direct map of the memory that @info
 * tells of, the image's @nr @sections, and the page descriptors, zeroed, with
 * memory from @mb. Nothing is in force until the machine loads the root.
 * Context: boot, one CPU, before the page allocator takes @mb's memory.
 * Return: physical address of the root table; 0 after an error line when
 * there is not enough memory or the sections do not fit together.
 */
pa_t kernel_map_build(const struct boot_info *info,
		      const struct image_section *sections, size_t nr,
		      struct memblock *mb);

/*
 * Map @size bytes of device memory at @pa, any alignment, uncached and
 * writable, at the next free place of the fixmap, for good.
 * Context: boot; the kernel's own tree is in force.
 * Return: the address of the byte at @pa; 0 after an error line when @size is
 * 0 or wraps, the fixmap is full, or memory for a table is missing.
 */
va_t kernel_map_device(pa_t pa, size_t size);

#endif
