/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The root of the page tables: CR3. */
#include <arch/pte.h>
#include <arch/tlb.h>
#include <cpuid.h>

pte_t *arch_root_table(void)
{
	uint64_t cr3;

	__asm__ volatile("mov %%cr3, %0" : "=r"(cr3));
	return pa_to_va(cr3 & PTE_ADDR);
}

void arch_set_root_table(pa_t root)
{
	__asm__ volatile("mov %0, %%cr3" : : "r"(root) : "memory");
	tlb_flush_all_local();
}

unsigned int arch_max_leaf_level(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) &&
	    (edx & (1U << 26)))
		return 2;
	return 1;
}
