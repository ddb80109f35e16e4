/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says of itself and of the machine at boot. */
#ifndef KERNEL_BANNER_H
#define KERNEL_BANNER_H

#include <arch/boot_info.h>

/* The kernel's first line, its build, who loaded it with what words. */
void banner_print(const struct boot_info *info);

/* The memory map, modules and framebuffer that the loader told of. */
void banner_print_memory(const struct boot_info *info);

/* What the boot cost up to now, in clock ticks: all but the calibration of the
 * clock and the start of the CPUs, and each of these. An emulator that counts
 * instructions leaps ahead when a CPU is started. */
void banner_print_boot_time(uint64_t boot_ticks, uint64_t calibration_ticks,
			    uint64_t cpus_ticks);

#endif
