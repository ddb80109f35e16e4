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
#include <lib/compiler.h>

DEFINE_PER_CPU(struct tlb_stats, tlb_counters);

/* What flushes look at beside their work, mostly nothing. */
static struct {
	bool any; /* is one of these set */
	tlb_observer_fn observer;
	enum tlb_test_skip skip;
} tlb_hooks;

static void forget_ranges(const struct tlb_range *ranges, unsigned int nr)
{
	for (; nr; nr--, ranges++)
		for (va_t va = ranges->start; va != ranges->end;
		     va += PAGE_SIZE)
			tlb_forget_page(va);
}

static void observe(const struct tlb_range *ranges, unsigned int nr)
{
	tlb_observer_fn observer = tlb_hooks.observer;

	if (!observer)
		return;
	if (!nr)
		observer(cpu_id(), 0, ~0UL);
	for (; nr; nr--, ranges++)
		observer(cpu_id(), ranges->start, ranges->end);
}

static void flush_hooked(const struct tlb_range *ranges, unsigned int nr,
			 enum tlb_test_skip part)
{
	if (tlb_hooks.skip == part)
		return;
	if (nr)
		forget_ranges(ranges, nr);
	else
		tlb_forget_all();
	observe(ranges, nr);
}

void tlb_flush_here(const struct tlb_range *ranges, unsigned int nr,
		    enum tlb_test_skip part)
{
	if (nr)
		this_cpu_inc(tlb_counters.range_flushes);
	else
		this_cpu_inc(tlb_counters.full_flushes);
	if (unlikely(tlb_hooks.any))
		flush_hooked(ranges, nr, part);
	else if (nr)
		forget_ranges(ranges, nr);
	else
		tlb_forget_all();
}

void tlb_flush_all_local(void)
{
	unsigned long flags = irq_save();

	tlb_flush_here(NULL, 0, TLB_SKIP_LOCAL);
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

static void hooks_changed(void)
{
	tlb_hooks.any =
		tlb_hooks.observer || tlb_hooks.skip != TLB_SKIP_NOTHING;
}

tlb_observer_fn tlb_set_observer(tlb_observer_fn observer)
{
	tlb_observer_fn before = tlb_hooks.observer;

	tlb_hooks.observer = observer;
	hooks_changed();
	return before;
}

void tlb_test_skip(enum tlb_test_skip skip)
{
	tlb_hooks.skip = skip;
	hooks_changed();
}
