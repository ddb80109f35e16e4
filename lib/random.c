/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014). The state walks through all 64-bit
 * numbers by a fixed odd step; a mixing function, which is a permutation too,
 * makes the output look random.
 */
#include <lib/panic.h>
#include <lib/random.h>

#define STEP 0x9e3779b97f4a7c15 /* 2^64 / golden ratio, odd */

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void rng_seed(struct rng *r, uint64_t seed)
{
	r->state = mix(seed);
}

uint64_t rng_u64(struct rng *r)
{
	r->state += STEP;
	return mix(r->state);
}

/*
 * The high half of u * n is in [0, n). 2^64 values u fall onto n results, so
 * 2^64 % n of them are too many: those whose low half is below that number are
 * drawn again (Lemire, "Fast random integer generation in an interval", 2019).
 */
uint64_t rng_below(struct rng *r, uint64_t n)
{
	unsigned __int128 product;
	uint64_t surplus;

	ASSERT(n > 0);
	product = (unsigned __int128)rng_u64(r) * n;
	if ((uint64_t)product < n) {
		surplus = -n % n;
		while ((uint64_t)product < surplus)
			product = (unsigned __int128)rng_u64(r) * n;
	}
	return product >> 64;
}

static void swap_bytes(char *a, char *b, size_t size)
{
	while (size--) {
		char byte = *a;

		*a++ = *b;
		*b++ = byte;
	}
}

void rng_shuffle(struct rng *r, void *base, size_t n, size_t size)
{
	char *bytes = base;

	for (size_t left = n; left > 1; left--)
		swap_bytes(bytes + (left - 1) * size,
			   bytes + rng_below(r, left) * size, size);
}
