/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts: one function for each vector that is in use. The compiler makes
 * each of them save the registers that it uses, and with them, first, the frame
 * pointer, right below the address of the interrupted instruction: the two are
 * a link in the chain that backtraces follow.
 */
#ifndef X86_64_INTERRUPT_H
#define X86_64_INTERRUPT_H

#include "local_apic.h"
#include <common/ipi.h>
#include <stdint.h>

struct interrupt_frame;

/* What a handler calls is inlined, or then makes it save everything. */
#ifdef __clang__
#	pragma clang diagnostic ignored "-Winterrupt-service-routine"
#endif

/* The IDT leads right to it. Interrupts are off in it, and it never waits. */
#define INTERRUPT_HANDLER __attribute__((interrupt))

CALLED_IN_INTERRUPT void end_of_interrupt_by_msr(void);

/* The interrupt that runs is done with; another may be pending from here on. */
static inline void end_of_interrupt(void)
{
	if (unlikely(local_apic.x2))
		end_of_interrupt_by_msr();
	else
		apic_end_of_interrupt(&local_apic);
}

/* A handler that calls others begins and ends with these. */
static inline void interrupt_begin(void)
{
	this_cpu_inc(interrupt_depth);
	end_of_interrupt();
}

static inline void interrupt_end(void)
{
	this_cpu_dec(interrupt_depth);
}

typedef void (*interrupt_entry_fn)(struct interrupt_frame *frame);

/* Context: boot. Return: what @vector leads to; NULL: it is an exception, or
 * not in use. */
interrupt_entry_fn interrupt_entry(unsigned int vector);

/* The tick. Context: in an interrupt. */
void timer_interrupt(void);

#endif
