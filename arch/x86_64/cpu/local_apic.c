/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The local APICs of this machine, and what its CPUs send each other. */
#include "local_apic.h"
#include <arch/percpu.h>
#include <arch/smp.h>
#include <common/ipi.h>
#include <cpuid.h>
#include <lib/shake.h>
#include <machine/regs.h>

#define CPUID_APIC   (1U << 9)  /* leaf 1, edx */
#define CPUID_X2APIC (1U << 21) /* leaf 1, ecx */

static uint64_t msr_read(uint32_t msr)
{
	return read_msr(msr);
}

/* Not before what was written to memory can be seen by the CPU that an
 * interrupt goes to. */
static void msr_write(uint32_t msr, uint64_t value)
{
	__asm__ volatile("mfence; lfence" : : : "memory");
	write_msr(msr, value);
}

struct apic local_apic = {
	.read_msr = msr_read,
	.write_msr = msr_write,
};

static bool works;

static DEFINE_PER_CPU(unsigned long, nr_sent);

static bool cpu_has_apic(bool *x2apic)
{
	uint32_t a, b, c = 0, d = 0;

	__get_cpuid(1, &a, &b, &c, &d);
	*x2apic = c & CPUID_X2APIC;
	return d & CPUID_APIC;
}

bool local_apic_init(va_t regs)
{
	bool x2apic;

	local_apic.regs = (volatile uint32_t *)regs;
	works = cpu_has_apic(&x2apic) && apic_switch_on(&local_apic, x2apic);
	if (works)
		apic_enable(&local_apic, VECTOR_SPURIOUS);
	return works;
}

void local_apic_init_cpu(void)
{
	struct apic mine = local_apic;

	apic_switch_on(&mine, local_apic.x2);
	apic_enable(&local_apic, VECTOR_SPURIOUS);
}

bool local_apic_works(void)
{
	return works;
}

static void send(unsigned int cpu, uint32_t what)
{
	unsigned long flags = irq_save();

	shake(SHAKE_IPI);
	this_cpu_inc(nr_sent);
	apic_send(&local_apic, smp_apic_id(cpu), what);
	irq_restore(flags);
}

void ipi_send(unsigned int cpu, enum interrupt_vector vector)
{
	send(cpu, APIC_SEND_VECTOR(vector));
}

void ipi_send_call(unsigned int cpu)
{
	ipi_send(cpu, VECTOR_CALL);
}

static noinline void send_tlb_to_each(uint64_t cpus)
{
	for (; cpus; cpus &= cpus - 1)
		apic_send(&local_apic, smp_apic_id(lowest_bit(cpus)),
			  APIC_SEND_VECTOR(VECTOR_TLB));
}

/* All at once where they are all there are. */
void ipi_send_tlb(uint64_t cpus)
{
	shake(SHAKE_IPI);
	if (likely((cpus | this_cpu_bit()) == cpu_online_bits &&
		   roster_online.complete && !local_apic.x2))
		apic_send(&local_apic, 0,
			  APIC_ALL_OTHERS | APIC_SEND_VECTOR(VECTOR_TLB));
	else
		send_tlb_to_each(cpus);
}

void ipi_send_nmi(unsigned int cpu)
{
	send(cpu, APIC_SEND_NMI);
}

unsigned long ipis_sent(unsigned int cpu)
{
	return *per_cpu_ptr(&nr_sent, cpu);
}
