/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/random.h>
#include <lib/sort.h>
#include <lib/test.h>

#define MAX_ELEMENTS 64

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

TEST(sort, random_arrays)
{
	uint32_t array[MAX_ELEMENTS + 1];
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (int round = 0; round < 300; round++) {
		size_t n = rng_below(&rng, MAX_ELEMENTS + 1);
		uint64_t range = 1 + rng_below(&rng, 100);
		uint32_t sum = 0, squares = 0;

		array[n] = 0xdeadbeef;
		for (size_t i = 0; i < n; i++) {
			array[i] = (uint32_t)rng_below(&rng, range);
			sum += array[i];
			squares += array[i] * array[i];
		}
		sort(array, n, sizeof(array[0]), compare_u32);
		for (size_t i = 0; i < n; i++) {
			if (i)
				REQUIRE_LE(array[i - 1], array[i]);
			sum -= array[i];
			squares -= array[i] * array[i];
		}
		EXPECT_EQ(sum, 0);
		EXPECT_EQ(squares, 0);
		EXPECT_EQ(array[n], 0xdeadbeef);
	}
}

TEST(sort, odd_element_size)
{
	struct {
		uint32_t key;
		char text[7];
	} records[] = {{3, "three"}, {1, "one"}, {2, "two"}};

	sort(records, 3, sizeof(records[0]), compare_u32);
	EXPECT_STREQ(records[0].text, "one");
	EXPECT_STREQ(records[1].text, "two");
	EXPECT_STREQ(records[2].text, "three");
}

TEST(sort, nothing_to_do)
{
	uint32_t one = 7;

	sort(NULL, 0, sizeof(one), compare_u32);
	sort(&one, 1, sizeof(one), compare_u32);
	EXPECT_EQ(one, 7);
}
