/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The TLB of one CPU, for the shootdown that makes all CPUs flush theirs. */
#ifndef COMMON_TLB_H
#define COMMON_TLB_H

#include <arch/percpu.h>
#include <arch/tlb.h>

/*
 * The machine defines, inline or not, context: interrupts off:
 *   void tlb_forget_page(va_t va)   the page at va, on this CPU
 */
#include <machine/tlb.h>

/* Everything, on this CPU. Defined by the machine. Context: interrupts off. */
void tlb_forget_all(void);

DECLARE_PER_CPU(struct tlb_stats, tlb_counters);

/*
 * Forget on this CPU the translations of @nr @ranges, or all with @nr 0; count
 * it and tell the observer. @part: which flush it is, for tlb_test_skip().
 * Context: interrupts off, or nothing else runs on this CPU.
 */
void tlb_flush_here(const struct tlb_range *ranges, unsigned int nr,
		    enum tlb_test_skip part);

#endif
