/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPU has which APIC, and which CPUs are started. */
#include "roster.h"
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/printk.h>

static bool listed(const struct roster *roster, uint32_t apic_id)
{
	for (unsigned int cpu = 0; cpu < roster->nr; cpu++)
		if (roster->apic_id[cpu] == apic_id)
			return true;
	return false;
}

/* Return: true when the CPU runs now; false after a line that says why not. */
static bool start_one(const struct roster *roster, const struct apic *apic,
		      roster_start_fn start, uint32_t apic_id)
{
	const char *why = "does not answer";
	int err;

	if (apic_has_address(apic, apic_id))
		err = start(roster->nr, apic_id);
	else
		err = -ERANGE;
	if (!err)
		return true;
	if (err == -ERANGE)
		why = "has no address without x2APIC";
	else if (err == -ENOMEM)
		why = "no memory for it";
	printk("CPU with APIC id %u: %s, left out\n", apic_id, why);
	return false;
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
