/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The local APICs of this machine, and what its CPUs send each other. */
#ifndef X86_64_LOCAL_APIC_H
#define X86_64_LOCAL_APIC_H

#include "roster.h"
#include <arch/page.h>

/*
 * Vectors of interrupts, behind those of the exceptions. The upper four bits
 * are the priority: who waits for a flush waits longest.
 */
enum interrupt_vector {
	VECTOR_LEGACY = 0x20, /* 16 of the legacy controllers, all masked */
	VECTOR_TIMER = 0xd0,
	VECTOR_KICK = 0xe0,
	VECTOR_CALL = 0xe1,
	VECTOR_TLB = 0xf0,
	VECTOR_SPURIOUS = 0xff,
};

/* How the APIC of every CPU is reached. Written once, at boot. */
extern struct apic local_apic;

/*
 * Switch on the APIC of CPU 0, this one, with its registers at @regs (0: not
 * mapped), and have it pass interrupts.
 * Context: once, at boot, interrupts off.
 * Return: false when the CPU has none: there are no interrupts then.
 */
bool local_apic_init(va_t regs);

/* The same on each further CPU. Context: interrupts off. */
void local_apic_init_cpu(void);

/* Is there one? Any context. */
bool local_apic_works(void);

/* Interrupt @cpu, which is online. Any context. */
void ipi_send(unsigned int cpu, enum interrupt_vector vector);

#endif
