/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 3: the TLB.
 *
 * Clearing or changing a PTE does not end the old translation: a CPU may go
 * on using it until that CPU flushed it. Nothing here changes a PTE.
 */
#ifndef ARCH_TLB_H
#define ARCH_TLB_H

#include <arch/cpumask.h>
#include <arch/page.h>

/* More pages than this are flushed by forgetting the whole TLB. */
#define TLB_RANGE_MAX_PAGES 32

/* What each CPU's TLB code did since boot. */
struct tlb_stats {
	/* As the one that asked. */
	unsigned long requests;  /* flushes asked for, of whichever CPUs */
	unsigned long ipis_sent; /* to have another CPU flush */
	/* As the one that flushed, for itself or for others. */
	unsigned long range_flushes; /* page by page */
	unsigned long full_flushes;  /* everything */
};

/* Forget the translation of the page at @va on this CPU. Any context. */
void tlb_flush_page_local(va_t va);

/* Forget every translation on this CPU, global ones too. Any context. */
void tlb_flush_all_local(void);

/*
 * Forget the translations of [start, end) on every CPU; a full flush when
 * that is more than TLB_RANGE_MAX_PAGES. @start < @end, page aligned.
 * Context: where other CPUs run: interrupts on, not from an interrupt handler
 * (both asserted), no spinlock held that is taken with interrupts off; else
 * any. Never needs memory.
 */
void tlb_flush_kernel_range(va_t start, va_t end);

/* Forget everything on every CPU. Context: as above. */
void tlb_flush_all(void);

/* tlb_flush_kernel_range() on the CPUs of @mask alone; those of them that are
 * not online have nothing to forget. Context: as above. */
void tlb_flush_mask(cpumask_t mask, va_t start, va_t end);

/* A page-aligned range of addresses, not empty. */
struct tlb_range {
	va_t start, end;
};

/*
 * Forget on the CPUs of @mask the @nr @ranges, by one interrupt to each; all
 * with @nr 0. The pages of all ranges count together for a full flush.
 * <lib/tlb_batch.h> collects ranges. Context: as above.
 */
void tlb_flush_ranges(cpumask_t mask, const struct tlb_range *ranges,
		      unsigned int nr);

/* Counters of @cpu, which is online. */
struct tlb_stats tlb_stats(unsigned int cpu);

/*
 * Told of each flush on @cpu, there, interrupts off: that it begins, and then
 * of each range that was forgotten; [0, ~0) is everything. What was cleared
 * before it began is forgotten after it; what was cleared in between may be or
 * not. Not told of tlb_flush_page_local().
 */
struct tlb_observer {
	void (*begins)(unsigned int cpu);
	void (*flushed)(unsigned int cpu, va_t start, va_t end);
};

/*
 * Tell @observer, which stays valid, from now on; NULL: nobody.
 * Return: whom it was told before.
 */
const struct tlb_observer *
tlb_set_observer(const struct tlb_observer *observer);

/*
 * For tests of the tests: what is left out of flushes that name more than a
 * page. Interrupts and counters stay as they are, the observer is not told.
 */
enum tlb_test_skip {
	TLB_SKIP_NOTHING,
	TLB_SKIP_LOCAL,  /* the flush of the CPU that asks */
	TLB_SKIP_REMOTE, /* the flush of the others */
};

void tlb_test_skip(enum tlb_test_skip skip);

#endif
