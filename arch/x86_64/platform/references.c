/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The four timers of a PC that the clock can be calibrated by:
 *
 *   HPET         says its own rate, 10 to 100 MHz
 *   PM timer     3.579545 MHz, a port that ACPI tells
 *   PIT          1.193182 MHz, channel 2, whose gate is at port 0x61
 *   local APIC   runs at the bus clock, which nothing tells; emulators and
 *                hypervisors take 1.00 GHz, and so do we, for want of better
 */
#include "references.h"
#include <machine/io.h>

/* HPET registers, byte offsets (IA-PC HPET specification, 2.3). */
#define HPET_PERIOD     0x004 /* femtoseconds per tick */
#define HPET_CONFIG     0x010
#define HPET_COUNTER    0x0f0
#define HPET_ENABLE     1U
#define HPET_PERIOD_MAX 100000000U
#define FS_PER_S        1000000000000000UL

static uint64_t hpet_read(const struct reference *ref)
{
	return mmio_read32(ref->regs + HPET_COUNTER);
}

static bool hpet_start(const struct clock_hardware *hw, struct reference *ref)
{
	uint32_t period;

	if (!hw->hpet)
		return false;
	period = mmio_read32(hw->hpet + HPET_PERIOD);
	if (period == 0 || period > HPET_PERIOD_MAX)
		return false;
	mmio_write32(hw->hpet + HPET_CONFIG,
		     mmio_read32(hw->hpet + HPET_CONFIG) | HPET_ENABLE);
	*ref = (struct reference){
		.name = "hpet",
		.hz = FS_PER_S / period,
		.mask = UINT32_MAX,
		.regs = hw->hpet,
		.read = hpet_read,
	};
	return true;
}

#define PM_TIMER_HZ 3579545

static uint64_t pm_timer_read(const struct reference *ref)
{
	return inl(ref->port) & ref->mask;
}

static bool pm_timer_start(const struct clock_hardware *hw,
			   struct reference *ref)
{
	if (!hw->pm_timer_port)
		return false;
	*ref = (struct reference){
		.name = "pm-timer",
		.hz = PM_TIMER_HZ,
		.mask = hw->pm_timer_32bit ? UINT32_MAX : 0xffffff,
		.port = hw->pm_timer_port,
		.read = pm_timer_read,
	};
	return true;
}

#define PIT_HZ            1193182
#define PIT_COUNTER2      0x42
#define PIT_COMMAND       0x43
#define PIT_LATCH2        0x80
#define PIT_RATE2         0xb4 /* channel 2, low then high byte, mode 2 */
#define PIT_GATE          0x61
#define PIT_GATE_ON       1
#define PIT_GATE_SPEAKER  2
#define PIT_GATE_WRITABLE 0x0f /* the rest is status */

/* It counts down from 65536. */
static uint64_t pit_read(const struct reference *ref)
{
	unsigned int low, high;

	outb(PIT_COMMAND, PIT_LATCH2);
	low = inb(PIT_COUNTER2);
	high = inb(PIT_COUNTER2);
	return -(high << 8 | low) & ref->mask;
}

static void pit_stop(const struct reference *ref)
{
	(void)ref;
	outb(PIT_GATE, inb(PIT_GATE) & PIT_GATE_WRITABLE & ~PIT_GATE_ON);
}

static bool pit_start(const struct clock_hardware *hw, struct reference *ref)
{
	uint8_t gate = inb(PIT_GATE) & PIT_GATE_WRITABLE;

	(void)hw;
	outb(PIT_GATE, (gate | PIT_GATE_ON) & ~PIT_GATE_SPEAKER);
	outb(PIT_COMMAND, PIT_RATE2);
	outb(PIT_COUNTER2, 0);
	outb(PIT_COUNTER2, 0);
	*ref = (struct reference){
		.name = "pit",
		.hz = PIT_HZ,
		.mask = 0xffff,
		.read = pit_read,
		.stop = pit_stop,
	};
	return true;
}

/* Local APIC registers, byte offsets (Intel SDM vol. 3, 10.5.4). */
#define APIC_LVT_TIMER     0x320
#define APIC_LVT_MASKED    (1U << 16)
#define APIC_INITIAL_COUNT 0x380
#define APIC_CURRENT_COUNT 0x390
#define APIC_DIVIDE        0x3e0
#define APIC_DIVIDE_BY_1   0xb
#define APIC_ASSUMED_HZ    1000000000

/* It counts down from UINT32_MAX. */
static uint64_t apic_read(const struct reference *ref)
{
	return UINT32_MAX - mmio_read32(ref->regs + APIC_CURRENT_COUNT);
}

static void apic_stop(const struct reference *ref)
{
	mmio_write32(ref->regs + APIC_INITIAL_COUNT, 0);
}

static bool apic_start(const struct clock_hardware *hw, struct reference *ref)
{
	if (!hw->local_apic)
		return false;
	mmio_write32(hw->local_apic + APIC_LVT_TIMER, APIC_LVT_MASKED);
	mmio_write32(hw->local_apic + APIC_DIVIDE, APIC_DIVIDE_BY_1);
	mmio_write32(hw->local_apic + APIC_INITIAL_COUNT, UINT32_MAX);
	*ref = (struct reference){
		.name = "lapic",
		.hz = APIC_ASSUMED_HZ,
		.mask = UINT32_MAX,
		.regs = hw->local_apic,
		.read = apic_read,
		.stop = apic_stop,
	};
	return true;
}

const reference_start_fn reference_starts[] = {
	hpet_start, pm_timer_start, pit_start, apic_start, NULL,
};
