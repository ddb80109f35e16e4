/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of each CPU. Each has a page below it that is not mapped, so that
 * an overflow faults at once instead of overwriting a neighbour.
 *
 * Those of CPU 0 stand in the kernel's image, those of the others in memory
 * that smp_start() was given.
 */
#include "stacks.h"
#include <lib/compiler.h>

struct ist_stack {
	uint8_t guard[PAGE_SIZE];
	uint8_t stack[CPU_STACK_SIZE];
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
	[FIRST_STACK] =
		{
			.name = "boot stack",
			.guard = (va_t)boot_stack_guard,
			.start = (va_t)boot_stack,
			.end = (va_t)boot_stack_end,
		},
};

static_assert(ARRAY_SIZE(stacks) == NR_CPU_STACKS, "one of each");

/* Where the stacks of the CPUs that were started begin; written before each
 * starts. */
static struct cpu_stacks started[MAX_CPUS];

const struct guarded_stack *cpu_guarded_stacks(size_t *nr)
{
	*nr = ARRAY_SIZE(stacks);
	return stacks;
}

void cpu_set_stacks(unsigned int cpu, const struct cpu_stacks *of)
{
	started[cpu] = *of;
}

va_t cpu_stack_end(unsigned int cpu, unsigned int which)
{
	if (cpu == 0)
		return stacks[which].end;
	return started[cpu].start[which] + CPU_STACK_SIZE;
}

const char *cpu_guard_page(va_t va, unsigned int *cpu)
{
	for (*cpu = 0; *cpu < MAX_CPUS; ++*cpu)
		for (unsigned int i = 0; i < NR_CPU_STACKS; i++) {
			va_t start =
				*cpu ? started[*cpu].start[i] : stacks[i].start;

			if (start && va < start && start - va <= PAGE_SIZE)
				return *cpu && i == FIRST_STACK
					       ? "first stack"
					       : stacks[i].name;
		}
	return NULL;
}
