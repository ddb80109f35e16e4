/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ACPI tells of the machine, kept beyond the early page tables. */
#include <arch/clock.h>
#include <kernel/firmware.h>
#include <lib/errno.h>
#include <lib/param.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <mm/kernel_map.h>
#include <mm/node.h>

/* Where the local APIC's registers are when no table says otherwise. */
#define LOCAL_APIC_DEFAULT 0xfee00000UL

#define HPET_SIZE       1024
#define LOCAL_APIC_SIZE PAGE_SIZE

static enum clock_kind wanted_clock = CLOCK_NS;

static int set_clock(const char *value)
{
	if (strcmp(value, "ns") == 0)
		wanted_clock = CLOCK_NS;
	else if (strcmp(value, "instructions") == 0)
		wanted_clock = CLOCK_INSTRUCTIONS;
	else
		return -EINVAL;
	return 0;
}
PARAM_FN("clock", set_clock,
	 "what the clock counts: ns (default) or instructions");

/* The nodes that SRAT and SLIT tell of. */
static void read_nodes(const struct acpi *acpi)
{
	static struct acpi_affinity affinity;
	static struct acpi_distances distances;
	bool srat = !acpi_affinity(acpi, &affinity);
	bool slit = srat && !acpi_distances(acpi, &distances);

	if (affinity.dropped + distances.dropped)
		printk("nodes: SRAT: %u entries of no use; SLIT: %u domains "
		       "too many\n",
		       affinity.dropped, distances.dropped);
	srat = srat &&
	       !node_map_build(&node_map, &affinity, slit ? &distances : NULL);
	printk("nodes: %u, %s\n", nr_nodes(),
	       !srat  ? "as no SRAT tells of more"
	       : slit ? "by SRAT and SLIT"
		      : "by SRAT, all equally far");
}

void firmware_read(const struct boot_info *info, struct firmware *firmware)
{
	struct acpi acpi;

	if (!info->rsdp)
		printk("ACPI: the loader names no tables\n");
	if (!info->rsdp || acpi_open(&acpi, info->rsdp, boot_phys_read, NULL))
		return;
	acpi_cpus(&acpi, &firmware->cpus);
	acpi_hpet(&acpi, &firmware->hpet);
	acpi_pm_timer(&acpi, &firmware->pm_timer);
	if (firmware->cpus.dropped)
		printk("ACPI: %u entries for CPUs left out: beyond %d, or not "
		       "valid\n",
		       firmware->cpus.dropped, ACPI_MAX_CPUS);
	printk("ACPI: %u CPUs, HPET %s, PM timer %s\n", firmware->cpus.nr,
	       firmware->hpet.pa ? "yes" : "no",
	       firmware->pm_timer.port ? "yes" : "no");
	read_nodes(&acpi);
}

va_t firmware_map_local_apic(const struct firmware *firmware)
{
	static va_t mapped;
	pa_t apic = firmware->cpus.local_apic;

	if (!mapped)
		mapped = kernel_map_device(apic ? apic : LOCAL_APIC_DEFAULT,
					   LOCAL_APIC_SIZE);
	return mapped;
}

void firmware_start_clock(const struct firmware *firmware)
{
	struct clock_hardware hw = {
		.pm_timer_port = firmware->pm_timer.port,
		.pm_timer_32bit = firmware->pm_timer.bits == 32,
	};

	if (wanted_clock == CLOCK_NS) {
		if (firmware->hpet.pa)
			hw.hpet =
				kernel_map_device(firmware->hpet.pa, HPET_SIZE);
		hw.local_apic = firmware_map_local_apic(firmware);
	}
	clock_init(wanted_clock, &hw);
}
