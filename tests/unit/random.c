/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/bitmap.h>
#include <lib/random.h>
#include <lib/test.h>

TEST(random, repeats_from_its_seed)
{
	struct rng a, b, c;

	rng_seed(&a, 7);
	rng_seed(&b, 7);
	rng_seed(&c, 8);
	for (int i = 0; i < 100; i++) {
		uint64_t drawn = rng_u64(&a);

		EXPECT_EQ(rng_u64(&b), drawn);
		EXPECT_NE(rng_u64(&c), drawn);
	}
}

/* The reference values of SplitMix64 from state 0. */
TEST(random, known_values)
{
	struct rng rng = {.state = 0};

	EXPECT_EQ(rng_u64(&rng), 0xe220a8397b1dcdaf);
	EXPECT_EQ(rng_u64(&rng), 0x6e789e6aa1b965f4);
	EXPECT_EQ(rng_u64(&rng), 0x06c45d188009454f);
}

TEST(random, below_is_uniform)
{
	unsigned int counts[7] = {0};
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (int i = 0; i < 7000; i++) {
		uint64_t drawn = rng_below(&rng, 7);

		REQUIRE_LT(drawn, 7);
		counts[drawn]++;
	}
	/* 1000 expected, standard deviation 29. */
	for (int i = 0; i < 7; i++) {
		EXPECT_GT(counts[i], 850);
		EXPECT_LT(counts[i], 1150);
	}
}

/* With n at 3/4 of 2^64 a bias is plain: a modulo would give the lowest third
 * half of the time, a product alone the multiples of three. */
TEST(random, below_has_no_bias)
{
	uint64_t n = 3UL << 62;
	unsigned int low = 0, multiples = 0;
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (int i = 0; i < 3000; i++) {
		uint64_t drawn = rng_below(&rng, n);

		REQUIRE_LT(drawn, n);
		low += drawn < 1UL << 62;
		multiples += drawn % 3 == 0;
	}
	/* 1000 expected, standard deviation 26. */
	EXPECT_GT(low, 850);
	EXPECT_LT(low, 1150);
	EXPECT_GT(multiples, 850);
	EXPECT_LT(multiples, 1150);
}

TEST(random, below_extremes)
{
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (int i = 0; i < 10; i++) {
		EXPECT_EQ(rng_below(&rng, 1), 0);
		EXPECT_LT(rng_below(&rng, UINT64_MAX), UINT64_MAX);
	}
}

TEST(random, shuffle)
{
	unsigned short order[50];
	DECLARE_BITMAP(seen, 50);
	struct rng rng;
	unsigned int moved = 0;

	rng_seed(&rng, test_seed());
	bitmap_zero(seen, 50);
	for (unsigned short i = 0; i < 50; i++)
		order[i] = i;
	rng_shuffle(&rng, order, 50, sizeof(order[0]));
	for (unsigned short i = 0; i < 50; i++) {
		REQUIRE_LT(order[i], 50);
		__set_bit(order[i], seen);
		moved += order[i] != i;
	}
	EXPECT(bitmap_full(seen, 50));
	EXPECT_GT(moved, 35);
	rng_shuffle(&rng, NULL, 0, 1);
	rng_shuffle(&rng, order, 1, sizeof(order[0]));
}

/* Each of the six orders of three elements comes up as often as the others. */
TEST(random, shuffle_is_uniform)
{
	unsigned int counts[27] = {0}, orders = 0;
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (int i = 0; i < 6000; i++) {
		uint8_t order[3] = {0, 1, 2};

		rng_shuffle(&rng, order, 3, sizeof(order[0]));
		counts[order[0] + 3 * order[1] + 9 * order[2]]++;
	}
	/* 1000 expected, standard deviation 29. */
	for (int i = 0; i < 27; i++) {
		if (!counts[i])
			continue;
		orders++;
		EXPECT_GT(counts[i], 850);
		EXPECT_LT(counts[i], 1150);
	}
	EXPECT_EQ(orders, 6);
}
