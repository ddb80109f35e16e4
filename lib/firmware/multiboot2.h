/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a multiboot2 loader (GRUB) hands over. */
#ifndef LIB_FIRMWARE_MULTIBOOT2_H
#define LIB_FIRMWARE_MULTIBOOT2_H

#include <arch/boot_info.h>

#define MULTIBOOT2_MAGIC 0x36d76289 /* in EAX at the kernel's entry */

/*
 * Read the boot information that lies at physical address @pa (EBX at entry).
 * @bytes is where it can be read, and @len how many bytes there can be; the
 * structure's own size must not be larger. @out is all zero before.
 * @out->rsdp becomes the physical address of the loader's copy of the ACPI
 * root: it lies within [handoff_start, handoff_end), so it is there as long as
 * that memory is kept.
 * Context: any.
 * Return: 0; -EINVAL when the structure is broken; -ENOENT when it tells
 * nothing of memory. An error is printed, and what @out has then is of no use.
 */
int multiboot2_parse(pa_t pa, const void *bytes, size_t len,
		     struct boot_info *out);

#endif
