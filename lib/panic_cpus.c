/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other CPUs when one panics. Each only notes where it was, for the CPU
 * that panics to print: messages of several CPUs would mix, and the one that
 * was stopped may hold a lock that printing needs.
 */
#include <arch/smp.h>
#include <lib/panic_cpus.h>
#include <lib/printk.h>
#include <lib/spinlock.h>
#include <lib/symbols.h>

#define MAX_DEPTH 16

/* Written by the CPU that is being stopped, read when it has been. */
static struct {
	uintptr_t pc;
	uintptr_t callers[MAX_DEPTH];
	size_t depth;
} place;

static void note_place(unsigned int cpu, uintptr_t pc, const void *frame)
{
	place.pc = pc;
	place.depth = 0;
	if (frame)
		place.depth = arch_backtrace(frame, place.callers, MAX_DEPTH);
}

void panic_stop_cpus(void)
{
	uint64_t me = cpumask_of(cpu_id()).bits;
	cpumask_t others = {cpu_online_mask().bits & ~me};
	unsigned int cpu;

	for_each_cpu(cpu, others) {
		if (cpu_stop(cpu, note_place)) {
			printk("CPU %u was at %pS\n", cpu, (void *)place.pc);
			panic_print_context(cpu);
			backtrace_print_pcs(place.callers, place.depth);
		} else {
			printk("CPU %u does not answer\n", cpu);
		}
		spin_print_cpu(cpu);
	}
}
