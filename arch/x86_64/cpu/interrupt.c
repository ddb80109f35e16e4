/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts. Handlers run with interrupts off and never wait: they do not
 * nest, but in an NMI.
 */
#include "interrupt.h"
#include <arch/smp.h>

DEFINE_PER_CPU(unsigned int, interrupt_depth);

extern const uint8_t tlb_entry[], call_entry[], timer_entry[], kick_entry[],
	spurious_entry[];

const void *interrupt_entry(unsigned int vector)
{
	switch (vector) {
	case VECTOR_TLB:
		return tlb_entry;
	case VECTOR_CALL:
		return call_entry;
	case VECTOR_TIMER:
		return timer_entry;
	case VECTOR_KICK:
		return kick_entry;
	case VECTOR_LEGACY ... VECTOR_LEGACY + 15:
	case VECTOR_SPURIOUS:
		return spurious_entry;
	default:
		return NULL;
	}
}

bool in_interrupt(void)
{
	return this_cpu_read(interrupt_depth);
}

void tlb_vector(void);
void call_vector(void);
void timer_vector(void);
void kick_vector(void);

void tlb_vector(void)
{
	apic_end_of_interrupt(&local_apic);
	tlb_interrupt();
}

void call_vector(void)
{
	apic_end_of_interrupt(&local_apic);
	call_interrupt();
}

void timer_vector(void)
{
	apic_end_of_interrupt(&local_apic);
	timer_interrupt();
}

/* To have come out of HLT is all. */
void kick_vector(void)
{
	apic_end_of_interrupt(&local_apic);
}

void cpu_kick(unsigned int cpu)
{
	if (cpu != cpu_id())
		ipi_send(cpu, VECTOR_KICK);
}

/* STI takes effect behind the next instruction: what comes before HLT is
 * delivered in it. */
void cpu_idle_wait(void)
{
	__asm__ volatile("sti; hlt" : : : "memory");
}

void cpu_halt(void)
{
	for (;;)
		__asm__ volatile("cli; hlt" : : : "memory");
}
