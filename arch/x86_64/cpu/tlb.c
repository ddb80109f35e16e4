/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TLB of this CPU. Kernel mappings are global, so a reload of CR3 does not
 * forget them; what does is a change of CR4.PGE. A CPU without global pages has
 * none to keep, and a reload of CR3 is enough.
 */
#include <arch/tlb.h>
#include <common/tlb.h>
#include <machine/regs.h>

void tlb_flush_page_local(va_t va)
{
	tlb_forget_page(va);
}

void tlb_forget_all(void)
{
	uint64_t cr4 = read_cr4();

	if (cr4 & CR4_PGE) {
		write_cr4(cr4 & ~CR4_PGE);
		write_cr4(cr4);
	} else {
		write_cr3(read_cr3());
	}
}
