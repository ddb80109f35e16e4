/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MACHINE_TLB_H
#define MACHINE_TLB_H

/* arch/hosted/tlb.c */
void tlb_forget_page(va_t va);

#endif
