/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers of a local APIC, in memory or as MSRs. */
#include "apic.h"
#include <stddef.h>

#define XAPIC_BROADCAST UINT8_MAX

bool apic_switch_on(struct apic *apic, bool x2apic)
{
	uint64_t base = apic->read_msr(MSR_APIC_BASE);

	apic->x2 = false;
	if (!(base & MSR_APIC_BASE_ON))
		return false;
	/* There is no way back but a reset, and firmware may have gone. */
	if (x2apic || base & MSR_APIC_BASE_X2) {
		if (!(base & MSR_APIC_BASE_X2))
			apic->write_msr(MSR_APIC_BASE, base | MSR_APIC_BASE_X2);
		apic->x2 = true;
	}
	return apic->x2 || apic->regs;
}

void apic_enable(const struct apic *apic, uint8_t spurious)
{
	apic_write(apic, APIC_LVT_TIMER, APIC_LVT_MASKED);
	apic_write(apic, APIC_LVT_ERROR, APIC_LVT_MASKED);
	apic_write(apic, APIC_TASK_PRIORITY, 0); /* all pass */
	apic_write(apic, APIC_SPURIOUS, APIC_SOFTWARE_ON | spurious);
}

uint32_t apic_id(const struct apic *apic)
{
	uint32_t id = apic_read(apic, APIC_ID);

	return apic->x2 ? id : id >> XAPIC_ID_SHIFT;
}

bool apic_has_address(const struct apic *apic, uint32_t id)
{
	return apic->x2 ? id != UINT32_MAX : id < XAPIC_BROADCAST;
}
