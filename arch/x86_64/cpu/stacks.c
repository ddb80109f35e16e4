/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of the kernel image. Each has a page below it that the final
 * page tables leave unmapped, so that an overflow faults at once instead of
 * overwriting a neighbour.
 */
#include "descriptors.h"
#include <lib/compiler.h>
#include <machine/cpu_init.h>

#define IST_STACK_SIZE (4 * PAGE_SIZE) /* a report with printk inside */
#define NR_IST         (IST_END - 1)

struct ist_stack {
	uint8_t guard[PAGE_SIZE];
	uint8_t stack[IST_STACK_SIZE];
};

static struct ist_stack ist_stacks[NR_IST] __section(".bss.stacks")
	__aligned(PAGE_SIZE);

/* The boot code's (arch/x86_64/boot/entry64.S). */
extern uint8_t boot_stack_guard[], boot_stack[], boot_stack_end[];

#define IST_ENTRY(ist, text)                                                   \
	[(ist)-1] = {                                                          \
		.name = (text),                                                \
		.guard = (va_t)ist_stacks[(ist)-1].guard,                      \
		.start = (va_t)ist_stacks[(ist)-1].stack,                      \
		.end = (va_t)(&ist_stacks[(ist)-1] + 1),                       \
	}

static const struct guarded_stack stacks[] = {
	IST_ENTRY(IST_DOUBLE_FAULT, "double-fault stack"),
	IST_ENTRY(IST_NMI, "NMI stack"),
	IST_ENTRY(IST_MACHINE_CHECK, "machine-check stack"),
	{
		.name = "boot stack",
		.guard = (va_t)boot_stack_guard,
		.start = (va_t)boot_stack,
		.end = (va_t)boot_stack_end,
	},
};

const struct guarded_stack *cpu_guarded_stacks(size_t *nr)
{
	*nr = ARRAY_SIZE(stacks);
	return stacks;
}
