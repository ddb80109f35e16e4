/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPUs that the firmware tells of, brought into use. */
#ifndef KERNEL_CPUS_H
#define KERNEL_CPUS_H

#include <arch/boot_info.h>
#include <kernel/firmware.h>

/*
 * Start the CPUs that @firmware names, as many as the boot parameter cpus=
 * permits, and say how many run. Interrupts are on afterwards.
 * Context: boot, after mm_init() and the clock.
 */
void cpus_start(const struct boot_info *info, const struct firmware *firmware);

#endif
