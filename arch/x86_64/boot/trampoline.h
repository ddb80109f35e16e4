/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the code that starts a CPU and start.c agree on; read by the assembler
 * too. */
#ifndef TRAMPOLINE_H
#define TRAMPOLINE_H

/* How far the CPU being started has come: ap_state. */
#define AP_NOT_AWAITED 0 /* if it comes it is too late */
#define AP_AWAITED     1
#define AP_ANSWERED    2 /* it is in the kernel */
#define AP_ONLINE      3

#ifndef __ASSEMBLER__
#	include <stdint.h>

/* At trampoline_values, for the CPU to load. */
struct trampoline_values {
	uint64_t entry;
	uint32_t cr0, cr3, cr4, efer;
	uint32_t jump_offset;
	uint16_t jump_selector;
	uint16_t gdt_limit;
	uint32_t gdt_base;
};

_Static_assert(sizeof(struct trampoline_values) == 40, "as in trampoline.S");
#endif

#endif
