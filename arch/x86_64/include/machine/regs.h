/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control registers (Intel SDM vol. 3, 2.5). Any context. */
#ifndef MACHINE_REGS_H
#define MACHINE_REGS_H

#include <arch/page.h>
#include <stdint.h>

#define CR0_NE (1UL << 5)  /* x87 errors as #MF, not through the PIC */
#define CR0_WP (1UL << 16) /* read-only holds for the kernel too */

#define CR4_MCE  (1UL << 6)  /* #MC instead of a shutdown */
#define CR4_PGE  (1UL << 7)  /* global pages */
#define CR4_UMIP (1UL << 11) /* no SGDT, SIDT, … outside the kernel */
#define CR4_SMEP (1UL << 20) /* the kernel does not execute user pages */
#define CR4_SMAP (1UL << 21) /* … nor touch them by mistake */

#define MSR_EFER    0xc0000080
#define EFER_LMA    (1UL << 10) /* in long mode; set by the CPU alone */
#define MSR_GS_BASE 0xc0000101

static inline uint64_t read_msr(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr) : "memory");
	return (uint64_t)high << 32 | low;
}

static inline void write_msr(uint32_t msr, uint64_t v)
{
	__asm__ volatile("wrmsr"
			 :
			 : "c"(msr), "a"((uint32_t)v), "d"((uint32_t)(v >> 32))
			 : "memory");
}

static inline uint64_t read_cr0(void)
{
	uint64_t v;

	__asm__ volatile("movq %%cr0, %0" : "=r"(v) : : "memory");
	return v;
}

static inline void write_cr0(uint64_t v)
{
	__asm__ volatile("movq %0, %%cr0" : : "r"(v) : "memory");
}

/* The address of the last page fault. */
static inline va_t read_cr2(void)
{
	va_t v;

	__asm__ volatile("movq %%cr2, %0" : "=r"(v) : : "memory");
	return v;
}

static inline uint64_t read_cr3(void)
{
	uint64_t v;

	__asm__ volatile("movq %%cr3, %0" : "=r"(v) : : "memory");
	return v;
}

static inline void write_cr3(uint64_t v)
{
	__asm__ volatile("movq %0, %%cr3" : : "r"(v) : "memory");
}

static inline uint64_t read_cr4(void)
{
	uint64_t v;

	__asm__ volatile("movq %%cr4, %0" : "=r"(v) : : "memory");
	return v;
}

static inline void write_cr4(uint64_t v)
{
	__asm__ volatile("movq %0, %%cr4" : : "r"(v) : "memory");
}

#endif
