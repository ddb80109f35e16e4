/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segment and interrupt tables (Intel SDM vol. 3, 3.4, 6.14, 7.7).
 *
 * In 64-bit mode segments have no base and no limit; the GDT serves to name a
 * code segment (ring 0, 64-bit), a data segment, and the TSS, which holds the
 * interrupt stacks. Every vector gets an interrupt gate (interrupts go off)
 * to its handler (interrupt.h), or its stub in trap_entry.S.
 *
 * Three exceptions switch to a stack of their own, since they may come where
 * the current one is of no use:
 *
 *   double fault   the current stack has run into its guard page: pushing the
 *                  page fault's frame faults again, which is a double fault,
 *                  and CR2 still tells the guard page's address
 *   NMI, machine check   may come at any instruction
 *
 * The page fault itself stays on the current stack. On a stack of its own, a
 * page fault inside the page-fault handler (reading an unmapped address
 * through the exception table is a usual thing in a report) would overwrite
 * the outer fault's frame.
 */
#include "interrupt.h"
#include "stacks.h"
#include <lib/compiler.h>
#include <machine/regs.h>
#include <machine/trap.h>

/* Present, ring 0. */
#define GDT_CODE64 0x00af9b000000ffffUL /* executable, readable, 64-bit */
#define GDT_DATA   0x00cf93000000ffffUL /* writable */

#define TYPE_TSS            0x89
#define TYPE_INTERRUPT_GATE 0x8e

enum { GDT_NULL, GDT_CS, GDT_DS, GDT_TSS_LOW, GDT_TSS_HIGH, GDT_ENTRIES };

_Static_assert(GDT_CS * 8 == KERNEL_CS && GDT_DS * 8 == KERNEL_DS &&
		       GDT_TSS_LOW * 8 == TSS_SEL,
	       "selectors name their GDT entries");

struct tss {
	uint32_t reserved0;
	uint64_t rsp[3];
	uint64_t ist[8]; /* [0] is reserved */
	uint64_t reserved1;
	uint16_t reserved2;
	uint16_t iomap_base;
} __packed;

_Static_assert(sizeof(struct tss) == 104, "as the CPU reads it");

struct idt_gate {
	uint16_t offset_low;
	uint16_t selector;
	uint8_t ist;
	uint8_t type;
	uint16_t offset_mid;
	uint32_t offset_high;
	uint32_t reserved;
};

_Static_assert(sizeof(struct idt_gate) == 16, "as the CPU reads it");

struct table_pointer {
	uint16_t limit; /* bytes - 1 */
	uint64_t base;
} __packed;

/* trap_entry.S: NR_VECTORS stubs of this many bytes. */
#define STUB_SIZE 16
extern const uint8_t trap_stubs[];

/* What each CPU has of its own. */
struct cpu_tables {
	uint64_t gdt[GDT_ENTRIES];
	struct tss tss;
};

static DEFINE_PER_CPU(struct cpu_tables, cpu_tables) __aligned(64);

/* Filled once, by CPU 0. */
static struct idt_gate idt[NR_VECTORS] __aligned(PAGE_SIZE);

static void tss_fill(struct tss *tss, unsigned int cpu)
{
	for (unsigned int i = IST_DOUBLE_FAULT; i < IST_END; i++)
		tss->ist[i] = cpu_stack_end(cpu, i - 1);
	tss->iomap_base = sizeof(*tss); /* no I/O permission map */
}

static void gdt_fill(uint64_t gdt[GDT_ENTRIES], const struct tss *tss)
{
	uint64_t base = (uint64_t)tss;
	uint64_t limit = sizeof(*tss) - 1;

	gdt[GDT_CS] = GDT_CODE64;
	gdt[GDT_DS] = GDT_DATA;
	gdt[GDT_TSS_LOW] = limit | (base & 0xffffff) << 16 |
			   (uint64_t)TYPE_TSS << 40 | (base >> 24 & 0xff) << 56;
	gdt[GDT_TSS_HIGH] = base >> 32;
}

static enum ist vector_ist(unsigned int vector)
{
	switch (vector) {
	case VECTOR_DOUBLE_FAULT:
		return IST_DOUBLE_FAULT;
	case VECTOR_NMI:
		return IST_NMI;
	case VECTOR_MACHINE_CHECK:
		return IST_MACHINE_CHECK;
	default:
		return IST_NONE;
	}
}

static void idt_fill(void)
{
	for (unsigned int i = 0; i < NR_VECTORS; i++) {
		interrupt_entry_fn entry = interrupt_entry(i);
		uint64_t stub = entry ? (uint64_t)entry
				      : (uint64_t)(trap_stubs + i * STUB_SIZE);

		idt[i] = (struct idt_gate){
			.offset_low = stub,
			.offset_mid = stub >> 16,
			.offset_high = stub >> 32,
			.selector = KERNEL_CS,
			.ist = vector_ist(i),
			.type = TYPE_INTERRUPT_GATE,
		};
	}
}

/* The code segment is reloaded by a far return. */
static void gdt_load(const uint64_t gdt[GDT_ENTRIES])
{
	struct table_pointer pointer = {GDT_ENTRIES * sizeof(gdt[0]) - 1,
					(uint64_t)gdt};

	__asm__ volatile("lgdt %[pointer]\n\t"
			 "pushq %[cs]\n\t"
			 "leaq 1f(%%rip), %%rax\n\t"
			 "pushq %%rax\n\t"
			 "lretq\n"
			 "1:\n\t"
			 "movl %[ds], %%eax\n\t"
			 "movl %%eax, %%ds\n\t"
			 "movl %%eax, %%es\n\t"
			 "movl %%eax, %%ss\n\t"
			 "xorl %%eax, %%eax\n\t"
			 "movl %%eax, %%fs\n\t"
			 "movl %%eax, %%gs\n\t"
			 "movl %[tss], %%eax\n\t"
			 "ltr %%ax"
			 :
			 : [pointer] "m"(pointer), [cs] "i"(KERNEL_CS),
			   [ds] "i"(KERNEL_DS), [tss] "i"(TSS_SEL)
			 : "rax", "memory");
}

void descriptors_load(unsigned int cpu)
{
	struct table_pointer pointer = {sizeof(idt) - 1, (uint64_t)idt};
	struct cpu_tables *tables = per_cpu_ptr(&cpu_tables, cpu);

	tss_fill(&tables->tss, cpu);
	gdt_fill(tables->gdt, &tables->tss);
	gdt_load(tables->gdt);
	write_msr(MSR_GS_BASE, per_cpu_offset(cpu));
	if (cpu == 0)
		idt_fill();
	__asm__ volatile("lidt %0" : : "m"(pointer) : "memory");
}
