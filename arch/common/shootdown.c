/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TLB shootdown: making other CPUs forget translations. No CPU can reach into
 * the TLB of another; it can only interrupt it and have it flush by itself.
 *
 * Structures
 *   Each CPU has one request of its own: it waits until a request is carried
 *   out before it makes the next. Each CPU has a word of bits, one for each
 *   CPU whose request it has to carry out. So a shootdown needs no memory and
 *   no lock, and any number of them may be under way.
 *
 * Operations
 *   shootdown   O(CPUs): a bit and an interrupt for each, then its own flush
 *               while they work, then the wait. An interrupt that was asked
 *               for by another CPU and is still to come serves both.
 *   interrupt   takes all its bits at once, and carries out their requests.
 *
 * Invariants
 *   S1  a request does not change while a CPU is left that has to carry it
 *       out.
 *   S2  bit s of a CPU's word is set only while that CPU is left in the
 *       request of s, or about to leave it.
 *   S3  when a shootdown returns, each CPU has flushed after it began: the
 *       bits are set after the caller's PTEs were written, and the CPU leaves
 *       after its flush.
 *
 * Whoever waits has interrupts on, so two CPUs that shoot at each other both
 * get there.
 */
#include <arch/smp.h>
#include <common/ipi.h>
#include <common/tlb.h>
#include <lib/compiler.h>
#include <lib/panic.h>
#include <stdatomic.h>

struct request {
	_Atomic uint64_t left; /* bits of the CPUs that have to carry it out */
	unsigned int nr;       /* of ranges; 0: everything */
	const struct tlb_range *ranges;
};

static DEFINE_PER_CPU(struct request, request) __aligned(64);
static DEFINE_PER_CPU(_Atomic uint64_t, requesters) __aligned(64);

static void carry_out(unsigned int requester, uint64_t me)
{
	struct request *r = per_cpu_ptr(&request, requester);

	tlb_flush_here(r->ranges, r->nr, TLB_SKIP_REMOTE);
	atomic_fetch_and_explicit(&r->left, ~me, memory_order_release);
}

void tlb_interrupt(void)
{
	uint64_t me = cpumask_of(cpu_id()).bits;
	cpumask_t from;
	unsigned int cpu;

	from.bits = atomic_exchange(this_cpu_ptr(&requesters), 0);
	for_each_cpu(cpu, from) carry_out(cpu, me);
}

static void interrupt(unsigned int cpu, uint64_t me)
{
	if (atomic_fetch_or(per_cpu_ptr(&requesters, cpu), me))
		return; /* it has not come to those before yet */
	this_cpu_inc(tlb_counters.ipis_sent);
	ipi_send_tlb(cpu);
}

static void shootdown(cpumask_t others, bool here,
		      const struct tlb_range *ranges, unsigned int nr)
{
	struct request *mine = this_cpu_ptr(&request);
	uint64_t me = cpumask_of(cpu_id()).bits;
	unsigned long flags;
	unsigned int cpu;

	ASSERTF(!in_interrupt() && irq_enabled(),
		"TLB flush on other CPUs, interrupts %s%s",
		irq_enabled() ? "on" : "off",
		in_interrupt() ? ", in an interrupt handler" : "");
	mine->ranges = ranges;
	mine->nr = nr;
	atomic_store_explicit(&mine->left, others.bits, memory_order_relaxed);
	flags = irq_save();
	for_each_cpu(cpu, others) interrupt(cpu, me);
	if (here)
		tlb_flush_here(ranges, nr, TLB_SKIP_LOCAL);
	irq_restore(flags);
	while (atomic_load_explicit(&mine->left, memory_order_acquire))
		cpu_relax();
}

static void flush_here_only(const struct tlb_range *ranges, unsigned int nr)
{
	unsigned long flags = irq_save();

	tlb_flush_here(ranges, nr, TLB_SKIP_LOCAL);
	irq_restore(flags);
}

static void flush(cpumask_t mask, const struct tlb_range *ranges,
		  unsigned int nr)
{
	uint64_t me = cpumask_of(cpu_id()).bits;
	uint64_t on = mask.bits & cpu_online_mask().bits;

	this_cpu_inc(tlb_counters.requests);
	if (on & ~me)
		shootdown((cpumask_t){on & ~me}, on & me, ranges, nr);
	else if (on)
		flush_here_only(ranges, nr);
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
