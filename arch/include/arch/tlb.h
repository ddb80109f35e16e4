/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 3: the TLB.
 *
 * Clearing or changing a PTE does not end the old translation: a CPU may go
 * on using it until that CPU flushed it. Nothing here changes a PTE.
 */
#ifndef ARCH_TLB_H
#define ARCH_TLB_H

#include <arch/page.h>

/* Ranges of more pages than this are flushed as a whole TLB. */
#define TLB_RANGE_MAX_PAGES 32

/* What this CPU's TLB code did since boot. */
struct tlb_stats {
	unsigned long range_flushes; /* calls that went page by page */
	unsigned long full_flushes;  /* calls that flushed everything */
};

/* Forget the translation of the page at @va on this CPU. Any context. */
void tlb_flush_page_local(va_t va);

/* Forget every translation on this CPU, global ones too. Any context. */
void tlb_flush_all_local(void);

/*
 * Forget the translations of [start, end) on every CPU; a full flush when
 * that is more than TLB_RANGE_MAX_PAGES. @start < @end, page aligned.
 * Context: interrupts on, no spinlock held that an IPI handler takes.
 */
void tlb_flush_kernel_range(va_t start, va_t end);

/* Forget everything on every CPU. Context: as above. */
void tlb_flush_all(void);

/* Counters of this CPU. */
struct tlb_stats tlb_stats(void);

#endif
