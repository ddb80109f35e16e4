/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the entry code and boot.c agree on; read by the assembler too. */
#ifndef BOOT_H
#define BOOT_H

#define MULTIBOOT2_HEADER_MAGIC 0xe85250d6
#define MULTIBOOT2_LOADER_MAGIC 0x36d76289

/* How we were entered, handed to boot_main(). */
#define BOOT_MULTIBOOT2 1
#define BOOT_PVH        2

/* The early page tables map physical memory below this. */
#define EARLY_MAP_END 0x100000000

#define BOOT_STACK_SIZE 0x4000

#endif
