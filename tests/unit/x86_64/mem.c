/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memcpy and its kin against one byte after the other: all small sizes, which
 * take other paths than large ones, at all alignments, with the bytes around.
 */
#include <lib/compiler.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test.h>

#define BUF       256
#define SMALL_MAX 80 /* twice beyond where REP takes over */

/* Volatile, so that the compiler does not make them calls of the subject. */
static volatile uint8_t from[BUF], to[BUF], model[BUF];

static const size_t large[] = {95, 96, 127, 128, 129, 191, 200};

static void fill(void)
{
	static struct rng rng;

	rng_seed(&rng, test_seed());
	for (unsigned int i = 0; i < BUF; i++) {
		from[i] = rng_u64(&rng);
		to[i] = model[i] = rng_u64(&rng);
	}
}

static bool as_model(const volatile uint8_t *buf)
{
	for (unsigned int i = 0; i < BUF; i++)
		if (buf[i] != model[i])
			return false;
	return true;
}

static void check_copy(size_t d, size_t s, size_t n)
{
	void *result = memcpy((void *)&to[d], (const void *)&from[s], n);

	for (size_t i = 0; i < n; i++)
		model[d + i] = from[s + i];
	EXPECT_EQ(result, (void *)&to[d]);
	EXPECTF(as_model(to), "d=%zu s=%zu n=%zu", d, s, n);
}

TEST(mem, memcpy_small)
{
	fill();
	for (size_t n = 0; n <= SMALL_MAX; n++)
		for (size_t d = 8; d < 16; d++)
			check_copy(d, d * 5 % 8, n);
}

TEST(mem, memcpy_large)
{
	fill();
	for (size_t i = 0; i < ARRAY_SIZE(large); i++)
		for (size_t d = 8; d < 16; d++)
			check_copy(d, d * 3 % 8, large[i]);
}

static void check_set(size_t d, size_t n, int byte)
{
	void *result = memset((void *)&to[d], byte, n);

	for (size_t i = 0; i < n; i++)
		model[d + i] = byte;
	EXPECT_EQ(result, (void *)&to[d]);
	EXPECTF(as_model(to), "d=%zu n=%zu byte=%d", d, n, byte);
}

TEST(mem, memset_all)
{
	fill();
	for (size_t n = 0; n <= SMALL_MAX; n++)
		for (size_t d = 8; d < 16; d++)
			check_set(d, n, n * 7 + d);
	for (size_t i = 0; i < ARRAY_SIZE(large); i++)
		check_set(i + 1, large[i], i);
}

/* Only the low byte counts. */
TEST(mem, memset_takes_a_byte)
{
	fill();
	check_set(3, 50, -1);
	check_set(3, 7, 0x1234);
}

/* Within one buffer, @shift bytes up or down. */
static void check_move(size_t s, int shift, size_t n)
{
	static volatile uint8_t before[BUF];

	for (size_t i = 0; i < BUF; i++)
		before[i] = model[i] = to[i];
	for (size_t i = 0; i < n; i++)
		model[s + shift + i] = before[s + i];
	EXPECT_EQ(memmove((void *)&to[s + shift], (const void *)&to[s], n),
		  (void *)&to[s + shift]);
	EXPECTF(as_model(to), "s=%zu shift=%d n=%zu", s, shift, n);
}

TEST(mem, memmove_overlapping)
{
	static const int shifts[] = {-41, -33, -16, -9, -8, -7, -3, -1, 0,
				     1,   3,   7,   8,  9,  16, 33, 41};

	for (size_t i = 0; i < ARRAY_SIZE(shifts); i++) {
		fill();
		for (size_t n = 0; n <= SMALL_MAX; n++)
			check_move(48, shifts[i], n);
		check_move(49, shifts[i], 130);
		check_move(50, shifts[i], 133);
	}
}

/* A flag left over would turn all later copies around. */
TEST(mem, memmove_leaves_the_direction_forward)
{
	unsigned long flags;

	fill();
	check_move(48, 1, 100);
	__asm__ volatile("pushfq; popq %0" : "=r"(flags));
	EXPECT_EQ(flags & 1 << 10, 0);
}

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

TEST(mem, memcmp_all)
{
	const void *a = (const void *)&from[3], *b = (const void *)&to[5];

	for (size_t n = 0; n <= 40; n++) {
		for (size_t i = 0; i < n; i++)
			from[3 + i] = to[5 + i] = i * 3;
		from[3 + n] = 1;
		to[5 + n] = 2;
		EXPECT_EQ(memcmp(a, b, n), 0);
		for (size_t i = 0; i < n; i++) {
			from[3 + i] = 0x7f;
			to[5 + i] = 0x80;
			EXPECT_EQ(sign(memcmp(a, b, n)), -1);
			EXPECT_EQ(sign(memcmp(b, a, n)), 1);
			from[3 + i] = to[5 + i] = 0xff;
		}
	}
}

/* What comes first decides, whatever the later bytes say. */
TEST(mem, memcmp_first_difference)
{
	EXPECT_EQ(sign(memcmp("a0000000", "b000000/", 8)), -1);
	EXPECT_EQ(sign(memcmp("0b0000000", "0a0000001", 9)), 1);
	EXPECT_EQ(sign(memcmp("00000000000a", "00000000000b", 12)), -1);
}
