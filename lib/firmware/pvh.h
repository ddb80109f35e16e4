/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a PVH loader (`qemu -kernel`) hands over. */
#ifndef LIB_FIRMWARE_PVH_H
#define LIB_FIRMWARE_PVH_H

#include <arch/boot_info.h>
#include <lib/firmware/phys.h>

#define PVH_MAGIC 0x336ec578 /* the first word of start_info */

/*
 * Read the start_info at physical address @start_info, as EBX said at entry,
 * and all that it points to through @read. @out is all zero before. Nothing
 * that the loader passed is needed afterwards but modules and ACPI tables.
 * Context: any in which @read may be called.
 * Return: 0; -EINVAL when the structure is broken; -EFAULT when a part can't
 * be read; -ENOENT when it has no memory map. An error is printed, and what
 * @out has then is of no use.
 */
int pvh_parse(pa_t start_info, phys_read_fn read, void *ctx,
	      struct boot_info *out);

#endif
