/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flushing the TLB of this CPU: counted, observed, or left out on purpose.
 *
 * A range is flushed page by page up to TLB_RANGE_MAX_PAGES: forgetting a page
 * costs about as much as a few misses, and a full flush costs a miss for every
 * page in use afterwards.
 */
#include <arch/cpu.h>
#include <common/tlb.h>

DEFINE_PER_CPU(struct tlb_stats, tlb_counters);

bool tlb_watched;
static const struct tlb_observer *watching;
static enum tlb_test_skip left_out;

static void forget_ranges(const struct tlb_range *ranges, unsigned int nr)
{
	for (; nr; nr--, ranges++)
		for (va_t va = ranges->start; va != ranges->end;
		     va += PAGE_SIZE)
			tlb_forget_page(va);
}

static void tell_flushed(const struct tlb_observer *observer,
			 const struct tlb_range *ranges, unsigned int nr)
{
	if (!nr)
		observer->flushed(cpu_id(), 0, ~0UL);
	for (; nr; nr--, ranges++)
		observer->flushed(cpu_id(), ranges->start, ranges->end);
}

void tlb_flush_here(const struct tlb_flush *flush, enum tlb_test_skip part)
{
	const struct tlb_observer *observer = watching;

	if (flush->nr)
		this_cpu_inc(tlb_counters.range_flushes);
	else
		this_cpu_inc(tlb_counters.full_flushes);
	if (left_out == part)
		return;
	if (observer)
		observer->begins(cpu_id());
	if (flush->nr)
		forget_ranges(flush->ranges, flush->nr);
	else
		tlb_forget_all();
	if (observer)
		tell_flushed(observer, flush->ranges, flush->nr);
}

void tlb_flush_all_local(void)
{
	unsigned long flags = irq_save();

	tlb_flush_here(&(struct tlb_flush){0}, TLB_SKIP_LOCAL);
	irq_restore(flags);
}

struct tlb_stats tlb_stats(unsigned int cpu)
{
	return (struct tlb_stats){
		.requests = per_cpu_read(tlb_counters.requests, cpu),
		.ipis_sent = per_cpu_read(tlb_counters.ipis_sent, cpu),
		.range_flushes = per_cpu_read(tlb_counters.range_flushes, cpu),
		.full_flushes = per_cpu_read(tlb_counters.full_flushes, cpu),
	};
}

static void decide_watched(void)
{
	tlb_watched = watching || left_out != TLB_SKIP_NOTHING;
}

const struct tlb_observer *tlb_set_observer(const struct tlb_observer *observer)
{
	const struct tlb_observer *before = watching;

	watching = observer;
	decide_watched();
	return before;
}

void tlb_test_skip(enum tlb_test_skip skip)
{
	left_out = skip;
	decide_watched();
}
