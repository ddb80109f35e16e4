/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Early memory: sets of ranges against a bitmap, placement, bad input. */
#include <lib/bitmap.h>
#include <lib/errno.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test.h>
#include <mm/memblock.h>
#include <tests/unit/one_line.h>

#define KIB 1024UL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

static struct memblock mb;

static void setup(void)
{
	memblock_init(&mb);
}

TEST(memblock, touching_and_overlapping_ranges_become_one)
{
	setup();
	EXPECT_EQ(memblock_add(&mb, 10 * MIB, MIB), 0);
	EXPECT_EQ(memblock_add(&mb, 14 * MIB, MIB), 0);
	EXPECT_EQ(memblock_add(&mb, 12 * MIB, MIB), 0);
	EXPECT_EQ(mb.memory.nr, 3);
	EXPECT_EQ(memblock_add(&mb, 11 * MIB, MIB), 0);
	EXPECT_EQ(mb.memory.nr, 2);
	EXPECT_EQ(mb.memory.range[0].start, 10 * MIB);
	EXPECT_EQ(mb.memory.range[0].end, 13 * MIB);
	EXPECT_EQ(memblock_add(&mb, 1 * MIB, 100 * MIB), 0);
	EXPECT_EQ(mb.memory.nr, 1);
	EXPECT_EQ(memblock_set_bytes(&mb.memory), 100 * MIB);
	EXPECT(memblock_verify(&mb));
}

TEST(memblock, remove_cuts)
{
	setup();
	memblock_add(&mb, 10 * MIB, 10 * MIB);
	EXPECT_EQ(memblock_remove(&mb, 12 * MIB, MIB), 0);
	EXPECT_EQ(mb.memory.nr, 2);
	EXPECT_EQ(mb.memory.range[0].end, 12 * MIB);
	EXPECT_EQ(mb.memory.range[1].start, 13 * MIB);
	EXPECT_EQ(memblock_remove(&mb, 11 * MIB, 3 * MIB), 0);
	EXPECT_EQ(memblock_set_bytes(&mb.memory), 7 * MIB);
	EXPECT_EQ(memblock_remove(&mb, 30 * MIB, MIB), 0);
	EXPECT_EQ(memblock_remove(&mb, 0, GIB), 0);
	EXPECT_EQ(mb.memory.nr, 0);
	EXPECT(memblock_verify(&mb));
}

TEST(memblock, free_ranges_are_memory_less_reserved)
{
	pa_t start = 0, end = 0;

	setup();
	memblock_add(&mb, 1 * MIB, 9 * MIB);
	memblock_add(&mb, 20 * MIB, 10 * MIB);
	/* Ends of one, a hole and the begin of the next in one reservation. */
	memblock_reserve(&mb, 0, 2 * MIB);
	memblock_reserve(&mb, 5 * MIB, 16 * MIB);
	memblock_reserve(&mb, 25 * MIB, 100);
	REQUIRE(memblock_next_free(&mb, 0, &start, &end));
	EXPECT_EQ(start, 2 * MIB);
	EXPECT_EQ(end, 5 * MIB);
	REQUIRE(memblock_next_free(&mb, end, &start, &end));
	EXPECT_EQ(start, 21 * MIB);
	EXPECT_EQ(end, 25 * MIB);
	REQUIRE(memblock_next_free(&mb, end, &start, &end));
	EXPECT_EQ(start, 25 * MIB + 100);
	EXPECT_EQ(end, 30 * MIB);
	EXPECT(!memblock_next_free(&mb, end, &start, &end));
	EXPECT_EQ(memblock_free_bytes(&mb), 12 * MIB - 100);
}

TEST(memblock, reservation_that_ends_inside_the_next_memory)
{
	pa_t start = 0, end = 0;

	setup();
	memblock_add(&mb, 1 * MIB, MIB);
	memblock_add(&mb, 4 * MIB, 4 * MIB);
	memblock_reserve(&mb, 1 * MIB, 4 * MIB);
	REQUIRE(memblock_next_free(&mb, 0, &start, &end));
	EXPECT_EQ(start, 5 * MIB);
	EXPECT_EQ(end, 8 * MIB);
}

TEST(memblock, alloc_takes_the_highest_place)
{
	setup();
	memblock_add(&mb, 1 * MIB, MIB);
	memblock_add(&mb, 8 * MIB, MIB);
	EXPECT_EQ(memblock_alloc(&mb, 4096, 4096, MEMBLOCK_NO_LIMIT),
		  9 * MIB - 4096);
	EXPECT_EQ(memblock_alloc(&mb, 100, 64, MEMBLOCK_NO_LIMIT),
		  9 * MIB - 4096 - 128);
	EXPECT_EQ(memblock_alloc(&mb, MIB / 2, MIB, MEMBLOCK_NO_LIMIT),
		  8 * MIB);
	EXPECT_EQ(memblock_alloc(&mb, 4096, 4096, 8 * MIB), 2 * MIB - 4096);
	EXPECT_EQ(memblock_alloc(&mb, 4096, 4096, 1 * MIB + 8191), 1 * MIB);
	EXPECT(memblock_verify(&mb));
}

TEST(memblock, alloc_within_bounds)
{
	setup();
	memblock_add(&mb, 1 * MIB, MIB);
	memblock_add(&mb, 8 * MIB, MIB);
	EXPECT_EQ(memblock_alloc_in(&mb, 4096, 4096, 0, 2 * MIB),
		  2 * MIB - 4096);
	EXPECT_EQ(memblock_alloc_in(&mb, 4096, 4096, 8 * MIB + 1, 9 * MIB),
		  9 * MIB - 4096);
	EXPECT_EQ(memblock_alloc_in(&mb, 4096, 4096, 8 * MIB, 8 * MIB + 4096),
		  8 * MIB);
	EXPECT_NO_LINE(EXPECT_EQ(
		memblock_alloc_in(&mb, 4096, 4096, 8 * MIB, 8 * MIB + 4096),
		0));
	EXPECT_NO_LINE(EXPECT_EQ(
		memblock_alloc_in(&mb, MIB, 4096, 4 * MIB, MEMBLOCK_NO_LIMIT),
		0));
	EXPECT_NO_LINE(
		EXPECT_EQ(memblock_alloc_in(&mb, 4096, 4096, 9 * MIB, 0), 0));
	EXPECT_EQ(memblock_free_bytes(&mb), 2 * MIB - 3 * 4096);
	EXPECT(memblock_verify(&mb));
}

TEST(memblock, exactly_fitting_hole_is_found)
{
	setup();
	memblock_add(&mb, 4 * MIB, 2 * MIB);
	EXPECT_EQ(memblock_alloc(&mb, 2 * MIB, 2 * MIB, MEMBLOCK_NO_LIMIT),
		  4 * MIB);
	EXPECT_EQ(memblock_free_bytes(&mb), 0);
}

TEST(memblock, page_0_is_never_handed_out)
{
	setup();
	memblock_add(&mb, 0, 2 * PAGE_SIZE);
	EXPECT_EQ(memblock_alloc(&mb, 1, 1, PAGE_SIZE + 1), PAGE_SIZE);
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_alloc(&mb, 1, 1, PAGE_SIZE), 0),
			"no free range fits");
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_alloc(&mb, 2 * PAGE_SIZE, 1,
						 MEMBLOCK_NO_LIMIT),
				  0),
			"0x2000 bytes");
}

TEST(memblock, limit_with_the_low_half_full_fails)
{
	setup();
	memblock_add(&mb, 1 * GIB, 7 * GIB);
	memblock_reserve(&mb, 1 * GIB, 3 * GIB);
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_alloc(&mb, 4096, 4096, 4 * GIB), 0),
			"below 0x100000000");
	EXPECT_EQ(mb.reserved.nr, 1);
	EXPECT_EQ(memblock_alloc(&mb, 4096, 4096, 4 * GIB + 4096), 4 * GIB);
}

TEST(memblock, bad_arguments_change_nothing)
{
	static const struct memblock empty;
	struct memblock *m = &mb;

	setup();
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_add(m, 4096, 0), -EINVAL),
			"cannot add 0 bytes at 0x1000: the range is empty");
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_reserve(m, UINT64_MAX, 2), -EINVAL),
			"wraps");
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_remove(m, 1, UINT64_MAX), -EINVAL),
			"wraps");
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_free(m, 0, 0), -EINVAL), "empty");
	EXPECT_EQ(mb.memory.nr, empty.memory.nr);
	EXPECT_EQ(mb.reserved.nr, empty.reserved.nr);

	memblock_add(m, 1 * MIB, MIB);
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_alloc(m, 0, 1, UINT64_MAX), 0),
			"the size is 0");
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_alloc(m, 8, 3, UINT64_MAX), 0),
			"no power of two");
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_alloc(m, 8, 0, UINT64_MAX), 0),
			"no power of two");
	EXPECT_ONE_LINE(
		EXPECT_EQ(memblock_alloc(m, UINT64_MAX, 1UL << 63, UINT64_MAX),
			  0),
		"no free range fits");
	EXPECT_ONE_LINE(
		EXPECT_EQ(memblock_alloc(m, 8, 1UL << 63, UINT64_MAX), 0),
		"no free range fits");
	EXPECT_EQ(mb.reserved.nr, 0);
	memblock_close(m);
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_alloc(m, 8, 8, UINT64_MAX), 0),
			"the page allocator has the memory");
	EXPECT_EQ(memblock_free_bytes(m), MIB);
}

TEST(memblock, a_range_too_many_is_an_error)
{
	setup();
	for (unsigned long i = 0; i < MEMBLOCK_MAX_RANGES; i++)
		REQUIRE_EQ(memblock_add(&mb, (2 * i + 1) * MIB, MIB), 0);
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_add(&mb, GIB, 1), -ENOSPC),
			"no room in memory for a range at 0x40000000");
	EXPECT_EQ(mb.memory.nr, MEMBLOCK_MAX_RANGES);
	/* Cutting one in two needs one more as well. */
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_remove(&mb, MIB + 1, 1), -ENOSPC),
			"no room");
	EXPECT_EQ(memblock_set_bytes(&mb.memory), MEMBLOCK_MAX_RANGES * MIB);
	EXPECT(memblock_verify(&mb));
	/* What joins ranges needs none. */
	EXPECT_EQ(memblock_add(&mb, 2 * MIB, MIB), 0);
	EXPECT_EQ(mb.memory.nr, MEMBLOCK_MAX_RANGES - 1);

	memblock_init(&mb);
	memblock_add(&mb, 0, 4 * GIB);
	for (unsigned long i = 0; i < MEMBLOCK_MAX_RANGES; i++)
		REQUIRE_EQ(memblock_reserve(&mb, (2 * i + 1) * MIB, MIB), 0);
	EXPECT_ONE_LINE(EXPECT_EQ(memblock_alloc(&mb, 8, 8, GIB), 0),
			"no room in reserved");
	EXPECT(memblock_verify(&mb));
}

TEST(memblock, boot_information)
{
	static struct boot_info info;

	setup();
	info.map[0] = (struct mem_range){0, 640 * KIB, MEM_USABLE};
	info.map[1] = (struct mem_range){MIB, 64 * MIB, MEM_USABLE};
	info.map[2] = (struct mem_range){64 * MIB, 65 * MIB, MEM_ACPI_NVS};
	info.map[3] = (struct mem_range){7 * MIB, 7 * MIB, MEM_RESERVED};
	info.nr_map = 4;
	info.modules[0].start = 32 * MIB + 5;
	info.modules[0].end = 33 * MIB + 7;
	info.modules[1].start = 33 * MIB + 7;
	info.modules[1].end = 34 * MIB;
	info.nr_modules = 2;
	info.handoff_start = 16 * MIB;
	info.handoff_end = 16 * MIB + 100;
	EXPECT_EQ(memblock_add_boot_info(&mb, &info), 0);
	EXPECT_EQ(memblock_set_bytes(&mb.memory), 63 * MIB + 640 * KIB);
	EXPECT(memblock_overlaps(&mb.reserved, 0, 1));
	EXPECT(memblock_overlaps(&mb.reserved, MIB - 1, MIB));
	EXPECT(memblock_overlaps(&mb.reserved, 16 * MIB + 99, 16 * MIB + 100));
	EXPECT(!memblock_overlaps(&mb.reserved, 16 * MIB + 100,
				  16 * MIB + 101));
	EXPECT(memblock_overlaps(&mb.reserved, 33 * MIB, 33 * MIB + 1));
	EXPECT(!memblock_overlaps(&mb.reserved, 34 * MIB, 64 * MIB));
	EXPECT(memblock_overlaps(&mb.reserved, 64 * MIB, 65 * MIB));
	EXPECT(memblock_verify(&mb));
}

TEST(memblock, verify_sees_broken_sets)
{
	setup();
	memblock_add(&mb, 1 * MIB, MIB);
	memblock_add(&mb, 4 * MIB, MIB);
	EXPECT(memblock_verify(&mb));
	mb.memory.range[1].start = 2 * MIB;
	EXPECT_ONE_LINE(EXPECT(!memblock_verify(&mb)), "M2");
	mb.memory.range[1].start = mb.memory.range[1].end;
	EXPECT_ONE_LINE(EXPECT(!memblock_verify(&mb)), "M1");
	mb.memory.nr = MEMBLOCK_MAX_RANGES + 1;
	EXPECT_ONE_LINE(EXPECT(!memblock_verify(&mb)), "M3");
}

/* --- against a bitmap ----------------------------------------------------- */

#define MODEL_UNITS 512
#define UNIT        4096UL

/* One bit for each unit of address space, from 0 on. */
struct model {
	DECLARE_BITMAP(memory, MODEL_UNITS);
	DECLARE_BITMAP(reserved, MODEL_UNITS);
};

static bool model_free(const struct model *m, size_t unit)
{
	return test_bit(unit, m->memory) && !test_bit(unit, m->reserved);
}

/* What memblock_alloc() has to return, found unit by unit from above. */
static pa_t model_alloc(struct model *m, size_t n, size_t align, size_t limit)
{
	for (size_t at = MODEL_UNITS; at-- > 1;) {
		size_t i = 0;

		if (at % align || at + n > limit || at + n > MODEL_UNITS)
			continue;
		while (i < n && model_free(m, at + i))
			i++;
		if (i < n)
			continue;
		bitmap_set(m->reserved, at, n);
		return at * UNIT;
	}
	return 0;
}

static bool model_agrees(const struct model *m)
{
	size_t unit = 0, free = 0;
	pa_t start, end;

	for_each_memblock_free(&mb, start, end) {
		for (; unit < start / UNIT; unit++)
			if (model_free(m, unit))
				return false;
		for (; unit < end / UNIT; unit++, free++)
			if (!model_free(m, unit))
				return false;
	}
	for (; unit < MODEL_UNITS; unit++)
		if (model_free(m, unit))
			return false;
	return memblock_free_bytes(&mb) == free * UNIT &&
	       memblock_set_bytes(&mb.memory) ==
		       bitmap_weight(m->memory, MODEL_UNITS) * UNIT &&
	       memblock_set_bytes(&mb.reserved) ==
		       bitmap_weight(m->reserved, MODEL_UNITS) * UNIT;
}

static void random_step(struct rng *rng, struct model *m)
{
	size_t n = 1 + rng_below(rng, 40);
	size_t at = rng_below(rng, MODEL_UNITS - n);
	size_t align = 1UL << rng_below(rng, 6);
	size_t limit = rng_below(rng, MODEL_UNITS);
	struct quiet quiet;
	pa_t pa;

	switch (rng_below(rng, 6)) {
	case 0:
	case 1:
		EXPECT_EQ(memblock_add(&mb, at * UNIT, n * UNIT), 0);
		bitmap_set(m->memory, at, n);
		break;
	case 2:
		EXPECT_EQ(memblock_remove(&mb, at * UNIT, n * UNIT), 0);
		bitmap_clear(m->memory, at, n);
		break;
	case 3:
		EXPECT_EQ(memblock_reserve(&mb, at * UNIT, n * UNIT), 0);
		bitmap_set(m->reserved, at, n);
		break;
	case 4:
		EXPECT_EQ(memblock_free(&mb, at * UNIT, n * UNIT), 0);
		bitmap_clear(m->reserved, at, n);
		break;
	default:
		n = 1 + n / 4;
		quiet_begin(&quiet);
		pa = memblock_alloc(&mb, n * UNIT, align * UNIT, limit * UNIT);
		quiet_end(&quiet);
		EXPECT_EQ(pa, model_alloc(m, n, align, limit));
	}
}

TEST(memblock, random_operations_against_a_bitmap)
{
	static struct model model;
	struct rng rng;

	setup();
	memset(&model, 0, sizeof(model));
	rng_seed(&rng, test_seed());
	for (unsigned int i = 0; i < 2000; i++) {
		random_step(&rng, &model);
		REQUIREF(memblock_verify(&mb) && model_agrees(&model),
			 "step %u", i);
	}
}
