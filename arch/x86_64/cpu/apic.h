/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers of a local APIC (Intel SDM vol. 3, 10), the part of each CPU
 * that takes interrupts and sends them to other CPUs. They are reached in one
 * of two ways, which software chooses:
 *
 *   xAPIC    in memory; ids have 8 bits
 *   x2APIC   as model-specific registers; ids have 32 bits
 *
 * All that differs is here, and how a register is touched in the end can be
 * replaced: @regs may be any memory, and the MSRs are read and written through
 * pointers. So both ways are tested on machines that have neither.
 */
#ifndef X86_64_APIC_H
#define X86_64_APIC_H

#include <arch/cpu.h>
#include <lib/compiler.h>
#include <stdbool.h>
#include <stdint.h>

/* Byte offsets in memory; 16 times the distance from the first MSR. */
enum apic_reg {
	APIC_ID = 0x020,
	APIC_TASK_PRIORITY = 0x080,
	APIC_EOI = 0x0b0,
	APIC_SPURIOUS = 0x0f0,
	APIC_ICR_LOW = 0x300, /* in x2APIC mode all 64 bits of it */
	APIC_ICR_HIGH = 0x310,
	APIC_LVT_TIMER = 0x320,
	APIC_LVT_ERROR = 0x370,
	APIC_TIMER_INITIAL = 0x380,
	APIC_TIMER_CURRENT = 0x390,
	APIC_TIMER_DIVIDE = 0x3e0,
};

#define APIC_REGS_SIZE      4096       /* bytes of the registers in memory */
#define APIC_SOFTWARE_ON    (1U << 8)  /* in APIC_SPURIOUS */
#define APIC_LVT_MASKED     (1U << 16) /* in each APIC_LVT_… */
#define APIC_TIMER_PERIODIC (1U << 17) /* in APIC_LVT_TIMER */
#define APIC_DIVIDE_BY_1    0xb        /* in APIC_TIMER_DIVIDE */

#define XAPIC_ID_SHIFT 24 /* in APIC_ID and APIC_ICR_HIGH, in memory */

/* What can be sent. */
#define APIC_SEND_VECTOR(vector) (0x04000U | (vector))
#define APIC_SEND_NMI            0x04400U
#define APIC_SEND_INIT           0x04500U /* to its state after a reset */
#define APIC_SEND_STARTUP(page)  (0x04600U | (page)) /* run at page << 12 */
#define APIC_SENDING             (1U << 12)          /* not accepted yet */

/* With a vector: to every APIC but this one, of CPUs in use or not. */
#define APIC_ALL_OTHERS 0xc0000U

#define MSR_APIC_BASE    0x1b
#define MSR_APIC_BASE_X2 (1U << 10)
#define MSR_APIC_BASE_ON (1U << 11)
#define MSR_X2APIC(reg)  (0x800 + (reg) / 16)

struct apic {
	bool x2; /* reached through MSRs */
	volatile uint32_t *regs;
	uint64_t (*read_msr)(uint32_t msr);
	void (*write_msr)(uint32_t msr, uint64_t value);
};

static inline uint32_t apic_read(const struct apic *apic, enum apic_reg reg)
{
	if (unlikely(apic->x2))
		return apic->read_msr(MSR_X2APIC(reg));
	return apic->regs[reg / sizeof(*apic->regs)];
}

static inline void apic_write(const struct apic *apic, enum apic_reg reg,
			      uint32_t value)
{
	if (unlikely(apic->x2))
		apic->write_msr(MSR_X2APIC(reg), value);
	else
		apic->regs[reg / sizeof(*apic->regs)] = value;
}

/*
 * Switch on this CPU's APIC: by MSRs if the CPU has @x2apic, which @apic->x2
 * then says, else in memory at @apic->regs.
 * Context: each CPU, interrupts off.
 * Return: false when there is none that could be used: it is switched off, or
 * in memory and @apic->regs NULL.
 */
bool apic_switch_on(struct apic *apic, bool x2apic);

/* Let this CPU's APIC pass interrupts; @spurious: the vector of those that
 * were withdrawn. Context: as above. */
void apic_enable(const struct apic *apic, uint8_t spurious);

/* This CPU's id. Any context. */
uint32_t apic_id(const struct apic *apic);

/* Can an APIC with this id be sent to? All bits set means all of them. */
bool apic_has_address(const struct apic *apic, uint32_t id);

static inline void apic_send_in_memory(volatile uint32_t *regs, uint32_t high,
				       uint32_t low)
{
	while (regs[APIC_ICR_LOW / sizeof(*regs)] & APIC_SENDING)
		cpu_relax();
	regs[APIC_ICR_HIGH / sizeof(*regs)] = high;
	regs[APIC_ICR_LOW / sizeof(*regs)] = low;
}

/*
 * Send @what, an APIC_SEND_…, to the APIC @id, which APIC_ALL_OTHERS overrides.
 * The MSR takes a command at once. In memory writing the low half sends, and
 * must not happen while the command before is on its way.
 * Context: interrupts off.
 */
static inline void apic_send(const struct apic *apic, uint32_t id,
			     uint32_t what)
{
	if (unlikely(apic->x2))
		apic->write_msr(MSR_X2APIC(APIC_ICR_LOW),
				(uint64_t)id << 32 | what);
	else
		apic_send_in_memory(apic->regs, id << XAPIC_ID_SHIFT, what);
}

/* The interrupt that runs is done with. Context: its handler. */
static inline void apic_end_of_interrupt(const struct apic *apic)
{
	apic_write(apic, APIC_EOI, 0);
}

#endif
