/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPU has which APIC, and which CPUs are started. */
#include "roster.h"
#include <lib/math.h>
#include <lib/printk.h>

struct roster roster_online = {.nr = 1};

uint32_t smp_apic_id(unsigned int cpu)
{
	return roster_online.apic_id[cpu];
}

static bool listed(const struct roster *roster, uint32_t apic_id)
{
	for (unsigned int cpu = 0; cpu < roster->nr; cpu++)
		if (roster->apic_id[cpu] == apic_id)
			return true;
	return false;
}

/* Return: true when the CPU runs now. */
static bool start_one(const struct roster *roster, const struct apic *apic,
		      roster_start_fn start, uint32_t apic_id)
{
	if (!apic_has_address(apic, apic_id)) {
		printk("CPU with APIC id %u: has no address without x2APIC, "
		       "left out\n",
		       apic_id);
		return false;
	}
	if (!start(roster->nr, apic_id)) {
		printk("CPU with APIC id %u: does not answer, left out\n",
		       apic_id);
		return false;
	}
	return true;
}

void roster_start(struct roster *roster, const struct smp_boot *boot,
		  const struct apic *apic, roster_start_fn start)
{
	unsigned int too_many = 0;
	bool complete = true;

	roster->complete = false;
	for (size_t i = 0; i < boot->nr; i++) {
		uint32_t apic_id = boot->cpus[i].apic_id;

		if (listed(roster, apic_id))
			continue;
		if (roster->nr < min(boot->max, (unsigned int)MAX_CPUS) &&
		    start_one(roster, apic, start, apic_id)) {
			roster->apic_id[roster->nr++] = apic_id;
			continue;
		}
		complete = false;
		too_many += roster->nr == MAX_CPUS;
	}
	roster->complete = complete;
	if (too_many)
		printk("CPUs: %u left out, this build runs %d\n", too_many,
		       MAX_CPUS);
}
