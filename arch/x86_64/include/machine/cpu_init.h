/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the boot code calls, in this order, to make a CPU and the console
 * usable, and what it must know about the stacks made here.
 */
#ifndef MACHINE_CPU_INIT_H
#define MACHINE_CPU_INIT_H

#include <arch/page.h>
#include <stdbool.h>

/*
 * Find and set up the serial port; console_write before it is dropped.
 * Context: once, at boot, before the first message.
 */
void console_init(void);

/*
 * Load this CPU's segment and interrupt tables, switch on the protections that
 * it has, and silence the legacy interrupt controller. From here on every
 * fault is reported.
 * Context: at boot, interrupts off, in long mode at the kernel's addresses.
 */
void cpu_init(void);

/* What this CPU can do and the kernel makes use of. */
struct cpu_features {
	bool pge;      /* global pages */
	bool mce;      /* machine-check exception */
	bool smep;     /* no execution of user pages by the kernel */
	bool smap;     /* no access to user pages by the kernel */
	bool umip;     /* no descriptor-table reads by user code */
	bool emulated; /* by QEMU's TCG, whose TLB is a soft one */
};

/*
 * Ask the CPU.
 * Context: any; CPUID is slow under a hypervisor: keep the answer.
 * Return: its features.
 */
struct cpu_features cpu_features_read(void);

/* A stack of the kernel image, with an unmapped page below it. */
struct guarded_stack {
	const char *name;
	va_t guard;      /* one page, [guard, start) */
	va_t start, end; /* bytes, the stack itself */
};

/*
 * List the stacks of the kernel image: the interrupt stacks, the boot stack.
 * Whoever maps the image leaves their guard pages out.
 * Context: any.
 * Return: the stacks, @nr of them.
 */
const struct guarded_stack *cpu_guarded_stacks(size_t *nr);

#endif
