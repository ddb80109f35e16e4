/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 8: what the machine was handed at boot, machine-neutral,
 * and the door through which the kernel is entered with it.
 */
#ifndef ARCH_BOOT_INFO_H
#define ARCH_BOOT_INFO_H

#include <arch/page.h>
#include <stdbool.h>

enum mem_type {
	MEM_USABLE,
	MEM_RESERVED, /* and every type unknown to us */
	MEM_ACPI_RECLAIM,
	MEM_ACPI_NVS,
	MEM_BAD,
};

struct mem_range {
	pa_t start, end; /* bytes, half-open */
	enum mem_type type;
};

#define BOOT_MAX_RANGES  128
#define BOOT_MAX_MODULES 8
#define BOOT_MAX_CMDLINE 2048
#define BOOT_MAX_NAME    64

struct boot_module {
	pa_t start, end;
	char name[BOOT_MAX_NAME]; /* its command line, cut to fit */
};

struct boot_framebuffer {
	pa_t pa; /* 0: none */
	uint32_t pitch, width, height;
	uint8_t bpp;
};

struct boot_info {
	const char *protocol; /* "multiboot2", "pvh", "hosted" */
	char loader[BOOT_MAX_NAME];
	char cmdline[BOOT_MAX_CMDLINE];
	bool cmdline_cut; /* the loader's was longer */

	/*
	 * The memory map, normalised: sorted, disjoint, usable ranges page
	 * aligned; where entries overlapped the more restrictive type won.
	 */
	struct mem_range map[BOOT_MAX_RANGES];
	unsigned int nr_map;
	unsigned int nr_map_dropped; /* entries refused: empty, wrapping, … */

	pa_t rsdp; /* ACPI root; 0: none told */
	struct boot_module modules[BOOT_MAX_MODULES];
	unsigned int nr_modules;
	unsigned int nr_modules_dropped;
	struct boot_framebuffer framebuffer;

	pa_t handoff_start, handoff_end; /* the loader's own structures */
	uint64_t start_ticks; /* the clock at the kernel's first instruction */
};

/*
 * Copy @n bytes of physical memory at @pa to @buf. @ctx is not used: the
 * signature is that of the firmware parsers' readers.
 * Context: boot only, before the kernel's own page tables are in force.
 * Return: false, nothing copied, where the early tables do not reach.
 */
bool boot_phys_read(void *ctx, pa_t pa, void *buf, size_t n);

/* The kernel proper: entered once, by the machine, with interrupts off. */
_Noreturn void kernel_main(const struct boot_info *info);

#endif
