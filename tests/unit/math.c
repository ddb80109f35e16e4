/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/math.h>
#include <lib/test.h>

TEST(math, min_max_clamp)
{
	int calls = 0;

	EXPECT_EQ(min(3, 4), 3);
	EXPECT_EQ(min(-1, 0), -1);
	EXPECT_EQ(max(3, 4), 4);
	EXPECT_EQ(max(-1, -2), -1);
	EXPECT_EQ(max(UINT64_MAX, (uint64_t)0), UINT64_MAX);
	EXPECT_EQ(clamp(5, 1, 10), 5);
	EXPECT_EQ(clamp(0, 1, 10), 1);
	EXPECT_EQ(clamp(11, 1, 10), 10);
	EXPECT_EQ(max(++calls, 0), 1);
	EXPECT_EQ(calls, 1);
}

TEST(math, rounding)
{
	EXPECT_EQ(round_up(0UL, 4096), 0);
	EXPECT_EQ(round_up(1UL, 4096), 4096);
	EXPECT_EQ(round_up(4096UL, 4096), 4096);
	EXPECT_EQ(round_up(4097UL, 4096), 8192);
	EXPECT_EQ(round_up(UINT64_MAX, 4096), 0);
	EXPECT_EQ(round_down(4095UL, 4096), 0);
	EXPECT_EQ(round_down(4096UL, 4096), 4096);
	EXPECT_EQ(round_down(UINT64_MAX, 4096), 0xfffffffffffff000);
	EXPECT_EQ(DIV_ROUND_UP(0, 8), 0);
	EXPECT_EQ(DIV_ROUND_UP(1, 8), 1);
	EXPECT_EQ(DIV_ROUND_UP(8, 8), 1);
	EXPECT_EQ(DIV_ROUND_UP(9, 8), 2);
}

TEST(math, powers_of_two)
{
	EXPECT(!is_power_of_2(0));
	EXPECT(!is_power_of_2(UINT64_MAX));
	EXPECT_EQ(fls64(0), 0);
	EXPECT_EQ(fls(0), 0);
	EXPECT_EQ(fls(UINT32_MAX), 32);
	EXPECT_EQ(roundup_pow_of_two(0), 1);
	EXPECT_EQ(roundup_pow_of_two(UINT64_MAX), 0);
	for (unsigned int i = 0; i < 64; i++) {
		uint64_t power = 1UL << i;

		EXPECT(is_power_of_2(power));
		EXPECT_EQ(ilog2(power), i);
		EXPECT_EQ(fls64(power), i + 1);
		EXPECT_EQ(roundup_pow_of_two(power), power);
		EXPECT_EQ(rounddown_pow_of_two(power), power);
		if (i < 32)
			EXPECT_EQ(fls((uint32_t)power), i + 1);
		if (i < 2)
			continue;
		EXPECT(!is_power_of_2(power + 1));
		EXPECT_EQ(ilog2(power - 1), i - 1);
		EXPECT_EQ(roundup_pow_of_two(power - 1), power);
		EXPECT_EQ(rounddown_pow_of_two(power - 1), power / 2);
		EXPECT_EQ(roundup_pow_of_two(power + 1), power << 1);
	}
}
