/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says of itself and of the machine at boot. */
#include <arch/clock.h>
#include <arch/machine.h>
#include <kernel/banner.h>
#include <lib/compiler.h>
#include <lib/printk.h>

#ifdef QUIRE_DEBUG
#	define BUILD_NAME "debug"
#else
#	define BUILD_NAME "release"
#endif

#ifdef __clang__
#	define COMPILER ""
#else
#	define COMPILER "gcc "
#endif

static const char *const type_names[] = {
	[MEM_USABLE] = "usable",
	[MEM_RESERVED] = "reserved",
	[MEM_ACPI_RECLAIM] = "ACPI tables",
	[MEM_ACPI_NVS] = "ACPI NVS",
	[MEM_BAD] = "bad",
};

void banner_print(const struct boot_info *info)
{
	printk("Quire: kernel memory, from page tables to vmalloc\n");
	printk("build: %s, %s%s\n", BUILD_NAME, COMPILER, __VERSION__);
	printk("boot: %s%s%s, words \"%s\"\n", info->protocol,
	       *info->loader ? ", " : "", info->loader, info->cmdline);
}

static void print_range(pa_t start, pa_t end, const char *what)
{
	printk("  0x%012lx-0x%012lx %10lu KiB %s\n", start, end,
	       (end - start) >> 10, what);
}

void banner_print_memory(const struct boot_info *info)
{
	pa_t start, end;

	printk("memory map: %u ranges\n", info->nr_map);
	for (unsigned int i = 0; i < info->nr_map; i++)
		print_range(info->map[i].start, info->map[i].end,
			    type_names[info->map[i].type]);
	if (info->nr_map_dropped)
		printk("memory map: %u entries refused\n",
		       info->nr_map_dropped);
	arch_image_range(&start, &end);
	print_range(start, end, "kernel image");
	for (unsigned int i = 0; i < info->nr_modules; i++)
		print_range(info->modules[i].start, info->modules[i].end,
			    info->modules[i].name);
	if (info->nr_modules_dropped)
		printk("modules: %u refused\n", info->nr_modules_dropped);
	if (info->framebuffer.pa)
		printk("framebuffer: %ux%u, %u bits, at %#lx\n",
		       info->framebuffer.width, info->framebuffer.height,
		       info->framebuffer.bpp, info->framebuffer.pa);
}

void banner_print_boot_time(uint64_t boot_ticks, uint64_t calibration_ticks,
			    uint64_t cpus_ticks)
{
	if (clock_kind() == CLOCK_INSTRUCTIONS)
		printk("boot: %lu instructions to the first test, and %lu to "
		       "start the CPUs\n",
		       boot_ticks, cpus_ticks);
	else
		printk("boot: %lu us to the first test, %lu us to start the "
		       "CPUs, and %lu us to measure the clock: %lu kHz by %s\n",
		       clock_ticks_to_ns(boot_ticks) / 1000,
		       clock_ticks_to_ns(cpus_ticks) / 1000,
		       clock_ticks_to_ns(calibration_ticks) / 1000,
		       clock_hz() / 1000, clock_source());
}
