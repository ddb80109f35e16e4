/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bit maps: arrays of longs, bit 0 the lowest of the first. Sizes and positions
 * are in bits. None of this is atomic: the caller keeps others away. Any
 * context.
 */
#ifndef LIB_BITMAP_H
#define LIB_BITMAP_H

#include <lib/math.h>
#include <stdbool.h>
#include <stddef.h>

#define BITS_PER_LONG    64
#define BITS_TO_LONGS(n) DIV_ROUND_UP(n, BITS_PER_LONG)

#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]

static inline unsigned long bit_mask(size_t bit)
{
	return 1UL << (bit % BITS_PER_LONG);
}

static inline bool test_bit(size_t bit, const unsigned long *map)
{
	return map[bit / BITS_PER_LONG] & bit_mask(bit);
}

static inline void __set_bit(size_t bit, unsigned long *map)
{
	map[bit / BITS_PER_LONG] |= bit_mask(bit);
}

static inline void __clear_bit(size_t bit, unsigned long *map)
{
	map[bit / BITS_PER_LONG] &= ~bit_mask(bit);
}

/* Number of bits set in @word. */
unsigned int hweight64(uint64_t word);

/* Clear, or set, all of the first @nr bits; the rest of the last long too. */
void bitmap_zero(unsigned long *map, size_t nr);
void bitmap_fill(unsigned long *map, size_t nr);

/* Set, or clear, the bits [start, start + nr). */
void bitmap_set(unsigned long *map, size_t start, size_t nr);
void bitmap_clear(unsigned long *map, size_t start, size_t nr);

/* Return: how many of the first @nr bits are set. */
size_t bitmap_weight(const unsigned long *map, size_t nr);

/* Return: the first set (zero) bit in [from, size), or @size: there is none. */
size_t find_next_bit(const unsigned long *map, size_t size, size_t from);
size_t find_next_zero_bit(const unsigned long *map, size_t size, size_t from);

/*
 * Find @nr zero bits in a row within [from, size), the first of them at a
 * multiple of @align, a power of two.
 * Return: the lowest such start; @size when there is none.
 */
size_t bitmap_find_zero_area(const unsigned long *map, size_t size, size_t from,
			     size_t nr, size_t align);

static inline size_t find_first_bit(const unsigned long *map, size_t size)
{
	return find_next_bit(map, size, 0);
}

static inline size_t find_first_zero_bit(const unsigned long *map, size_t size)
{
	return find_next_zero_bit(map, size, 0);
}

static inline bool bitmap_empty(const unsigned long *map, size_t nr)
{
	return find_first_bit(map, nr) == nr;
}

static inline bool bitmap_full(const unsigned long *map, size_t nr)
{
	return find_first_zero_bit(map, nr) == nr;
}

#define for_each_set_bit(bit, map, size)                                       \
	for (bit = find_first_bit(map, size); bit < (size);                    \
	     bit = find_next_bit(map, size, bit + 1))

#endif
