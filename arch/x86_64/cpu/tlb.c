/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TLB of this CPU and, through it, of all.
 *
 * Kernel mappings are global, so a reload of CR3 does not forget them; what
 * does is a change of CR4.PGE. A CPU without global pages has none to keep,
 * and a reload of CR3 is enough. INVLPG forgets one page, global or not.
 *
 * A range is flushed page by page up to TLB_RANGE_MAX_PAGES: an INVLPG costs
 * about as much as a few misses, and a full flush costs a miss for every page
 * in use afterwards.
 */
#include <arch/cpu.h>
#include <arch/tlb.h>
#include <lib/compiler.h>
#include <lib/panic.h>
#include <machine/regs.h>

/* Written by its own CPU only; a cache line each. */
static struct {
	struct tlb_stats stats;
} __aligned(64) cpu_tlb[MAX_CPUS];

void tlb_flush_page_local(va_t va)
{
	__asm__ volatile("invlpg (%0)" : : "r"(va) : "memory");
}

void tlb_flush_all_local(void)
{
	unsigned long flags = irq_save();
	uint64_t cr4 = read_cr4();

	cpu_tlb[cpu_id()].stats.full_flushes++;
	if (cr4 & CR4_PGE) {
		write_cr4(cr4 & ~CR4_PGE);
		write_cr4(cr4);
	} else {
		write_cr3(read_cr3());
	}
	irq_restore(flags);
}

void tlb_flush_kernel_range(va_t start, va_t end)
{
	ASSERTF(start < end && !((start | end) & (PAGE_SIZE - 1)),
		"start=%lx end=%lx", start, end);
	if ((end - start) >> PAGE_SHIFT > TLB_RANGE_MAX_PAGES) {
		tlb_flush_all();
		return;
	}
	cpu_tlb[cpu_id()].stats.range_flushes++;
	for (va_t va = start; va != end; va += PAGE_SIZE)
		tlb_flush_page_local(va);
}

void tlb_flush_all(void)
{
	tlb_flush_all_local();
}

struct tlb_stats tlb_stats(void)
{
	return cpu_tlb[cpu_id()].stats;
}
