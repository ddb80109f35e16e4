/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock: goes on, and converts exactly. */
#include <arch/clock.h>
#include <lib/random.h>
#include <lib/test.h>
#include <machine/muldiv.h>

typedef unsigned __int128 wide;

TEST(clock, never_goes_back)
{
	uint64_t last = clock_ticks();

	for (unsigned int i = 0; i < 10000; i++) {
		uint64_t now = clock_ticks();

		if (now < last)
			EXPECT_GE(now, last);
		last = now;
	}
}

TEST(clock, goes_on)
{
	uint64_t start = clock_ticks();

	for (volatile unsigned int i = 0; i < 1000; i++)
		;
	EXPECT_GT(clock_ticks(), start);
}

TEST(clock, counts_instructions_exactly)
{
	uint64_t first, second, third;

	if (clock_kind() != CLOCK_INSTRUCTIONS)
		SKIP("needs clock=instructions");
	first = clock_ticks();
	second = clock_ticks();
	third = clock_ticks();
	EXPECT_LT(second - first, 64);
	EXPECT_LT(third - second, 64);
	EXPECT_EQ(clock_hz(), 1000000000);
	EXPECT_STREQ(clock_source(), "instructions");
}

TEST(clock, rate_is_plausible)
{
	test_log("%lu Hz by %s", clock_hz(), clock_source());
	EXPECT_GE(clock_hz(), 100000000);
	EXPECT_LE(clock_hz(), 10000000000);
}

/* mul_div_u64 rounds down: q * c <= a * b < (q + 1) * c. */
static void check_quotient(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t q = mul_div_u64(a, b, c);
	wide product = (wide)a * b;

	if ((product >> 64) >= c)
		EXPECTF(q == UINT64_MAX, "a=%lu b=%lu c=%lu q=%lu", a, b, c, q);
	else
		EXPECTF((wide)q * c <= product && product - (wide)q * c < c,
			"a=%lu b=%lu c=%lu q=%lu", a, b, c, q);
}

TEST(clock, conversion_is_exact)
{
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t ticks = rng_u64(&rng) >> rng_below(&rng, 64);
		uint64_t hz = 100000000 + rng_below(&rng, 9900000000);

		check_quotient(ticks, 1000000000, hz);
		check_quotient(rng_u64(&rng), rng_u64(&rng), rng_u64(&rng) | 1);
	}
}

TEST(clock, conversion_at_the_edges)
{
	EXPECT_EQ(clock_ticks_to_ns(0), 0);
	EXPECT_EQ(clock_ticks_to_ns(clock_hz()), 1000000000);
	EXPECT_EQ(mul_div_u64(UINT64_MAX, 1000000000, 1000000000), UINT64_MAX);
	EXPECT_EQ(mul_div_u64(UINT64_MAX, 1, UINT64_MAX), 1);
	EXPECT_EQ(mul_div_u64(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
	EXPECT_EQ(mul_div_u64(3, 5, 4), 3);
	/* What does not fit stays at the largest value. */
	EXPECT_EQ(mul_div_u64(UINT64_MAX, 2, 1), UINT64_MAX);
	EXPECT_EQ(mul_div_u64(UINT64_MAX, 1000000000, 100000000), UINT64_MAX);
}
