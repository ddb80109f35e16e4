/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's address space, built a second time for an invented machine, in
 * a tree that no CPU uses: a memory map with holes, an image of four sections.
 */
#include <lib/errno.h>
#include <lib/string.h>
#include <mm/kernel_map.h>
#include <mm/page_alloc.h>
#include <mm/pgtable.h>
#include <tests/unit/one_line.h>

#define MIB         (1UL << 20)
#define IMAGE       ((va_t)0xffffffff80000000) /* va of physical 0 */
#define CHUNK_ORDER 8                          /* memory for descriptors */
#define LOWER_HALF  (1UL << 47)
#define UPPER_HALF  (-(1UL << 47))

static struct boot_info info;
static struct memblock mb;
static struct page *chunk;

static const struct image_section sections[] = {
	{"text", IMAGE + MIB, MIB, 16 * PAGE_SIZE, PAGE_KERNEL_ROX},
	{"rodata", IMAGE + MIB + 16 * PAGE_SIZE, MIB + 16 * PAGE_SIZE,
	 8 * PAGE_SIZE, PAGE_KERNEL_RO},
	{"data", IMAGE + MIB + 24 * PAGE_SIZE, MIB + 24 * PAGE_SIZE,
	 8 * PAGE_SIZE, PAGE_KERNEL},
	{"bss", IMAGE + MIB + 40 * PAGE_SIZE, MIB + 40 * PAGE_SIZE,
	 4 * PAGE_SIZE, PAGE_KERNEL},
};

static const struct mem_range map[] = {
	{0, 0x9f000, MEM_USABLE},
	{0x9f000, MIB, MEM_RESERVED},
	{MIB, 64 * MIB, MEM_USABLE},
	{64 * MIB, 64 * MIB + 0x4800, MEM_ACPI_RECLAIM},
	{64 * MIB + 0x4800, 64 * MIB + 0x6000, MEM_ACPI_NVS},
	{65 * MIB, 66 * MIB, MEM_RESERVED},
	{66 * MIB, 67 * MIB, MEM_BAD},
	{4096 * MIB, 7000 * MIB, MEM_USABLE},
};

static void setup(void)
{
	memset(&info, 0, sizeof(info));
	memcpy(info.map, map, sizeof(map));
	info.nr_map = ARRAY_SIZE(map);
	chunk = alloc_pages(GFP_KERNEL | __GFP_DMA32, CHUNK_ORDER);
	REQUIRE_NOT_NULL(chunk);
}

static void teardown(void)
{
	__free_pages(chunk, CHUNK_ORDER);
}

TEST_SUITE(kernel_map, .setup = setup, .teardown = teardown, .min_pages = 1024,
	   .why = "descriptors and tables");

/* Build with only the chunk for the early allocator. */
static pte_t *build(const struct image_section *s, size_t nr)
{
	pa_t root;

	memblock_init(&mb);
	memset(page_address(chunk), 0xff, PAGE_SIZE << CHUNK_ORDER);
	EXPECT_EQ(
		memblock_add(&mb, page_to_pa(chunk), PAGE_SIZE << CHUNK_ORDER),
		0);
	root = kernel_map_build(&info, s, nr, &mb);
	return root ? pa_to_va(root) : NULL;
}

static pa_t direct(const pte_t *root, pa_t pa)
{
	return pgtable_translate(root, DIRECT_MAP_BASE + pa);
}

/* Not by pgtable_translate(), to which page 0 is the same as nothing. */
static bool absent(const pte_t *root, va_t va)
{
	struct pgtable_range leaf;

	return !pgtable_walk(root, va, &leaf);
}

TEST(kernel_map, direct_map_is_all_memory_and_no_more)
{
	static const pa_t mapped[] = {PAGE_SIZE,
				      0x9e000,
				      MIB,
				      64 * MIB - PAGE_SIZE,
				      64 * MIB + 0x4000,
				      64 * MIB + 0x5000,
				      4096 * MIB,
				      7000 * MIB - PAGE_SIZE};
	static const pa_t holes[] = {
		0,        0x9f000,  MIB - PAGE_SIZE,        64 * MIB + 0x6000,
		65 * MIB, 66 * MIB, 4096 * MIB - PAGE_SIZE, 7000 * MIB};
	pte_t *root = build(sections, ARRAY_SIZE(sections));

	REQUIRE_NOT_NULL(root);
	for (unsigned int i = 0; i < ARRAY_SIZE(mapped); i++)
		EXPECT_EQ(direct(root, mapped[i]), mapped[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(holes); i++)
		EXPECT(absent(root, DIRECT_MAP_BASE + holes[i]));
	pgtable_destroy(root);
}

TEST(kernel_map, direct_map_has_the_largest_leaves)
{
	pte_t *root = build(sections, ARRAY_SIZE(sections));
	struct pgtable_range leaf;

	REQUIRE_NOT_NULL(root);
	REQUIRE(pgtable_walk(root, DIRECT_MAP_BASE + 4 * MIB, &leaf));
	EXPECT_EQ(leaf.level, 1);
	REQUIRE(pgtable_walk(root, DIRECT_MAP_BASE + 5000 * MIB, &leaf));
	EXPECT_EQ(leaf.level, arch_max_leaf_level());
	pgtable_destroy(root);
}

TEST(kernel_map, image_is_mapped_as_its_sections_say)
{
	pte_t *root = build(sections, ARRAY_SIZE(sections));
	struct pgtable_range leaf;

	REQUIRE_NOT_NULL(root);
	for (unsigned int i = 0; i < ARRAY_SIZE(sections); i++) {
		const struct image_section *s = &sections[i];
		pgprot_t alias =
			s->prot & PROT_WRITE ? PAGE_KERNEL : PAGE_KERNEL_RO;

		REQUIRE(pgtable_walk(root, s->va + s->size - 1, &leaf));
		EXPECT_EQ(leaf.prot, s->prot);
		EXPECT_EQ(leaf.level, 0);
		EXPECT_EQ(pgtable_translate(root, s->va), s->pa);
		REQUIRE(pgtable_walk(root, DIRECT_MAP_BASE + s->pa, &leaf));
		EXPECT_EQ(leaf.prot, alias);
		REQUIRE(pgtable_walk(
			root, DIRECT_MAP_BASE + s->pa + s->size - 1, &leaf));
		EXPECT_EQ(leaf.prot, alias);
	}
	EXPECT(absent(root, IMAGE + MIB + 32 * PAGE_SIZE));
	REQUIRE(pgtable_walk(root, DIRECT_MAP_BASE + 0x9e000, &leaf));
	EXPECT_EQ(leaf.prot, PAGE_KERNEL);
	pgtable_destroy(root);
}

static bool not_both(void *ctx, const struct pgtable_range *range)
{
	unsigned int *nr = ctx;

	EXPECT(!(range->prot & PROT_WRITE) || !(range->prot & PROT_EXEC));
	++*nr;
	return true;
}

TEST(kernel_map, nothing_is_writable_and_executable)
{
	pte_t *root = build(sections, ARRAY_SIZE(sections));
	unsigned int nr = 0;

	REQUIRE_NOT_NULL(root);
	pgtable_for_each_range(root, UPPER_HALF, -PAGE_SIZE, not_both, &nr);
	pgtable_for_each_range(root, 0, LOWER_HALF, not_both, &nr);
	EXPECT_GT(nr, 8);
	pgtable_destroy(root);
}

/* The same of the tree in force. */
TEST(kernel_map, in_force_nothing_is_writable_and_executable)
{
	unsigned int nr = 0;

	pgtable_for_each_range(arch_root_table(), UPPER_HALF, -PAGE_SIZE,
			       not_both, &nr);
	pgtable_for_each_range(arch_root_table(), 0, LOWER_HALF, not_both, &nr);
	EXPECT_GT(nr, 2);
	EXPECT(absent(arch_root_table(), 0));
	EXPECT(absent(arch_root_table(), DIRECT_MAP_BASE));
}

TEST(kernel_map, descriptors_are_mapped_and_zeroed)
{
	pte_t *root = build(sections, ARRAY_SIZE(sections));
	va_t start, end = 0;
	size_t pages = 0;

	REQUIRE_NOT_NULL(root);
	while (vmemmap_next(&mb, end, &start, &end)) {
		for (va_t va = start; va < end; va += PAGE_SIZE) {
			struct pgtable_range leaf;

			REQUIRE(pgtable_walk(root, va, &leaf));
			EXPECT_EQ(leaf.level, 0);
			EXPECT_EQ(leaf.prot, PAGE_KERNEL);
			EXPECT(memblock_overlaps(&mb.reserved, leaf.pa,
						 leaf.pa + PAGE_SIZE));
			for (unsigned int i = 0; i < PAGE_SIZE / 8; i++)
				REQUIRE_EQ(((uint64_t *)pa_to_va(leaf.pa))[i],
					   0);
			pages++;
		}
	}
	EXPECT_GT(pages, 0);
	pgtable_destroy(root);
}

TEST(kernel_map, sections_that_overlap_are_refused)
{
	static const struct image_section bad[] = {
		{"text", IMAGE + MIB, MIB, 4 * PAGE_SIZE, PAGE_KERNEL_ROX},
		{"data", IMAGE + MIB + 3 * PAGE_SIZE, MIB + 3 * PAGE_SIZE,
		 4 * PAGE_SIZE, PAGE_KERNEL},
	};
	size_t tables = pgtable_nr_tables();
	struct quiet quiet;
	pte_t *root;

	quiet_begin(&quiet);
	root = build(bad, ARRAY_SIZE(bad));
	quiet_end(&quiet);
	EXPECT_NULL(root);
	EXPECT_CONTAINS(quiet.text, "section data");
	EXPECT_EQ(pgtable_nr_tables(), tables);
}

TEST(kernel_map, out_of_memory_at_each_table)
{
	unsigned long nth = 0;
	pte_t *root;

	do {
		size_t tables = pgtable_nr_tables();
		struct quiet quiet;

		fault_inject_arm(&fail_page_alloc, ++nth);
		quiet_begin(&quiet);
		root = build(sections, ARRAY_SIZE(sections));
		quiet_end(&quiet);
		fault_inject_disarm(&fail_page_alloc);
		if (!root) {
			EXPECT_CONTAINS(quiet.text, "not built");
			EXPECT_EQ(pgtable_nr_tables(), tables);
		}
	} while (!root && nth < 100);
	EXPECT_GT(nth, 8);
	REQUIRE_NOT_NULL(root);
	pgtable_destroy(root);
}

TEST(kernel_map, no_memory_for_descriptors)
{
	struct quiet quiet;
	pa_t root;

	memblock_init(&mb);
	EXPECT_EQ(memblock_add(&mb, page_to_pa(chunk), PAGE_SIZE), 0);
	quiet_begin(&quiet);
	root = kernel_map_build(&info, sections, ARRAY_SIZE(sections), &mb);
	quiet_end(&quiet);
	EXPECT_EQ(root, 0);
	EXPECT_CONTAINS(quiet.text, "page descriptors");
}

/* ---- device windows, in the tree in force ------------------------------- */

TEST(kernel_map, device_memory_is_uncached)
{
	pa_t pa = ((pa_t)1 << 45) + 0x123ff8; /* nobody's; never touched */
	va_t va = kernel_map_device(pa, 16);
	struct pgtable_range leaf;

	REQUIRE_NE(va, 0);
	EXPECT_GE(va, FIXMAP_START);
	EXPECT_LT(va, FIXMAP_END);
	EXPECT_EQ(pgtable_translate(arch_root_table(), va), pa);
	EXPECT_EQ(pgtable_translate(arch_root_table(), va + 15), pa + 15);
	REQUIRE(pgtable_walk(arch_root_table(), va + 15, &leaf));
	EXPECT_EQ(leaf.prot, PAGE_KERNEL_NOCACHE);
}

TEST(kernel_map, bad_device_windows_are_refused_with_one_line)
{
	va_t va = 1;

	EXPECT_ONE_LINE(va = kernel_map_device(0xfed00000, 0), "0 bytes");
	EXPECT_EQ(va, 0);
	EXPECT_ONE_LINE(va = kernel_map_device(UINT64_MAX - 8, 16), "beyond");
	EXPECT_EQ(va, 0);
	EXPECT_ONE_LINE(va = kernel_map_device((1UL << MAX_PHYS_BITS) - 8, 16),
			"beyond");
	EXPECT_EQ(va, 0);
	EXPECT_ONE_LINE(
		va = kernel_map_device(0x1000, FIXMAP_END - FIXMAP_START + 1),
		"over the");
	EXPECT_EQ(va, 0);
}
