/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MACHINE_TLB_H
#define MACHINE_TLB_H

/* INVLPG forgets one page, global or not. */
static inline void tlb_forget_page(va_t va)
{
	__asm__ volatile("invlpg (%0)" : : "r"(va) : "memory");
}

#endif
