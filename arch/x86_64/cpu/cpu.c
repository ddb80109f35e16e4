/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Setting up a CPU: its features, its control registers, its tables.
 *
 * A control-register bit that the CPU lacks must not be set (it faults, or
 * hangs in silence), so each one is asked for first.
 */
#include "../platform/pic.h"
#include "descriptors.h"
#include "local_apic.h"
#include "start.h"
#include <arch/cpumask.h>
#include <arch/tlb.h>
#include <cpuid.h>
#include <machine/cpu_init.h>
#include <machine/regs.h>
#include <stdatomic.h>

#define CPUID_HYPERVISOR 0x40000000

/* Bit i: CPU i. They come online in order and stay, so the bits are the lowest
 * ones. */
_Atomic uint64_t cpu_online_bits = 1;

unsigned int cpus_online(void)
{
	return 64 - __builtin_clzll(cpu_online_mask().bits);
}

cpumask_t cpu_online_mask(void)
{
	return (cpumask_t){cpu_online_bits};
}

static bool emulated_by_tcg(uint32_t leaf1_ecx)
{
	uint32_t a, b, c, d;

	if (!(leaf1_ecx & 1U << 31)) /* no hypervisor */
		return false;
	__cpuid(CPUID_HYPERVISOR, a, b, c, d);
	return b == 0x54474354 /* "TCGT" */;
}

struct cpu_features cpu_features_read(void)
{
	struct cpu_features f = {0};
	uint32_t a, b, c, d;

	if (__get_cpuid(1, &a, &b, &c, &d)) {
		f.mce = d & 1U << 7;
		f.pge = d & 1U << 13;
		f.emulated = emulated_by_tcg(c);
	}
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
		f.smep = b & 1U << 7;
		f.smap = b & 1U << 20;
		f.umip = c & 1U << 2;
	}
	return f;
}

static void control_registers_init(const struct cpu_features *f)
{
	uint64_t cr4 = read_cr4();

	write_cr0(read_cr0() | CR0_WP | CR0_NE);
	cr4 |= f->mce ? CR4_MCE : 0;
	cr4 |= f->pge ? CR4_PGE : 0;
	cr4 |= f->umip ? CR4_UMIP : 0;
	cr4 |= f->smep ? CR4_SMEP : 0;
	cr4 |= f->smap ? CR4_SMAP : 0;
	write_cr4(cr4);
}

void cpu_init(void)
{
	struct cpu_features features = cpu_features_read();

	pic_disable();
	descriptors_load(0);
	control_registers_init(&features);
}

/* Its control registers are those of CPU 0: the trampoline loaded them. */
void cpu_init_started(unsigned int cpu)
{
	descriptors_load(cpu);
	local_apic_init_cpu();
}

/* A flush that does not reach this CPU, since it was not online when it was
 * asked for, comes before its own; others reach it from here on. */
void cpu_go_online(unsigned int cpu)
{
	atomic_fetch_or(&cpu_online_bits, cpumask_of(cpu).bits);
	tlb_flush_all_local();
}
