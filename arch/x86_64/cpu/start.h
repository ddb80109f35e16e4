/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps by which a CPU that was started comes into use. */
#ifndef X86_64_START_H
#define X86_64_START_H

#include <arch/page.h>
#include <arch/percpu.h>

/*
 * Note the pristine values of the per-CPU variables, and give CPU 0 its area.
 * Context: once, the first thing at boot.
 */
void percpu_init(void);

/* Bytes of a CPU's area, whole pages. */
size_t percpu_size(void);

/*
 * Fill the area at @area for @cpu: every variable has its first value.
 * Context: before @cpu is started.
 */
void percpu_setup(unsigned int cpu, va_t area);

/* Where CPUs start: the page that smp_start() was first told. */
extern pa_t start_low_page;

/*
 * Give this CPU, @cpu, its tables, and switch on its APIC.
 * Context: once on each CPU but the first, interrupts off.
 */
void cpu_init_started(unsigned int cpu);

/* Count this CPU, @cpu, as online. Context: as above, after it. */
void cpu_go_online(unsigned int cpu);

#endif
