/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hand-over at boot stops when free memory meets what is taken. */
#include <lib/test.h>
#include <machine/forked.h>
#include <mm/page_alloc.h>

#define MIB (1UL << 20)

static struct boot_info info;
static struct memblock mb;

static void hand_over(void)
{
	page_alloc_init(&info, &mb);
}

/* Hand [64 MiB, 68 MiB) over, in a copy of the process. */
static void run(char *output, size_t size)
{
	memblock_init(&mb);
	memblock_add(&mb, 64 * MIB, 4 * MIB);
	hosted_run_forked(hand_over, output, size);
}

TEST(page_alloc_boot, free_memory_meets_what_is_taken)
{
	char output[4096];

	info = (struct boot_info){.nr_modules = 1};
	info.modules[0].start = 68 * MIB - 1;
	info.modules[0].end = 70 * MIB;
	run(output, sizeof(output));
	EXPECT_CONTAINS(output, "meets a boot module [0x43fffff, 0x4600000)");

	info = (struct boot_info){.handoff_start = 63 * MIB,
				  .handoff_end = 64 * MIB + 1};
	run(output, sizeof(output));
	EXPECT_CONTAINS(output, "meets the loader's data");

	info = (struct boot_info){.nr_map = 1};
	info.map[0] = (struct mem_range){65 * MIB, 66 * MIB, MEM_ACPI_NVS};
	run(output, sizeof(output));
	EXPECT_CONTAINS(output, "meets a firmware range");

	memblock_add(&mb, MIB / 2, MIB);
	info = (struct boot_info){.nr_map = 0};
	hosted_run_forked(hand_over, output, sizeof(output));
	EXPECT_CONTAINS(output, "meets the first MiB");
}
