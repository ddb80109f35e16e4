/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exceptions in words (Intel SDM vol. 3, 6.13 and 6.15; 4.7 for page faults).
 * All pure functions of their arguments.
 */
#include "stacks.h"
#include <lib/compiler.h>
#include <lib/printf.h>
#include <machine/trap.h>

static const struct {
	const char *mnemonic;
	const char *name;
} exceptions[NR_EXCEPTIONS] = {
	[0] = {"#DE", "divide error"},
	[1] = {"#DB", "debug exception"},
	[2] = {"NMI", "non-maskable interrupt"},
	[3] = {"#BP", "breakpoint"},
	[4] = {"#OF", "overflow"},
	[5] = {"#BR", "bound range exceeded"},
	[6] = {"#UD", "invalid opcode"},
	[7] = {"#NM", "no x87 unit"},
	[8] = {"#DF", "double fault"},
	[9] = {"-", "coprocessor segment overrun"},
	[10] = {"#TS", "invalid TSS"},
	[11] = {"#NP", "segment not present"},
	[12] = {"#SS", "stack segment fault"},
	[13] = {"#GP", "general protection fault"},
	[14] = {"#PF", "page fault"},
	[15] = {"-", "reserved exception"},
	[16] = {"#MF", "x87 floating-point error"},
	[17] = {"#AC", "alignment check"},
	[18] = {"#MC", "machine check"},
	[19] = {"#XM", "SIMD floating-point error"},
	[20] = {"#VE", "virtualization exception"},
	[21] = {"#CP", "control protection fault"},
	[22 ... 27] = {"-", "reserved exception"},
	[28] = {"#HV", "hypervisor injection"},
	[29] = {"#VC", "VMM communication"},
	[30] = {"#SX", "security exception"},
	[31] = {"-", "reserved exception"},
};

const char *trap_mnemonic(uint64_t vector)
{
	return vector < NR_EXCEPTIONS ? exceptions[vector].mnemonic : "IRQ";
}

const char *trap_name(uint64_t vector)
{
	return vector < NR_EXCEPTIONS ? exceptions[vector].name
				      : "unexpected interrupt";
}

static const char *page_fault_access(uint64_t error)
{
	if (error & PF_FETCH)
		return "fetch";
	return error & PF_WRITE ? "write" : "read";
}

static const char *page_fault_reason(uint64_t error)
{
	if (error & PF_RESERVED)
		return "a reserved bit is set in a page-table entry";
	return error & PF_PRESENT ? "page present but not permitted so"
				  : "page not present";
}

static size_t page_fault_text(char *buf, size_t size, uint64_t error)
{
	return scnprintf(buf, size, "%s, %s%s", page_fault_access(error),
			 page_fault_reason(error),
			 error & PF_USER ? ", from user mode" : "");
}

/* Bit 0: an event from outside; bits 1, 2: which table; then the index. */
static size_t selector_text(char *buf, size_t size, uint64_t error)
{
	static const char *const tables[] = {"GDT", "IDT", "LDT", "IDT"};

	if (!error)
		return scnprintf(buf, size, "no selector involved");
	return scnprintf(buf, size, "%s entry %u%s", tables[error >> 1 & 3],
			 (unsigned int)(error >> 3 & 0x1fff),
			 error & 1 ? ", while delivering an event" : "");
}

size_t trap_error_text(char *buf, size_t size, uint64_t vector, uint64_t error)
{
	switch (vector) {
	case VECTOR_PAGE_FAULT:
		return page_fault_text(buf, size, error);
	case VECTOR_INVALID_TSS:
	case VECTOR_NOT_PRESENT:
	case VECTOR_STACK:
	case VECTOR_GP:
		return selector_text(buf, size, error);
	default:
		return scnprintf(buf, size, error ? "unknown" : "none");
	}
}

static bool canonical(va_t va)
{
	return (va_t)((int64_t)(va << 16) >> 16) == va;
}

bool trap_at_fetch(const struct trap_frame *frame)
{
	if (frame->vector == VECTOR_GP)
		return !canonical(frame->rip);
	return frame->vector == VECTOR_PAGE_FAULT && frame->error & PF_FETCH;
}

/* The parts of the address map, ascending; each ends where the next starts. */
static const struct {
	va_t start;
	const char *name;
} regions[] = {
	{0, "NULL page, never mapped"},
	{PAGE_SIZE, "low half, nothing is mapped there"},
	{0x0000800000000000, "not a canonical address"},
	{0xffff800000000000, "unused, below the direct map"},
	{DIRECT_MAP_BASE, "direct map"},
	{DIRECT_MAP_BASE + (1UL << MAX_PHYS_BITS),
	 "unused, above the direct map"},
	{VMALLOC_START, "vmalloc space"},
	{VMALLOC_END, "unused, above vmalloc space"},
	{VMEMMAP_BASE, "page descriptors"},
	{VMEMMAP_BASE + (1UL << 41), "unused, above the page descriptors"},
	{KERNEL_BASE, "kernel image"},
	{MODULES_START, "module area"},
	{FIXMAP_START, "fixmap"},
	{FIXMAP_END, "last page, never mapped"},
};

size_t trap_region_text(char *buf, size_t size, va_t va)
{
	size_t i = ARRAY_SIZE(regions) - 1;
	unsigned int cpu;
	const char *stack = cpu_guard_page(va, &cpu);

	if (stack && cpu)
		return scnprintf(buf, size, "guard page of CPU %u's %s", cpu,
				 stack);
	if (stack)
		return scnprintf(buf, size, "guard page of the %s", stack);
	while (va < regions[i].start)
		i--;
	if (regions[i].start == DIRECT_MAP_BASE)
		return scnprintf(buf, size, "direct map of physical %lx",
				 va - DIRECT_MAP_BASE);
	return scnprintf(buf, size, "%s", regions[i].name);
}

static const struct {
	uint64_t bit;
	const char *name;
} pte_flags[] = {
	{PTE_P, " P"},     {PTE_RW, " RW"}, {PTE_PWT, " PWT"},
	{PTE_PCD, " PCD"}, {PTE_A, " A"},   {PTE_D, " D"},
	{PTE_PS, " PS"},   {PTE_G, " G"},   {PTE_NX, " NX"},
};

size_t trap_pte_text(char *buf, size_t size, pte_t pte, unsigned int level)
{
	pgprot_t prot = pte_prot(pte, level);
	size_t n;

	if (pte_none(pte))
		return scnprintf(buf, size, "none");
	if (!pte_present(pte))
		return scnprintf(buf, size, "%016lx not present", pte.v);
	if (pte_leaf(pte, level))
		n = scnprintf(buf, size, "%016lx maps %lx r%c%c%s:", pte.v,
			      pte_pa(pte, level), prot & PROT_WRITE ? 'w' : '-',
			      prot & PROT_EXEC ? 'x' : '-',
			      prot & PROT_UNCACHED ? " uncached" : "");
	else
		n = scnprintf(buf, size, "%016lx table %lx:", pte.v,
			      pte_pa(pte, level));
	for (size_t i = 0; i < ARRAY_SIZE(pte_flags); i++)
		if (pte.v & pte_flags[i].bit)
			n += scnprintf(buf + n, size - n, "%s",
				       pte_flags[i].name);
	return n;
}

/*
 * A stack that has run into its guard page: pushing the page fault's frame
 * there faulted again, and CR2 is what could not be pushed to, just below
 * the stack pointer.
 */
static bool stack_overflowed(const struct trap_frame *frame, va_t cr2)
{
	unsigned int cpu;

	return frame->vector == VECTOR_DOUBLE_FAULT &&
	       (cpu_guard_page(cr2, &cpu) || frame->rsp - cr2 <= PAGE_SIZE);
}

size_t trap_summary_text(char *buf, size_t size, const struct trap_frame *frame,
			 va_t cr2)
{
	char region[64], error[64];

	trap_region_text(region, sizeof(region), cr2);
	trap_error_text(error, sizeof(error), frame->vector, frame->error);
	if (stack_overflowed(frame, cr2))
		return scnprintf(buf, size, "stack overflow at %016lx (%s)",
				 cr2, region);
	if (frame->vector == VECTOR_PAGE_FAULT)
		return scnprintf(buf, size, "page fault at %016lx (%s): %s",
				 cr2, region, error);
	if (frame->vector >= NR_EXCEPTIONS)
		return scnprintf(buf, size, "%s %lu", trap_name(frame->vector),
				 frame->vector);
	if (frame->vector == VECTOR_GP)
		return scnprintf(buf, size, "%s: %s", trap_name(frame->vector),
				 error);
	return scnprintf(buf, size, "%s", trap_name(frame->vector));
}
