/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUs of the hosted machine: threads of one process.
 *
 * CPU 0 is the thread that the process begins with. smp_start() makes the
 * others, one after the other, and waits until each one is online. They need
 * none of the memory that the contract offers: stacks come from Linux, and so
 * do per-CPU variables, which are touched by pointer.
 */
#include "cpus.h"
#include "os.h"

#include <arch/percpu.h>
#include <arch/smp.h>
#include <arch/tlb.h>
#include <common/ipi.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <stdatomic.h>
#include <string.h>

_Thread_local struct hosted_cpu hosted_cpu;

/* The section of DEFINE_PER_CPU, and what it was at power-on. */
extern char __start_quire_percpu[], __stop_quire_percpu[];
static char *percpu_template;

ptrdiff_t hosted_percpu_offsets[MAX_CPUS];

static uintptr_t threads[MAX_CPUS];
static uint32_t apic_ids[MAX_CPUS];

/* Bit i: CPU i. They come online in order and stay. */
static _Atomic uint64_t online = 1;

unsigned int cpus_online(void)
{
	return 64 - __builtin_clzll(cpu_online_mask().bits);
}

cpumask_t cpu_online_mask(void)
{
	return (cpumask_t){atomic_load_explicit(&online, memory_order_acquire)};
}

uint32_t smp_apic_id(unsigned int cpu)
{
	return apic_ids[cpu];
}

uintptr_t cpus_thread(unsigned int cpu)
{
	return threads[cpu];
}

static size_t percpu_size(void)
{
	return __stop_quire_percpu - __start_quire_percpu;
}

/* Room for the variables, which keeps their alignment. NULL: there is none. */
static char *percpu_area(void)
{
	size_t into_page = (va_t)__start_quire_percpu % PAGE_SIZE;
	uintptr_t area = os_map(into_page + percpu_size());

	return area ? (char *)area + into_page : NULL;
}

/* What a thread has to know of itself. */
static void become(unsigned int cpu)
{
	hosted_cpu.id = cpu;
	hosted_cpu.percpu_offset = hosted_percpu_offsets[cpu];
	os_stack_bounds(&hosted_cpu.stack_low, &hosted_cpu.stack_high);
}

void cpus_init(void)
{
	percpu_template = percpu_area();
	if (!percpu_template)
		panic("no memory for per-CPU variables");
	memcpy(percpu_template, __start_quire_percpu, percpu_size());
	become(0);
	threads[0] = os_thread_self();
	os_on_nmi(nmi_interrupt);
}

void cpus_forked(void)
{
	atomic_store(&online, 1);
	threads[0] = os_thread_self();
}

/* What the new thread reads. */
static struct {
	unsigned int cpu;
	void (*entry)(void);
} next;

static void *run_cpu(void *unused)
{
	unsigned int cpu = next.cpu;
	void (*entry)(void) = next.entry;

	become(cpu);
	atomic_fetch_or(&online, cpumask_of(cpu).bits);
	tlb_flush_all_local();
	entry();
	panic("CPU %u: its entry returned", cpu);
}

/* Return: false when the host gives no memory or no thread. */
static bool start(unsigned int cpu, uint32_t apic_id)
{
	char *area = percpu_area();

	if (!area)
		return false;
	memcpy(area, percpu_template, percpu_size());
	hosted_percpu_offsets[cpu] = area - __start_quire_percpu;
	apic_ids[cpu] = apic_id;
	next.cpu = cpu;
	if (os_thread_start(run_cpu, &threads[cpu]))
		return false;
	while (!cpumask_test(cpu_online_mask(), cpu))
		cpu_relax();
	return true;
}

static bool runs(uint32_t apic_id)
{
	for (unsigned int cpu = 0; cpu < cpus_online(); cpu++)
		if (apic_ids[cpu] == apic_id)
			return true;
	return false;
}

unsigned int smp_start(const struct smp_boot *boot)
{
	unsigned int too_many = 0;

	irq_restore(true);
	next.entry = boot->entry;
	for (size_t i = 0; i < boot->nr; i++) {
		uint32_t apic_id = boot->cpus[i].apic_id;

		if (runs(apic_id) || cpus_online() >= boot->max)
			continue;
		if (cpus_online() == MAX_CPUS)
			too_many++;
		else if (!start(cpus_online(), apic_id))
			printk("CPU with APIC id %u: does not answer, left "
			       "out\n",
			       apic_id);
	}
	if (too_many)
		printk("CPUs: %u left out, this build runs %d\n", too_many,
		       MAX_CPUS);
	return cpus_online();
}
