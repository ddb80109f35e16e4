/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What boot loaders look for: the multiboot2 header (multiboot2 specification
 * 1.6, section 3.1) and the PVH note (Xen, docs/misc/pvh).
 */
#include "boot.h"

	.section .boot.header, "a"
	.balign 8
header:
	.long MULTIBOOT2_HEADER_MAGIC
	.long 0 /* architecture: 32-bit protected mode */
	.long header_end - header
	.long -(MULTIBOOT2_HEADER_MAGIC + (header_end - header))

	/* Loaded modules start on pages. */
	.balign 8
	.short 6, 0
	.long 8

	.balign 8
	.short 3, 0
	.long 12
	.long multiboot2_entry

	.balign 8
	.short 0, 0
	.long 8
header_end:

	.section .note.pvh, "a", @note
	.balign 4
	.long 4 /* name bytes */
	.long 8 /* value bytes */
	.long 18 /* XEN_ELFNOTE_PHYS32_ENTRY */
	.asciz "Xen"
	.quad pvh_entry
