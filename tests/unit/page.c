/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page descriptors: conversions, presence, what has to be mapped. */
#include <lib/test.h>
#include <mm/memblock.h>
#include <mm/page.h>
#include <mm/page_alloc.h>
#include <tests/unit/one_line.h>

#define MIB       (1UL << 20)
#define MAP_BYTES (MAX_BLOCK_PAGES * sizeof(struct page))

/* vmemmap address of the descriptors of the map block at @mib MiB. */
static va_t descriptors_at(unsigned long mib)
{
	return VMEMMAP_BASE + mib / 4 * MAP_BYTES;
}

TEST(page, conversions_agree)
{
	struct page *page = alloc_page(GFP_KERNEL);
	unsigned long pfn;

	REQUIRE_NOT_NULL(page);
	pfn = page_to_pfn(page);
	EXPECT_EQ(pfn_to_page(pfn), page);
	EXPECT_EQ(page_to_pa(page), pfn << PAGE_SHIFT);
	EXPECT_EQ(pa_to_page((pfn << PAGE_SHIFT) + 4095), page);
	EXPECT_EQ(page_address(page), pa_to_va(pfn << PAGE_SHIFT));
	EXPECT_EQ(virt_to_page((char *)page_address(page) + 4095), page);
	EXPECT(page_valid(page));
	EXPECT(pfn_valid(pfn));
	EXPECT(virt_addr_valid(page_address(page)));
	__free_page(page);
}

TEST(page, no_number_or_pointer_is_too_wild)
{
	struct page *page = alloc_page(GFP_KERNEL);

	REQUIRE_NOT_NULL(page);
	EXPECT(!pfn_valid(page_present_bits << MAX_ORDER));
	EXPECT(!pfn_valid(1UL << 40));
	EXPECT(!pfn_valid(~0UL));
	EXPECT(!virt_addr_valid(NULL));
	EXPECT(!virt_addr_valid((void *)1));
	EXPECT(!virt_addr_valid((void *)~0UL));
	EXPECT(!virt_addr_valid((void *)VMALLOC_START));
	EXPECT(!virt_addr_valid((void *)MODULES_START));
	EXPECT(!page_valid(NULL));
	EXPECT(!page_valid((void *)((char *)page + 8)));
	EXPECT(!page_valid((void *)((char *)page - 1)));
	EXPECT(!page_valid((void *)~31UL));
	EXPECT(!page_valid(page_address(page)));
	__free_page(page);
}

TEST(page, all_memory_has_descriptors)
{
	for (unsigned int i = 0; i < memblock.memory.nr; i++) {
		const struct memblock_range *r = &memblock.memory.range[i];

		EXPECT(pfn_valid(r->start >> PAGE_SHIFT));
		EXPECT(pfn_valid((r->end - 1) >> PAGE_SHIFT));
	}
}

/* Below the first hole the answer is known without it. */
TEST(page, map_of_descriptors_begins_without_a_hole)
{
	unsigned long blocks = page_first_hole >> MAX_ORDER;

	EXPECT_GT(blocks, 0);
	EXPECT_EQ(page_first_hole % MAX_BLOCK_PAGES, 0);
	for (unsigned long b = 0; b < page_present_bits; b++) {
		bool present = page_present[b / 64] >> (b % 64) & 1;

		EXPECT_EQ(pfn_valid(b << MAX_ORDER), present);
		if (b <= blocks)
			EXPECT_EQ(present, b < blocks);
	}
}

TEST(page, descriptors_come_in_whole_blocks)
{
	static struct memblock mb;
	va_t start, end;

	memblock_init(&mb);
	memblock_add(&mb, MIB, MIB / 2);
	memblock_add(&mb, 2 * MIB, MIB);
	memblock_add(&mb, 7 * MIB, MIB);
	memblock_add(&mb, 100 * MIB, 4 * MIB);
	memblock_add(&mb, 111 * MIB, 2 * MIB);
	REQUIRE(vmemmap_next(&mb, 0, &start, &end));
	EXPECT_EQ(start, descriptors_at(0));
	EXPECT_EQ(end, descriptors_at(8));
	REQUIRE(vmemmap_next(&mb, end, &start, &end));
	EXPECT_EQ(start, descriptors_at(100));
	EXPECT_EQ(end, descriptors_at(104));
	REQUIRE(vmemmap_next(&mb, end, &start, &end));
	EXPECT_EQ(start, descriptors_at(108));
	EXPECT_EQ(end, descriptors_at(116));
	EXPECT(!vmemmap_next(&mb, end, &start, &end));
	memblock_init(&mb);
	EXPECT(!vmemmap_next(&mb, 0, &start, &end));
}

TEST(page, references)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, 2);

	REQUIRE_NOT_NULL(page);
	EXPECT_EQ(page_ref_count(page), 1);
	get_page(page + 3);
	EXPECT_EQ(page_ref_count(page), 2);
	EXPECT_EQ(page_ref_count(page + 1), 2);
	put_page(page + 1);
	EXPECT_EQ(page_ref_count(page), 1);
	put_page(page + 2);
	EXPECT_EQ(page->type == PAGE_USED, false);
	EXPECT(buddy_verify());
}

TEST(page, head_is_found_from_any_address)
{
	for (unsigned int order = 0; order < 4; order++) {
		char *p = __get_free_pages(GFP_KERNEL | __GFP_COMP, order);
		struct page *head;

		REQUIRE_NOT_NULL(p);
		head = virt_to_page(p);
		for (unsigned int i = 0; i < PAGE_SIZE << order; i += 511) {
			EXPECT_EQ(virt_to_head_page(p + i), head);
			EXPECT_EQ(compound_head(virt_to_page(p + i)), head);
		}
		free_pages(p, order);
		EXPECT_EQ(virt_to_head_page(p), virt_to_page(p));
	}
}

TEST(page, type_names)
{
	EXPECT_STREQ(page_type_name(PAGE_NONE), "none");
	EXPECT_STREQ(page_type_name(PAGE_TAIL), "tail");
	EXPECT_STREQ(page_type_name(PAGE_TAIL + 1), "unknown");
}
