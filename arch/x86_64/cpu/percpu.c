/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the per-CPU variables of each CPU are.
 *
 * The section in the image is CPU 0's own, and soon no longer what it was when
 * linked; so before anything writes to it, it is copied to where all other
 * CPUs' areas are copied from.
 */
#include "start.h"
#include <arch/percpu.h>
#include <lib/string.h>
#include <machine/regs.h>

/* linker.ld: the section, and room of its size. */
extern uint8_t percpu_start[], percpu_end[], percpu_template[];

ptrdiff_t per_cpu_offsets[MAX_CPUS];
DEFINE_PER_CPU(ptrdiff_t, this_cpu_offset);
DEFINE_PER_CPU(unsigned int, cpu_number);
DEFINE_PER_CPU(uint64_t, cpu_bit) = 1;

void percpu_init(void)
{
	write_msr(MSR_GS_BASE, 0);
	memcpy(percpu_template, percpu_start, percpu_end - percpu_start);
}

size_t percpu_size(void)
{
	return PAGE_ALIGN((size_t)(percpu_end - percpu_start));
}

void percpu_setup(unsigned int cpu, va_t area)
{
	per_cpu_offsets[cpu] = area - (va_t)percpu_start;
	memcpy((void *)area, percpu_template, percpu_end - percpu_start);
	*per_cpu_ptr(&this_cpu_offset, cpu) = per_cpu_offsets[cpu];
	*per_cpu_ptr(&cpu_number, cpu) = cpu;
	*per_cpu_ptr(&cpu_bit, cpu) = 1UL << cpu;
}
