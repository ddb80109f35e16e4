/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranges whose translations are to be forgotten together. */
#include <lib/panic.h>
#include <lib/tlb_batch.h>

void tlb_batch_init(struct tlb_batch *batch)
{
	batch->pages = 0;
	batch->nr = 0;
}

/* A range that goes on where the last one ended makes it longer. */
static bool joined(struct tlb_batch *batch, va_t start, va_t end)
{
	struct tlb_range *last = batch->ranges + batch->nr - 1;

	if (!batch->nr || last->end != start)
		return false;
	last->end = end;
	return true;
}

void tlb_batch_add(struct tlb_batch *batch, va_t start, va_t end)
{
	ASSERTF(start < end && !((start | end) & (PAGE_SIZE - 1)),
		"start=%#lx end=%#lx", start, end);
	batch->pages += (end - start) >> PAGE_SHIFT;
	if (batch->pages <= TLB_RANGE_MAX_PAGES && !joined(batch, start, end))
		batch->ranges[batch->nr++] = (struct tlb_range){start, end};
}

void tlb_batch_flush(struct tlb_batch *batch)
{
	bool all = batch->pages > TLB_RANGE_MAX_PAGES;

	if (batch->pages)
		tlb_flush_ranges(cpu_online_mask(), batch->ranges,
				 all ? 0 : batch->nr);
	tlb_batch_init(batch);
}
