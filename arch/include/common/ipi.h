/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts that CPUs send each other: between arch/common/, which is the same
 * for each machine, and the machine. No part of the contract.
 */
#ifndef COMMON_IPI_H
#define COMMON_IPI_H

#include <arch/cpumask.h>
#include <arch/percpu.h>

/* --- defined by the machine --- */

/*
 * What <machine/percpu.h> may define better:
 *   CALLED_IN_INTERRUPT     attributes of a function that an interrupt handler
 *                           calls, seldom: it should cost nothing if it is not
 *   uint64_t this_cpu_bit(void)           1 << cpu_id()
 *   unsigned long lowest_bit(uint64_t)    index of the lowest bit set; of some
 *   uint64_t online_bits(void)            of cpu_online_mask()
 */
#ifndef CALLED_IN_INTERRUPT
#	define CALLED_IN_INTERRUPT
#	define this_cpu_bit()   (cpumask_of(cpu_id()).bits)
#	define lowest_bit(bits) __builtin_ctzll(bits)
#	define online_bits()    (cpu_online_mask().bits)
#endif

/* How many handlers this CPU is in; an NMI counts. */
DECLARE_PER_CPU(unsigned int, interrupt_depth);

/* Have @cpu, which is online, take call_interrupt() soon. Any context. */
void ipi_send_call(unsigned int cpu);

/* Have each CPU that has its bit in @cpus, some that are online, this one not
 * among them, take tlb_interrupt(). Context: interrupts off. */
void ipi_send_tlb(uint64_t cpus);

/* Have it take nmi_interrupt() at once. Any context. */
void ipi_send_nmi(unsigned int cpu);

/* How many of these, and kicks, @cpu sent, but those for the TLB. */
unsigned long ipis_sent(unsigned int cpu);

/* Do nothing any more. Context: this CPU is not to go on. */
_Noreturn void cpu_halt(void);

/* --- called by the machine --- */

/* Run the calls that others made to this CPU. Context: in an interrupt,
 * interrupts off. <common/tlb.h> has tlb_interrupt(). */
void call_interrupt(void);

/*
 * Answer the question of another CPU, or halt: this CPU was interrupted at @pc,
 * with the frame pointer @frame. Context: in an NMI.
 * Return: false when none asked.
 */
bool nmi_interrupt(uintptr_t pc, const void *frame);

#endif
