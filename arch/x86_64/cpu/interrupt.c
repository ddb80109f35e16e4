/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts. Handlers run with interrupts off and never wait: they do not
 * nest, but in an NMI.
 */
#include "interrupt.h"
#include <arch/smp.h>
#include <common/tlb.h>

DEFINE_PER_CPU(unsigned int, interrupt_depth);

void end_of_interrupt_by_msr(void)
{
	apic_end_of_interrupt(&local_apic);
}

/* It saves next to no register and counts no depth: what is not slow about it
 * calls nobody who could ask. */
static INTERRUPT_HANDLER void tlb_vector(struct interrupt_frame *frame)
{
	end_of_interrupt();
	tlb_interrupt();
}

static INTERRUPT_HANDLER void call_vector(struct interrupt_frame *frame)
{
	interrupt_begin();
	call_interrupt();
	interrupt_end();
}

static INTERRUPT_HANDLER void timer_vector(struct interrupt_frame *frame)
{
	interrupt_begin();
	timer_interrupt();
	interrupt_end();
}

/* To have come out of HLT is all. */
static INTERRUPT_HANDLER void kick_vector(struct interrupt_frame *frame)
{
	end_of_interrupt();
}

/* Withdrawn before it was delivered: not even acknowledged. */
static INTERRUPT_HANDLER void spurious_vector(struct interrupt_frame *frame)
{
}

interrupt_entry_fn interrupt_entry(unsigned int vector)
{
	switch (vector) {
	case VECTOR_TLB:
		return tlb_vector;
	case VECTOR_CALL:
		return call_vector;
	case VECTOR_TIMER:
		return timer_vector;
	case VECTOR_KICK:
		return kick_vector;
	case VECTOR_LEGACY ... VECTOR_LEGACY + 15:
	case VECTOR_SPURIOUS:
		return spurious_vector;
	default:
		return NULL;
	}
}

bool in_interrupt(void)
{
	return this_cpu_read(interrupt_depth);
}

void cpu_kick(unsigned int cpu)
{
	if (cpu != cpu_id())
		ipi_send(cpu, VECTOR_KICK);
}

void cpu_halt(void)
{
	for (;;)
		__asm__ volatile("cli; hlt" : : : "memory");
}
