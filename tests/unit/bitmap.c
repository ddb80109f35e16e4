/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bit maps against an array of bool. */
#include <lib/bitmap.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test.h>

#define NR_BITS 200

static DECLARE_BITMAP(map, NR_BITS);
static bool model[NR_BITS];

static size_t model_find(bool value, size_t size, size_t from)
{
	for (; from < size; from++) {
		if (model[from] == value)
			return from;
	}
	return size;
}

static size_t model_weight(size_t nr)
{
	size_t weight = 0;

	for (size_t i = 0; i < nr; i++)
		weight += model[i];
	return weight;
}

static size_t model_find_area(size_t size, size_t from, size_t nr, size_t align)
{
	for (size_t start = round_up(from, align); start + nr <= size;
	     start += align) {
		if (model_find(true, start + nr, start) == start + nr)
			return start;
	}
	return size;
}

static bool equals_model(void)
{
	for (size_t i = 0; i < NR_BITS; i++) {
		if (test_bit(i, map) != model[i])
			return false;
	}
	return true;
}

TEST(bitmap, single_bits)
{
	bitmap_zero(map, NR_BITS);
	EXPECT(bitmap_empty(map, NR_BITS));
	for (size_t i = 0; i < NR_BITS; i++) {
		__set_bit(i, map);
		EXPECT(test_bit(i, map));
		EXPECT_EQ(bitmap_weight(map, NR_BITS), 1);
		EXPECT_EQ(find_first_bit(map, NR_BITS), i);
		__clear_bit(i, map);
		EXPECT(!test_bit(i, map));
	}
	EXPECT(bitmap_empty(map, NR_BITS));
}

TEST(bitmap, fill_and_full)
{
	bitmap_fill(map, NR_BITS);
	EXPECT(bitmap_full(map, NR_BITS));
	EXPECT_EQ(bitmap_weight(map, NR_BITS), NR_BITS);
	__clear_bit(NR_BITS - 1, map);
	EXPECT(!bitmap_full(map, NR_BITS));
	EXPECT(bitmap_full(map, NR_BITS - 1));
	EXPECT_EQ(find_first_zero_bit(map, NR_BITS), NR_BITS - 1);
	EXPECT(bitmap_full(map, 0));
	EXPECT(bitmap_empty(map, 0));
}

TEST(bitmap, hweight)
{
	EXPECT_EQ(hweight64(0), 0);
	EXPECT_EQ(hweight64(UINT64_MAX), 64);
	EXPECT_EQ(hweight64(0x8000000000000001), 2);
	EXPECT_EQ(hweight64(0x0123456789abcdef), 32);
}

/* Beyond the size asked for the map is not looked at. */
TEST(bitmap, bits_beyond_the_size)
{
	bitmap_fill(map, NR_BITS);
	bitmap_clear(map, 0, 70);
	EXPECT(bitmap_empty(map, 70));
	EXPECT_EQ(bitmap_weight(map, 71), 1);
	EXPECT_EQ(find_first_bit(map, 65), 65);
	EXPECT_EQ(find_next_bit(map, 65, 65), 65);
	EXPECT_EQ(find_next_bit(map, 65, 1000), 65);
	EXPECT_EQ(bitmap_find_zero_area(map, 70, 0, 70, 1), 0);
	EXPECT_EQ(bitmap_find_zero_area(map, 70, 0, 71, 1), 70);
	EXPECT_EQ(bitmap_find_zero_area(map, 70, 1, SIZE_MAX, 1), 70);
}

TEST(bitmap, for_each)
{
	size_t bit, sum = 0;

	bitmap_zero(map, NR_BITS);
	__set_bit(0, map);
	__set_bit(63, map);
	__set_bit(64, map);
	__set_bit(199, map);
	for_each_set_bit(bit, map, NR_BITS)
		sum = sum * 1000 + bit;
	EXPECT_EQ(sum, 63064199);
}

TEST(bitmap, random_ranges_against_a_model)
{
	struct rng rng;

	rng_seed(&rng, test_seed());
	bitmap_zero(map, NR_BITS);
	memset(model, 0, sizeof(model));
	for (int step = 0; step < 3000; step++) {
		size_t start = rng_below(&rng, NR_BITS);
		size_t nr = rng_below(&rng, NR_BITS - start + 1);
		size_t size = rng_below(&rng, NR_BITS + 1);
		size_t from = rng_below(&rng, NR_BITS);
		size_t want = rng_below(&rng, 20) + 1;
		size_t align = 1UL << rng_below(&rng, 6);
		bool value = rng_below(&rng, 2);

		if (value)
			bitmap_set(map, start, nr);
		else
			bitmap_clear(map, start, nr);
		memset(model + start, value, nr);
		REQUIREF(equals_model(), "step %d", step);
		REQUIRE_EQ(bitmap_weight(map, size), model_weight(size));
		REQUIRE_EQ(find_next_bit(map, size, from),
			   model_find(true, size, from));
		REQUIRE_EQ(find_next_zero_bit(map, size, from),
			   model_find(false, size, from));
		REQUIRE_EQ(bitmap_find_zero_area(map, size, from, want, align),
			   model_find_area(size, from, want, align));
	}
}
