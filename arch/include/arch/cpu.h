/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 5: the CPU.
 */
#ifndef ARCH_CPU_H
#define ARCH_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most CPUs that a build supports. */
#define MAX_CPUS 64

/*
 * The machine defines, as inline functions, any context:
 *   void cpu_relax(void)              stands in every spin loop
 *   unsigned long irq_save(void)      interrupts off; the state before
 *   void irq_restore(unsigned long)   back to that state
 *   bool irq_were_on(unsigned long)   at that irq_save()
 *   bool irq_enabled(void)
 *   unsigned int cpu_id(void)         this CPU: 0..cpus_online() - 1
 * and, inline or not, for the idle loop, with interrupts off since it looked
 * for work and found none:
 *   void cpu_idle_wait(void)          wait for an interrupt; interrupts are on
 *                                     afterwards
 */
#include <machine/cpu.h>

/* CPUs that run: at least 1. */
unsigned int cpus_online(void);

/*
 * Collect return addresses, innermost first, from the frame at @frame (a
 * frame pointer; NULL: the caller's own) into @pcs, at most @max. Reads only
 * what lies on this thread's stack, so a broken chain ends early.
 * Return: how many.
 */
size_t arch_backtrace(const void *frame, uintptr_t *pcs, size_t max);

#endif
