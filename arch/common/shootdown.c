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
#include <lib/panic.h>

DEFINE_PER_CPU(struct tlb_request, tlb_request) __aligned(64);
DEFINE_PER_CPU(_Atomic uint64_t, tlb_requesters) __aligned(64);
DEFINE_PER_CPU(struct tlb_request *, tlb_taken);

void tlb_carry_out_slowly(void)
{
	this_cpu_inc(interrupt_depth);
	tlb_flush_here(&this_cpu_read(tlb_taken)->flush, TLB_SKIP_REMOTE);
	this_cpu_dec(interrupt_depth);
}

/*
 * Have the CPUs @others, some, carry out this CPU's request. Adding its bit,
 * @me, is setting it, since it is clear (S2), and tells what was there before:
 * if anything, the interrupt for that is still to come.
 * Context: interrupts off.
 */
static inline void tell(uint64_t others, uint64_t me)
{
	uint64_t rest = others, unaware = others;

	do {
		if (unlikely(atomic_fetch_add(
			    per_cpu_ptr(&tlb_requesters, lowest_bit(rest)),
			    me)))
			unaware &= ~(rest & -rest);
		else
			this_cpu_inc(tlb_counters.ipis_sent);
	} while ((rest &= rest - 1));
	if (likely(unaware))
		ipi_send_tlb(unaware);
}

static noinline _Noreturn void refuse(uint64_t others)
{
	panic("TLB flush on CPUs %#lx, interrupts %s, handlers %u deep", others,
	      irq_enabled() ? "on" : "off", this_cpu_read(interrupt_depth));
}

/* Carry out on the CPUs of @mask what the others say, the fields of a struct
 * tlb_flush. Inlined for one range, which it mostly is, and once for all else.
 */
static __always_inline void flush(cpumask_t mask, va_t start, va_t end,
				  const struct tlb_range *ranges,
				  unsigned int nr)
{
	struct tlb_request *mine = this_cpu_ptr(&tlb_request);
	unsigned long flags = irq_save();
	uint64_t me = this_cpu_bit();
	uint64_t others = mask.bits & online_bits() & ~me;

	this_cpu_inc(tlb_counters.requests);
	mine->flush.start = start;
	mine->flush.end = end;
	if (!end) {
		mine->flush.ranges = ranges;
		mine->flush.nr = nr;
	}
	if (others) {
		if (unlikely(!irq_were_on(flags) ||
			     this_cpu_read(interrupt_depth)))
			refuse(others);
		atomic_store_explicit(&mine->left, others,
				      memory_order_relaxed);
		tell(others, me);
	}
	if (mask.bits & me) {
		if (end)
			tlb_flush_range_here(start, end);
		else
			tlb_flush_here(&mine->flush, TLB_SKIP_LOCAL);
	}
	irq_restore(flags);
	if (others)
		do
			cpu_relax();
		while (atomic_load_explicit(&mine->left, memory_order_acquire));
}

static noinline void
flush_slowly(cpumask_t mask, const struct tlb_range *ranges, unsigned int nr)
{
	flush(mask, 0, 0, ranges, nr);
}

static __always_inline void check(va_t start, va_t end)
{
	ASSERTF(start < end && !((start | end) & (PAGE_SIZE - 1)),
		"TLB flush of [%#lx, %#lx)", start, end);
}

void tlb_flush_ranges(cpumask_t mask, const struct tlb_range *ranges,
		      unsigned int nr)
{
	size_t pages = 0;

	for (unsigned int i = 0; i < nr; i++) {
		check(ranges[i].start, ranges[i].end);
		pages += (ranges[i].end - ranges[i].start) >> PAGE_SHIFT;
	}
	flush_slowly(mask, ranges, pages <= TLB_RANGE_MAX_PAGES ? nr : 0);
}

static noinline void flush_as_ranges(cpumask_t mask, va_t start, va_t end)
{
	tlb_flush_ranges(mask, &(struct tlb_range){start, end}, 1);
}

void tlb_flush_mask(cpumask_t mask, va_t start, va_t end)
{
	check(start, end);
	if (unlikely(tlb_watched ||
		     end - start > TLB_RANGE_MAX_PAGES * PAGE_SIZE))
		flush_as_ranges(mask, start, end);
	else
		flush(mask, start, end, NULL, 0);
}

void tlb_flush_kernel_range(va_t start, va_t end)
{
	tlb_flush_mask(cpu_online_mask(), start, end);
}

void tlb_flush_all(void)
{
	flush_slowly(cpu_online_mask(), NULL, 0);
}
