/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks of each CPU: those of its interrupts, and the one that it runs on
 * at first. */
#ifndef X86_64_STACKS_H
#define X86_64_STACKS_H

#include "descriptors.h"
#include <arch/cpu.h>
#include <arch/page.h>
#include <machine/cpu_init.h>

#define CPU_STACK_SIZE (4 * PAGE_SIZE) /* a report with printk inside */
#define NR_IST         (IST_END - 1)
#define FIRST_STACK    NR_IST /* behind that of each enum ist, less 1 */
#define NR_CPU_STACKS  (NR_IST + 1)

/* A CPU's stacks, by their lowest addresses. */
struct cpu_stacks {
	va_t start[NR_CPU_STACKS];
};

/* Note the stacks of @cpu, not CPU 0. Context: before it is started. */
void cpu_set_stacks(unsigned int cpu, const struct cpu_stacks *of);

/* The end of a stack of @cpu, where its first push goes below. Any context. */
va_t cpu_stack_end(unsigned int cpu, unsigned int which);

/*
 * Look for the stack that @va is in the guard page of.
 * Context: any. Return: its name, and whose it is in *@cpu; NULL: of none.
 */
const char *cpu_guard_page(va_t va, unsigned int *cpu);

#endif
