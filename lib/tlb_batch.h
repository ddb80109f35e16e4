/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges whose translations are to be forgotten together, so that each CPU is
 * interrupted once for all of them.
 *
 *   struct tlb_batch batch = TLB_BATCH_INIT;
 *
 *   tlb_batch_add(&batch, start, end);      as often as needed
 *   tlb_batch_flush(&batch);
 *
 * Since a range has a page at least and TLB_RANGE_MAX_PAGES pages are flushed
 * one by one at most, so many ranges are enough to keep:
 *
 *   nr <= pages, and pages <= TLB_RANGE_MAX_PAGES unless all will be flushed
 */
#ifndef LIB_TLB_BATCH_H
#define LIB_TLB_BATCH_H

#include <arch/tlb.h>

struct tlb_batch {
	size_t pages;    /* of all that was added */
	unsigned int nr; /* of ranges kept: all that was added, or too many */
	struct tlb_range ranges[TLB_RANGE_MAX_PAGES];
};

#define TLB_BATCH_INIT                                                         \
	{                                                                      \
		.pages = 0, .nr = 0                                            \
	}

/* Make @batch empty. Context: any. */
void tlb_batch_init(struct tlb_batch *batch);

/* Add [@start, @end), page aligned and not empty. Context: any. */
void tlb_batch_add(struct tlb_batch *batch, va_t start, va_t end);

/*
 * Forget on every CPU what was added, if anything was, and make @batch empty.
 * Context: as tlb_flush_kernel_range().
 */
void tlb_batch_flush(struct tlb_batch *batch);

#endif
