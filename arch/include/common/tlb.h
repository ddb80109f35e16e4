/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TLB of one CPU, for the shootdown that makes all CPUs flush theirs, and
 * the end of a shootdown that is short enough to be part of an interrupt
 * handler. See shootdown.c.
 */
#ifndef COMMON_TLB_H
#define COMMON_TLB_H

#include <arch/percpu.h>
#include <arch/tlb.h>
#include <common/ipi.h>
#include <lib/compiler.h>
#include <stdatomic.h>

/*
 * The machine defines, inline or not, context: interrupts off:
 *   void tlb_forget_page(va_t va)   the page at va, on this CPU
 */
#include <machine/tlb.h>

/* Everything, on this CPU. Defined by the machine. Context: interrupts off. */
void tlb_forget_all(void);

DECLARE_PER_CPU(struct tlb_stats, tlb_counters);

/* What is to be forgotten. */
struct tlb_flush {
	va_t start, end; /* one range; end 0: look at the others */
	const struct tlb_range *ranges;
	unsigned int nr; /* of ranges; 0: everything */
};

/* Does a flush have to look for an observer, or whether it is left out? Then
 * its end is 0. */
extern bool tlb_watched;

/*
 * Forget on this CPU what @flush, with end 0, says; count it and tell the
 * observer. @part: which flush it is, for tlb_test_skip().
 * Context: interrupts off.
 */
void tlb_flush_here(const struct tlb_flush *flush, enum tlb_test_skip part);

/* Forget [start, end) on this CPU, and count it. Context: interrupts off. */
static inline void tlb_flush_range_here(va_t start, va_t end)
{
	this_cpu_inc(tlb_counters.range_flushes);
	do
		tlb_forget_page(start);
	while (unlikely((start += PAGE_SIZE) != end));
}

/* A flush that a CPU asks of others. */
struct tlb_request {
	struct tlb_flush flush;
	_Atomic uint64_t left; /* bits of the CPUs that have to carry it out */
};

/* This CPU's own; the bits of the CPUs whose requests it has to carry out; the
 * one that it has taken and carries out slowly. */
DECLARE_PER_CPU(struct tlb_request, tlb_request);
DECLARE_PER_CPU(_Atomic uint64_t, tlb_requesters);
DECLARE_PER_CPU(struct tlb_request *, tlb_taken);

/* Carry out tlb_taken. It takes no argument, so that a handler that saves only
 * the registers that it uses uses none for it. */
CALLED_IN_INTERRUPT void tlb_carry_out_slowly(void);

/* Flush for the CPUs that asked. Context: in an interrupt, interrupts off. */
static inline void tlb_interrupt(void)
{
	uint64_t bits = atomic_exchange(this_cpu_ptr(&tlb_requesters), 0);

	while (bits) {
		struct tlb_request *r =
			per_cpu_ptr(&tlb_request, lowest_bit(bits));

		if (likely(r->flush.end)) {
			tlb_flush_range_here(r->flush.start, r->flush.end);
		} else {
			this_cpu_write(tlb_taken, r);
			tlb_carry_out_slowly();
		}
		/* Its bit is set: this clears it. */
		atomic_fetch_xor(&r->left, this_cpu_bit());
		bits &= bits - 1;
	}
}

#endif
