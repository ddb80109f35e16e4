/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 11: starting the other CPUs, and calling them.
 */
#ifndef ARCH_SMP_H
#define ARCH_SMP_H

#include <arch/cpumask.h>
#include <arch/page.h>

/* A CPU to be started, as the firmware tells of it. */
struct smp_cpu {
	uint32_t apic_id;
};

/* What smp_start() is told, and what it takes from those above. */
struct smp_boot {
	const struct smp_cpu *cpus; /* this one among them or not */
	size_t nr;
	unsigned int max; /* CPUs to run at most, this one too */

	va_t local_apic; /* its registers, mapped uncached; 0: has none */
	pa_t low_page;   /* a free page of RAM below 1 MiB; 0: there is none */

	/*
	 * Memory for a CPU's variables or one of its stacks: @size bytes, whole
	 * pages, mapped by small pages, with an unmapped page below.
	 * alloc returns 0 when there is none.
	 */
	va_t (*alloc)(size_t size);
	void (*free)(va_t va);

	void (*entry)(void); /* what each started CPU runs; does not return */
};

/*
 * Make this CPU take interrupts, and start the CPUs of @boot that do not run
 * yet until @boot->max run. Each gets the next id, per-CPU variables, tables
 * and stacks, is counted as online, flushes its TLB and then calls the entry,
 * on a stack of its own with interrupts off. A CPU that never answers is
 * reported with its APIC id and left out; so are those beyond MAX_CPUS.
 * Context: CPU 0, all allocators up; interrupts are on afterwards.
 * Return: CPUs online then.
 */
unsigned int smp_start(const struct smp_boot *boot);

/* The APIC id of @cpu, which is online. Any context. */
uint32_t smp_apic_id(unsigned int cpu);

typedef void (*cpu_call_fn)(void *arg);

/*
 * Run @fn(@arg) on @cpu, in interrupt context with interrupts off (on this CPU
 * itself: at once, the same way). @wait: return only when it has run; a CPU
 * that waits goes on serving calls to itself, so that two CPUs may call each
 * other. Not waited for: @arg must stay valid, and calls to one CPU run in the
 * order in which they were made.
 * Context: interrupts on, no spinlock held that an interrupt handler takes;
 * not from an interrupt handler (asserted). Never needs memory.
 * Return: 0; -EINVAL after one line when @cpu is not online.
 */
int cpu_call(unsigned int cpu, cpu_call_fn fn, void *arg, bool wait);

/* The same on every online CPU of @mask, all at once. Return: 0; -EINVAL after
 * one line when one of @mask is not online, and then nothing ran. */
int cpu_call_mask(cpumask_t mask, cpu_call_fn fn, void *arg, bool wait);

/*
 * Have @cpu leave its idle wait soon and look for work. Needs no memory.
 * Context: any.
 */
void cpu_kick(unsigned int cpu);

/* Is this code part of an interrupt handler or a cpu_call? Any context. */
bool in_interrupt(void);

/* Told where @cpu was when an NMI came: the address of the instruction, and
 * the frame pointer, for arch_backtrace(). Context: NMI. */
typedef void (*cpu_report_fn)(unsigned int cpu, uintptr_t pc,
			      const void *frame);

/*
 * Call @report at once on @cpu, another CPU that is online, whatever it does,
 * by NMI; then let it go on.
 * Context: any. Who comes while another asks waits.
 * Return: false when @cpu did not take the NMI within a second.
 */
bool cpu_interrogate(unsigned int cpu, cpu_report_fn report);

/*
 * The same, but @cpu stays where it is, for good.
 * Context: any; for panic: does not wait for others who ask.
 */
bool cpu_stop(unsigned int cpu, cpu_report_fn report);

/* What a CPU did since boot. */
struct smp_stats {
	unsigned long calls_run; /* for itself and for others */
	unsigned long ipis_sent; /* of any kind */
};

struct smp_stats smp_stats(unsigned int cpu);

#endif
