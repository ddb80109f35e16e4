/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tlb.h"
#include <lib/compiler.h>
#include <lib/panic.h>

static void flush(cpumask_t mask, const struct tlb_range *ranges,
		  unsigned int nr)
{
	this_cpu_inc(tlb_counters.requests);
	if (cpumask_test(mask, cpu_id()))
		tlb_flush_here(ranges, nr, TLB_SKIP_LOCAL);
}

/* Return: how many ranges to flush; 0: everything instead. */
static unsigned int checked(const struct tlb_range *ranges, unsigned int nr)
{
	size_t pages = 0;

	for (unsigned int i = 0; i < nr; i++) {
		const struct tlb_range *r = &ranges[i];

		ASSERTF(r->start < r->end &&
				!((r->start | r->end) & (PAGE_SIZE - 1)),
			"TLB flush of [%#lx, %#lx)", r->start, r->end);
		pages += (r->end - r->start) >> PAGE_SHIFT;
	}
	return pages <= TLB_RANGE_MAX_PAGES ? nr : 0;
}

void tlb_flush_ranges(cpumask_t mask, const struct tlb_range *ranges,
		      unsigned int nr)
{
	flush(mask, ranges, checked(ranges, nr));
}

void tlb_flush_mask(cpumask_t mask, va_t start, va_t end)
{
	struct tlb_range range = {start, end};

	flush(mask, &range, checked(&range, 1));
}

void tlb_flush_kernel_range(va_t start, va_t end)
{
	tlb_flush_mask(cpu_online_mask(), start, end);
}

void tlb_flush_all(void)
{
	flush(cpu_online_mask(), NULL, 0);
}
