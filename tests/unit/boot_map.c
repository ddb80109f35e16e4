/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory map, against what a reader of the entries would say page by page.
 */
#include "firmware.h"

#include <lib/firmware/boot_map.h>

#define HIGHEST ((pa_t)1 << MAX_PHYS_BITS)

static struct boot_info info;

static void reset(void)
{
	info.nr_map = info.nr_map_dropped = 0;
}

/* Expect range @i of the map to be [start, end) of @type. */
static void expect_range(unsigned int i, pa_t start, pa_t end,
			 enum mem_type type)
{
	REQUIRE_LT(i, info.nr_map);
	EXPECT_EQ(info.map[i].start, start);
	EXPECT_EQ(info.map[i].end, end);
	EXPECT_EQ(info.map[i].type, type);
}

TEST(boot_map, types_of_the_firmware)
{
	EXPECT_EQ(boot_map_type(1), MEM_USABLE);
	EXPECT_EQ(boot_map_type(2), MEM_RESERVED);
	EXPECT_EQ(boot_map_type(3), MEM_ACPI_RECLAIM);
	EXPECT_EQ(boot_map_type(4), MEM_ACPI_NVS);
	EXPECT_EQ(boot_map_type(5), MEM_BAD);
	EXPECT_EQ(boot_map_type(0), MEM_RESERVED);
	EXPECT_EQ(boot_map_type(20), MEM_RESERVED);
	EXPECT_EQ(boot_map_type(UINT32_MAX), MEM_RESERVED);
}

/* What QEMU's BIOS tells of a machine with 512 MiB. */
TEST(boot_map, a_real_one_stays_as_it_is)
{
	reset();
	boot_map_add(&info, 0, 0x9fc00, MEM_USABLE);
	boot_map_add(&info, 0x9fc00, 0x400, MEM_RESERVED);
	boot_map_add(&info, 0xf0000, 0x10000, MEM_RESERVED);
	boot_map_add(&info, 0x100000, 0x1fee0000, MEM_USABLE);
	boot_map_add(&info, 0x1ffe0000, 0x20000, MEM_RESERVED);
	boot_map_add(&info, 0xfffc0000, 0x40000, MEM_RESERVED);
	boot_map_add(&info, 0xfd00000000, 0x300000000, MEM_RESERVED);
	boot_map_normalise(&info);

	EXPECT_EQ(info.nr_map, 7);
	EXPECT_EQ(info.nr_map_dropped, 0);
	expect_range(0, 0, 0x9f000, MEM_USABLE);
	expect_range(1, 0x9f000, 0xa0000, MEM_RESERVED);
	expect_range(2, 0xf0000, 0x100000, MEM_RESERVED);
	expect_range(3, 0x100000, 0x1ffe0000, MEM_USABLE);
	expect_range(4, 0x1ffe0000, 0x20000000, MEM_RESERVED);
	expect_range(5, 0xfffc0000, 0x100000000, MEM_RESERVED);
	expect_range(6, 0xfd00000000, 0x10000000000, MEM_RESERVED);
	EXPECT(boot_map_verify(&info));
}

TEST(boot_map, halves_of_a_page_join)
{
	reset();
	boot_map_add(&info, 0x5800, 0x2800, MEM_USABLE);
	boot_map_add(&info, 0x1000, 0x4800, MEM_USABLE);
	boot_map_normalise(&info);
	EXPECT_EQ(info.nr_map, 1);
	expect_range(0, 0x1000, 0x8000, MEM_USABLE);
}

TEST(boot_map, one_reserved_byte_takes_its_page)
{
	reset();
	boot_map_add(&info, 0x5432, 1, MEM_RESERVED);
	boot_map_add(&info, 0x1001, 0x8fff, MEM_USABLE);
	boot_map_normalise(&info);
	EXPECT_EQ(info.nr_map, 3);
	expect_range(0, 0x2000, 0x5000, MEM_USABLE);
	expect_range(1, 0x5000, 0x6000, MEM_RESERVED);
	expect_range(2, 0x6000, 0xa000, MEM_USABLE);
}

TEST(boot_map, stricter_type_wins_in_either_order)
{
	static const enum mem_type order[] = {MEM_USABLE, MEM_ACPI_RECLAIM,
					      MEM_ACPI_NVS, MEM_RESERVED,
					      MEM_BAD};

	for (unsigned int a = 0; a < ARRAY_SIZE(order); a++) {
		for (unsigned int b = 0; b < ARRAY_SIZE(order); b++) {
			reset();
			boot_map_add(&info, 0x1000, 0x1000, order[a]);
			boot_map_add(&info, 0x1000, 0x1000, order[b]);
			boot_map_normalise(&info);
			EXPECT_EQ(info.nr_map, 1);
			expect_range(0, 0x1000, 0x2000, order[a > b ? a : b]);
		}
	}
}

TEST(boot_map, refused_entries_are_counted_and_told_once)
{
	reset();
	quiet_begin();
	boot_map_add(&info, 0x1000, 0, MEM_USABLE);
	boot_map_add(&info, UINT64_MAX - 0xfff, 0x2000, MEM_USABLE);
	boot_map_add(&info, HIGHEST, 0x1000, MEM_USABLE);
	boot_map_add(&info, UINT64_MAX, UINT64_MAX, MEM_RESERVED);
	boot_map_normalise(&info);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_CONTAINS(quiet_text, "0x1000");
	EXPECT_EQ(info.nr_map, 0);
	EXPECT_EQ(info.nr_map_dropped, 4);
}

TEST(boot_map, cut_at_the_last_address)
{
	reset();
	boot_map_add(&info, HIGHEST - 0x3000, 0x4000, MEM_USABLE);
	/* Usable memory that wraps is refused, other memory is believed. */
	boot_map_add(&info, HIGHEST - 0x1000, UINT64_MAX, MEM_RESERVED);
	boot_map_normalise(&info);
	EXPECT_EQ(info.nr_map, 2);
	EXPECT_EQ(info.nr_map_dropped, 0);
	expect_range(0, HIGHEST - 0x3000, HIGHEST - 0x1000, MEM_USABLE);
	expect_range(1, HIGHEST - 0x1000, HIGHEST, MEM_RESERVED);

	reset();
	boot_map_add(&info, 0, UINT64_MAX, MEM_USABLE);
	boot_map_normalise(&info);
	EXPECT_EQ(info.nr_map, 1);
	expect_range(0, 0, HIGHEST, MEM_USABLE);
}

TEST(boot_map, more_may_follow)
{
	reset();
	boot_map_add(&info, 0, 0x10000, MEM_USABLE);
	boot_map_normalise(&info);
	boot_map_normalise(&info);
	boot_map_add(&info, 0x4000, 0x1000, MEM_RESERVED);
	boot_map_normalise(&info);
	EXPECT_EQ(info.nr_map, 3);
	expect_range(1, 0x4000, 0x5000, MEM_RESERVED);
}

TEST(boot_map, verify_sees_faults)
{
	static const struct mem_range bad[][2] = {
		{{0x1000, 0x1000, MEM_USABLE}, {0x3000, 0x4000, MEM_USABLE}},
		{{0x2000, 0x1000, MEM_USABLE}, {0x3000, 0x4000, MEM_USABLE}},
		{{0x1000, 0x2800, MEM_USABLE}, {0x3000, 0x4000, MEM_USABLE}},
		{{0x1000, 0x2000, MEM_USABLE}, {0x2000, 0x4000, MEM_USABLE}},
		{{0x1000, 0x3000, MEM_USABLE}, {0x2000, 0x4000, MEM_BAD}},
		{{0x5000, 0x6000, MEM_USABLE}, {0x2000, 0x4000, MEM_BAD}},
		{{0x5000, 0x6000, MEM_USABLE}, {HIGHEST, ~0xfffUL, MEM_BAD}},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		bool sound;

		info.map[0] = bad[i][0];
		info.map[1] = bad[i][1];
		info.nr_map = 2;
		quiet_begin();
		sound = boot_map_verify(&info);
		EXPECT_EQ(quiet_end(), 1);
		EXPECTF(!sound, "map %u", i);
	}
}

/* --- full ---------------------------------------------------------------- */

TEST(boot_map, exactly_full)
{
	reset();
	for (pa_t i = 0; i < BOOT_MAX_RANGES; i++)
		boot_map_add(&info, i * 0x4000, 0x1000, MEM_RESERVED);
	EXPECT_EQ(info.nr_map, BOOT_MAX_RANGES);
	EXPECT_EQ(info.nr_map_dropped, 0);
}

/* The memory comes last, as it does where the map is sorted. */
TEST(boot_map, full_of_reserved_still_takes_memory)
{
	const pa_t ram = 0x100000000, end = ram + 0x40000000;

	reset();
	for (pa_t i = 0; i < BOOT_MAX_RANGES; i++)
		boot_map_add(&info, i * 0x4000, 0x1000, MEM_RESERVED);
	boot_map_add(&info, ram, end - ram, MEM_USABLE);
	boot_map_normalise(&info);
	EXPECT_EQ(info.nr_map_dropped, 1);
	expect_range(info.nr_map - 1, ram, end, MEM_USABLE);
	/* Two became one, with the hole between them. */
	expect_range(0, 0, 0x5000, MEM_RESERVED);
	EXPECT(boot_map_verify(&info));
}

/* The pair with the least between them becomes one, as strict as either. */
TEST(boot_map, full_joins_the_closest)
{
	const unsigned int near = 77;

	reset();
	for (pa_t i = 0; i < BOOT_MAX_RANGES; i++)
		boot_map_add(&info, i * 0x10000 - (i == near) * 0x8000, 0x1000,
			     i == near ? MEM_BAD : MEM_ACPI_NVS);
	boot_map_add(&info, BOOT_MAX_RANGES * 0x10000, 0x1000, MEM_RESERVED);
	boot_map_normalise(&info);
	EXPECT_EQ(info.nr_map, BOOT_MAX_RANGES);
	EXPECT_EQ(info.nr_map_dropped, 1);
	expect_range(near - 2, (near - 2) * 0x10000,
		     (near - 2) * 0x10000 + 0x1000, MEM_ACPI_NVS);
	expect_range(near - 1, (near - 1) * 0x10000, near * 0x10000 - 0x7000,
		     MEM_BAD);
	expect_range(BOOT_MAX_RANGES - 1, BOOT_MAX_RANGES * 0x10000,
		     BOOT_MAX_RANGES * 0x10000 + 0x1000, MEM_RESERVED);
}

TEST(boot_map, full_of_memory_drops_the_smallest)
{
	const pa_t step = 0x1000000, last = BOOT_MAX_RANGES * step;

	reset();
	for (pa_t i = 1; i <= BOOT_MAX_RANGES; i++)
		boot_map_add(&info, i * step, 0x1000 * i, MEM_USABLE);
	/* Smaller than any: itself. */
	boot_map_add(&info, 0, 0x800, MEM_USABLE);
	EXPECT_EQ(info.nr_map_dropped, 1);
	expect_range(0, step, step + 0x1000, MEM_USABLE);
	/* Reserved memory in the midst of the largest must be recorded. */
	boot_map_add(&info, last + 0x4000, 0x1000, MEM_RESERVED);
	boot_map_normalise(&info);
	EXPECT_EQ(info.nr_map_dropped, 3);
	EXPECT(boot_map_verify(&info));
	EXPECT_EQ(info.nr_map, BOOT_MAX_RANGES);
	expect_range(0, 3 * step, 3 * step + 0x3000, MEM_USABLE);
	expect_range(info.nr_map - 3, last, last + 0x4000, MEM_USABLE);
	expect_range(info.nr_map - 2, last + 0x4000, last + 0x5000,
		     MEM_RESERVED);
}

TEST(boot_map, full_and_stricter_within_a_reserved_range)
{
	reset();
	for (pa_t i = 0; i < BOOT_MAX_RANGES; i++)
		boot_map_add(&info, i * 0x8000, 0x4000, MEM_RESERVED);
	boot_map_add(&info, 0x9000, 0x1000, MEM_BAD);
	boot_map_normalise(&info);
	EXPECT_EQ(info.nr_map, BOOT_MAX_RANGES);
	EXPECT_EQ(info.nr_map_dropped, 1);
	expect_range(1, 0x8000, 0xc000, MEM_BAD);
}

/* --- against a model ----------------------------------------------------- */

/*
 * The model: one cell for each eighth of a page, which knows the strictest
 * type that any entry gave it. Entries start and end at cells.
 */
#define CELLS          4096
#define CELLS_PER_PAGE 8
#define CELL_SIZE      (PAGE_SIZE / CELLS_PER_PAGE)
#define MODEL_PAGES    (CELLS / CELLS_PER_PAGE)

/* 0: a hole; else 1 + the place of the type in the order of strictness. */
static uint8_t cell[CELLS];
static uint8_t model_page[MODEL_PAGES], map_page[MODEL_PAGES];

static const uint8_t strictness[] = {
	[MEM_USABLE] = 1,   [MEM_ACPI_RECLAIM] = 2, [MEM_ACPI_NVS] = 3,
	[MEM_RESERVED] = 4, [MEM_BAD] = 5,
};

static void model_add(unsigned int start, unsigned int end, enum mem_type type)
{
	for (unsigned int i = start; i < end; i++)
		if (cell[i] < strictness[type])
			cell[i] = strictness[type];
}

/* A page is usable when all of it is; else the strictest part counts. */
static void model_to_pages(void)
{
	for (unsigned int page = 0; page < MODEL_PAGES; page++) {
		const uint8_t *c = &cell[page * CELLS_PER_PAGE];
		uint8_t least = UINT8_MAX, most = 0;

		for (unsigned int i = 0; i < CELLS_PER_PAGE; i++) {
			least = c[i] < least ? c[i] : least;
			most = c[i] > most ? c[i] : most;
		}
		model_page[page] = most == 1 ? least : most;
	}
}

static void map_to_pages(void)
{
	memset(map_page, 0, sizeof(map_page));
	for (unsigned int i = 0; i < info.nr_map; i++) {
		const struct mem_range *r = &info.map[i];

		for (pa_t p = r->start / PAGE_SIZE;
		     p < r->end / PAGE_SIZE && p < MODEL_PAGES; p++)
			map_page[p] = strictness[r->type];
	}
}

/* Give @n random entries of at most @longest cells to map and model. */
static void add_random(struct rng *rng, unsigned int n, unsigned int longest)
{
	while (n-- > 0) {
		unsigned int start = rng_below(rng, CELLS);
		unsigned int len = rng_below(rng, longest + 1);
		enum mem_type type = rng_below(rng, 2) == 0
					     ? MEM_USABLE
					     : rng_below(rng, MEM_BAD + 1);
		uint64_t bytes = len * CELL_SIZE;

		if (rng_below(rng, 64) == 0) {
			/* To the end of the model and on until it wraps. */
			start += start == 0;
			len = type == MEM_USABLE ? 0 : CELLS;
			bytes = UINT64_MAX - rng_below(rng, CELL_SIZE);
		}
		len = len < CELLS - start ? len : CELLS - start;
		boot_map_add(&info, start * CELL_SIZE, bytes, type);
		model_add(start, start + len, type);
	}
}

static void random_map(struct rng *rng, unsigned int n, unsigned int longest)
{
	reset();
	memset(cell, 0, sizeof(cell));
	quiet_begin();
	add_random(rng, n, longest);
	boot_map_normalise(&info);
	quiet_end();
	model_to_pages();
	map_to_pages();
}

TEST(boot_map, random_entries_match_the_model)
{
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (unsigned int round = 0; round < 1000; round++) {
		/* n entries make at most 2n - 1 ranges: never full */
		random_map(&rng, 1 + rng_below(&rng, 64),
			   1 + rng_below(&rng, 600));
		REQUIREF(boot_map_verify(&info), "round %u", round);
		for (unsigned int p = 0; p < MODEL_PAGES; p++)
			REQUIREF(map_page[p] == model_page[p],
				 "round %u, page %u: %u, model %u", round, p,
				 map_page[p], model_page[p]);
	}
}

/* More than fits: memory may be lost, but none is made up. */
TEST(boot_map, overflow_never_makes_memory_usable)
{
	struct rng rng;
	unsigned int full = 0;

	rng_seed(&rng, test_seed());
	for (unsigned int round = 0; round < 100; round++) {
		random_map(&rng, 400, 1 + rng_below(&rng, 24));
		full += info.nr_map_dropped > 10;
		REQUIREF(boot_map_verify(&info), "round %u", round);
		REQUIRE_LE(info.nr_map, BOOT_MAX_RANGES);
		for (unsigned int p = 0; p < MODEL_PAGES; p++) {
			bool sound = model_page[p] > 1
					     ? map_page[p] > 1
					     : map_page[p] != 1 ||
						       model_page[p] == 1;

			REQUIREF(sound, "round %u, page %u: %u, model %u",
				 round, p, map_page[p], model_page[p]);
		}
	}
	EXPECT_GT(full, 50);
}
