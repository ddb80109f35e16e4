/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU's segment and interrupt tables. */
#ifndef X86_64_DESCRIPTORS_H
#define X86_64_DESCRIPTORS_H

#define KERNEL_CS 0x08
#define KERNEL_DS 0x10
#define TSS_SEL   0x18

/* Interrupt stack numbers as the IDT names them; 0 is "no switch". */
enum ist {
	IST_NONE,
	IST_DOUBLE_FAULT,
	IST_NMI,
	IST_MACHINE_CHECK,
	IST_END,
};

/*
 * Fill and load the GDT, TSS and IDT of @cpu, this one; from here on it uses
 * its own per-CPU variables.
 * Context: once on each CPU, interrupts off.
 */
void descriptors_load(unsigned int cpu);

#endif
