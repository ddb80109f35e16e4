/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boot order, from the machine's door to the verdict.
 *
 *   words       the kernel command line; needs no memory
 *   firmware    ACPI tables, while the early page tables reach them
 *   memory      memblock, the kernel's own page tables, the allocators
 *   clock       measured against a timer that ACPI named
 *   threads     this one, and an idle one
 *   CPUs        interrupts on, the others started; they wait for threads
 *   workers     threads that do what others put off
 *   work        suites, then timings, then the prompt or the end
 */
#include <arch/boot_info.h>
#include <arch/clock.h>
#include <arch/machine.h>
#include <kernel/banner.h>
#include <kernel/cpus.h>
#include <kernel/debug/watchdog.h>
#include <kernel/firmware.h>
#include <kernel/grace.h>
#include <kernel/mm_hooks.h>
#include <kernel/nodes.h>
#include <kernel/test_runner.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <kernel/work.h>
#include <kernel/workqueue.h>
#include <lib/param.h>
#include <lib/printk.h>
#include <mm/kernel_map.h>
#include <mm/mm.h>
#include <mm/node.h>

/*
 * Take the words of the command line. One that was cut is refused: what was
 * cut off might have mattered.
 */
static bool take_words(const struct boot_info *info)
{
	if (!info->cmdline_cut)
		return param_parse(info->cmdline) == 0;
	printk("command line: longer than %d bytes, which is all that is "
	       "taken\n",
	       BOOT_MAX_CMDLINE - 1);
	return false;
}

/* Build the kernel's page tables and translate through them. */
static bool switch_page_tables(const struct boot_info *info)
{
	size_t nr;
	const struct image_section *sections = arch_image_sections(&nr);
	pa_t root = kernel_map_build(info, sections, nr, &memblock);

	if (root)
		arch_set_root_table(root);
	return root != 0;
}

static bool start_memory(const struct boot_info *info)
{
	if (mm_early_init(info) || !switch_page_tables(info))
		return false;
	mm_init(info);
	return true;
}

/* What runs on in threads once the CPUs run. */
static bool start_workers(void)
{
	if (!workqueue_init() || !grace_init())
		return false;
	kernel_mm_hooks_init();
	test_runner_init();
	return true;
}

_Noreturn void kernel_main(const struct boot_info *info)
{
	struct firmware firmware = {0};

	banner_print(info);
	banner_print_memory(info);
	if (!take_words(info))
		machine_exit(MACHINE_FAILED);
	firmware_read(info, &firmware);
	if (!start_memory(info))
		machine_exit(MACHINE_FAILED);
	uint64_t booted = clock_ticks() - info->start_ticks;
	uint64_t started = clock_ticks();
	firmware_start_clock(&firmware);
	uint64_t clock_cost = clock_ticks() - started;

	timer_init();
	if (!thread_init())
		machine_exit(MACHINE_FAILED);
	started = clock_ticks();
	cpus_start(info, &firmware);
	kernel_purge_init();
	uint64_t cpus_cost = clock_ticks() - started;
	if (nr_nodes() > 1)
		nodes_print();

	if (!start_workers())
		machine_exit(MACHINE_FAILED);
	watchdog_start();
	banner_print_boot_time(booted, clock_cost, cpus_cost);
	machine_exit(work_run(info->cmdline) ? MACHINE_PASSED : MACHINE_FAILED);
}
