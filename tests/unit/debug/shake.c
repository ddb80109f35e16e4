/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/shake.h>
#include <lib/test.h>

#define NR 200

static void draw(unsigned int delays[NR], uint64_t seed, unsigned int cpu)
{
	struct shaker shaker = {0};

	for (unsigned int i = 0; i < NR; i++)
		delays[i] =
			shaker_delay(&shaker, seed, cpu, i % SHAKE_NR_POINTS);
}

static unsigned int nr_equal(const unsigned int a[NR], const unsigned int b[NR])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < NR; i++)
		n += a[i] == b[i] && a[i];
	return n;
}

static unsigned int nr_delays(const unsigned int delays[NR])
{
	return nr_equal(delays, delays);
}

TEST(shake, repeats)
{
	unsigned int first[NR], again[NR];

	draw(first, 7, 3);
	draw(again, 7, 3);
	EXPECT_GT(nr_delays(first), 0);
	EXPECT_EQ(nr_equal(first, again), nr_delays(first));
	EXPECT_EQ(nr_delays(first), nr_delays(again));
}

TEST(shake, seeds_and_cpus_differ)
{
	unsigned int a[NR], b[NR], c[NR];

	draw(a, 7, 3);
	draw(b, 8, 3);
	draw(c, 7, 2);
	EXPECT_LT(nr_equal(a, b), nr_delays(a) / 2);
	EXPECT_LT(nr_equal(a, c), nr_delays(a) / 2);
}

/* A new seed in the middle begins anew. */
TEST(shake, seed_changes)
{
	struct shaker shaker = {0};
	unsigned int expected[NR];

	for (unsigned int i = 0; i < 5; i++)
		shaker_delay(&shaker, 1, 0, SHAKE_LOCK);
	draw(expected, 2, 0);
	for (unsigned int i = 0; i < NR; i++)
		EXPECT_EQ(shaker_delay(&shaker, 2, 0, i % SHAKE_NR_POINTS),
			  expected[i]);
}

/* Short ones and long ones, and mostly none. */
TEST(shake, range)
{
	static const unsigned int bounds[] = {8, 16, 64, 256, 516};
	unsigned int seen[ARRAY_SIZE(bounds)] = {0}, none = 0;
	struct shaker shaker = {0};

	for (unsigned int i = 0; i < 4000; i++) {
		unsigned int delay = shaker_delay(&shaker, 1, 0, SHAKE_LOCK);
		unsigned int j = 0;

		if (!delay) {
			none++;
			continue;
		}
		EXPECT_GE(delay, 4);
		REQUIRE_LT(delay, 516);
		while (delay >= bounds[j])
			j++;
		seen[j]++;
	}
	EXPECT_GT(none, 2800);
	EXPECT_LT(none, 3200);
	for (unsigned int j = 0; j < ARRAY_SIZE(bounds); j++)
		EXPECT_GT(seen[j], 50);
}
