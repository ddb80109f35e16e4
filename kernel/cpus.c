/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUs that the firmware tells of, brought into use: which ones, where
 * their memory comes from, and what they do then.
 */
#include <arch/smp.h>
#include <kernel/cpus.h>
#include <kernel/sched.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/param.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <mm/node.h>
#include <mm/pcp.h>
#include <mm/vmalloc.h>

#define LOW_MEMORY_END (1UL << 20)

static unsigned int max_cpus = MAX_CPUS;

static int set_cpus(const char *value)
{
	uint64_t n;

	if (parse_u64(value, &n) || n == 0 || n > MAX_CPUS)
		return -EINVAL;
	max_cpus = n;
	return 0;
}

static_assert(MAX_CPUS == 64, "as the help says");
PARAM_FN("cpus", set_cpus, "how many CPUs to use at most, 1 to 64");

static bool overlaps_module(const struct boot_info *info, pa_t page)
{
	for (unsigned int i = 0; i < info->nr_modules; i++)
		if (info->modules[i].start < page + PAGE_SIZE &&
		    page < info->modules[i].end)
			return true;
	return false;
}

/*
 * A page where a CPU can start in real mode: RAM below 1 MiB, which is never
 * given out, but not the first page, where the firmware's vectors are.
 * Return: 0 when there is none.
 */
static pa_t find_low_page(const struct boot_info *info)
{
	for (unsigned int i = 0; i < info->nr_map; i++) {
		const struct mem_range *r = &info->map[i];

		if (r->type != MEM_USABLE)
			continue;
		for (pa_t page = max(r->start, (pa_t)PAGE_SIZE);
		     page + PAGE_SIZE <= min(r->end, (pa_t)LOW_MEMORY_END);
		     page += PAGE_SIZE)
			if (!overlaps_module(info, page))
				return page;
	}
	return 0;
}

/* Every area of vmalloc space has an unmapped page behind it, so another is
 * always below. */
static va_t alloc_memory(size_t size)
{
	return (va_t)vmalloc(size);
}

static void free_memory(va_t va)
{
	vfree((void *)va);
}

/* Return: the CPUs of @firmware that run or may be started, in @cpus. */
static size_t list_cpus(const struct firmware *firmware,
			struct smp_cpu cpus[ACPI_MAX_CPUS])
{
	size_t nr = 0;

	for (unsigned int i = 0; i < firmware->cpus.nr; i++)
		if (firmware->cpus.cpu[i].enabled)
			cpus[nr++].apic_id = firmware->cpus.cpu[i].apic_id;
	return nr;
}

void cpus_start(const struct boot_info *info, const struct firmware *firmware)
{
	static struct smp_cpu cpus[ACPI_MAX_CPUS];
	struct smp_boot boot = {
		.cpus = cpus,
		.nr = list_cpus(firmware, cpus),
		.max = max_cpus,
		.local_apic = firmware_map_local_apic(firmware),
		.low_page = find_low_page(info),
		.alloc = alloc_memory,
		.free = free_memory,
		.entry = sched_enter_cpu,
	};
	unsigned int online = smp_start(&boot);

	for (unsigned int cpu = 0; cpu < online; cpu++)
		node_add_cpu(cpu, smp_apic_id(cpu));
	pcp_nodes_changed();
	if (online < boot.nr)
		printk("CPUs: %u online, of %zu\n", online, boot.nr);
	else
		printk("CPUs: %u online\n", online);
}
