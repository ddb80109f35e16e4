/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ACPI tells of the machine, kept beyond the early page tables. */
#ifndef KERNEL_FIRMWARE_H
#define KERNEL_FIRMWARE_H

#include <arch/boot_info.h>
#include <lib/firmware/acpi.h>
#include <stdbool.h>

struct firmware {
	struct acpi_cpus cpus;         /* nr 0: not told */
	struct acpi_hpet hpet;         /* pa 0: none */
	struct acpi_pm_timer pm_timer; /* port 0: none */
};

/*
 * Read the tables behind the root that @info names. A missing or broken table
 * leaves its part zero, after one line when it is broken.
 * Context: boot, before the kernel's own page tables are in force: firmware
 * memory is not part of the direct map.
 */
void firmware_read(const struct boot_info *info, struct firmware *firmware);

/*
 * Map the registers of the local APIC, where @firmware says or at their usual
 * place; once, whoever asks.
 * Context: boot, after mm_init().
 * Return: their address; 0 after an error line.
 */
va_t firmware_map_local_apic(const struct firmware *firmware);

/*
 * Map the timers that @firmware names and start the clock with them, as the
 * boot parameter clock= asks.
 * Context: boot, after mm_init().
 */
void firmware_start_clock(const struct firmware *firmware);

#endif
