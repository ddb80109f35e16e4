/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts: what each vector runs. The entries are in interrupt_entry.S; what
 * they call is here, each in interrupt context with interrupts off.
 */
#ifndef X86_64_INTERRUPT_H
#define X86_64_INTERRUPT_H

#include "local_apic.h"
#include <arch/percpu.h>
#include <machine/trap.h>
#include <stdint.h>

/* How many handlers this CPU is in; an NMI counts. */
DECLARE_PER_CPU(unsigned int, interrupt_depth);

/* The entry of @vector; NULL: it is no interrupt of ours. */
const void *interrupt_entry(unsigned int vector);

/* A flush for other CPUs; calls from them; the tick. */
void tlb_interrupt(void);
void call_interrupt(void);
void timer_interrupt(void);

/*
 * An NMI came. Context: NMI.
 * Return: false when this kernel did not send it.
 */
bool nmi_handler(const struct trap_frame *frame);

#endif
