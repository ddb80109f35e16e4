/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mapped addresses exist in the software page tables only: each access goes
 * through this CPU's software TLB (arch/hosted/tlb.c).
 */
#ifndef MACHINE_VA_H
#define MACHINE_VA_H

uint8_t va_load8(va_t va);
void va_store8(va_t va, uint8_t v);
uint64_t va_load64(va_t va);
void va_store64(va_t va, uint64_t v);
void va_zero(va_t va, size_t n);
void va_copy_to(va_t va, const void *from, size_t n);
void va_copy_from(void *to, va_t va, size_t n);
void va_copy_va(va_t to, va_t from, size_t n);

#endif
