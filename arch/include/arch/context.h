/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 13: threads of execution. Only kernel/ stands on this
 * part, which is no part of the hosted build; so the hosted machine, whose CPUs
 * each run one loop, leaves it out.
 */
#ifndef ARCH_CONTEXT_H
#define ARCH_CONTEXT_H

#include <arch/page.h>

/* Where a thread that does not run now goes on. */
struct arch_context {
	va_t sp;
};

/*
 * Make @context one that calls @entry(@arg) on the stack [@stack, @stack +
 * @size), with interrupts on. @entry does not return. Context: any.
 */
void arch_context_init(struct arch_context *context, va_t stack, size_t size,
		       void (*entry)(void *), void *arg);

/*
 * Leave the running thread, to go on from here when @from is switched to, and
 * go on as @to. Context: interrupts off, before and after.
 */
void arch_context_switch(struct arch_context *from, struct arch_context *to);

#endif
