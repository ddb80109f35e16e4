/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hosted machine's physical memory: where it is, and where it is not. */
#include <arch/boot_info.h>
#include <arch/page.h>
#include <arch/pte.h>
#include <lib/test.h>
#include <mm/page_alloc.h>

#define HOLE_START 0x9f000UL
#define HOLE_END   0x100000UL

TEST(hosted_ram, physical_reads_end_at_the_hole)
{
	uint64_t value = 0;
	uint64_t *page = get_zeroed_page(GFP_KERNEL);

	REQUIRE_NOT_NULL(page);
	*page = 0x1234;
	EXPECT(boot_phys_read(NULL, va_to_pa(page), &value, sizeof(value)));
	EXPECT_EQ(value, 0x1234);
	EXPECT(!boot_phys_read(NULL, HOLE_START, &value, 1));
	EXPECT(!boot_phys_read(NULL, HOLE_START - 4, &value, 8));
	EXPECT(boot_phys_read(NULL, HOLE_START - 8, &value, 8));
	EXPECT(!boot_phys_read(NULL, HOLE_END - 1, &value, 1));
	EXPECT(boot_phys_read(NULL, HOLE_END, &value, 1));
	EXPECT(!boot_phys_read(NULL, va_to_pa(page), &value, SIZE_MAX));
	EXPECT(!boot_phys_read(NULL, UINT64_MAX, &value, 1));
	free_pages(page, 0);
}

TEST(hosted_ram, root_table_is_memory)
{
	uint64_t entry;

	EXPECT(boot_phys_read(NULL, va_to_pa(arch_root_table()), &entry, 8));
}
