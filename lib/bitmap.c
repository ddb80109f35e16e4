/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bit maps: work is done a long at a time, O(bits / 64). */
#include <lib/bitmap.h>
#include <lib/string.h>

/* Bits [0, n) of a word, 0 <= n < 64. */
static inline unsigned long low_mask(size_t n)
{
	return (1UL << n) - 1;
}

/* Sums in parallel of 1, 2, 4, then 8 bits; the product adds up the bytes. */
unsigned int hweight64(uint64_t word)
{
	word -= (word >> 1) & 0x5555555555555555;
	word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (word * 0x0101010101010101) >> 56;
}

void bitmap_zero(unsigned long *map, size_t nr)
{
	memset(map, 0, BITS_TO_LONGS(nr) * sizeof(long));
}

void bitmap_fill(unsigned long *map, size_t nr)
{
	memset(map, 0xff, BITS_TO_LONGS(nr) * sizeof(long));
}

/* The part of [start, end) that lies in the word of bit @start, as a mask. */
static unsigned long word_mask(size_t start, size_t end)
{
	size_t word_end = round_down(start, BITS_PER_LONG) + BITS_PER_LONG;
	unsigned long mask = ~low_mask(start % BITS_PER_LONG);

	if (end < word_end)
		mask &= low_mask(end % BITS_PER_LONG);
	return mask;
}

void bitmap_set(unsigned long *map, size_t start, size_t nr)
{
	size_t end = start + nr;

	while (start < end) {
		map[start / BITS_PER_LONG] |= word_mask(start, end);
		start = round_down(start, BITS_PER_LONG) + BITS_PER_LONG;
	}
}

void bitmap_clear(unsigned long *map, size_t start, size_t nr)
{
	size_t end = start + nr;

	while (start < end) {
		map[start / BITS_PER_LONG] &= ~word_mask(start, end);
		start = round_down(start, BITS_PER_LONG) + BITS_PER_LONG;
	}
}

size_t bitmap_weight(const unsigned long *map, size_t nr)
{
	size_t weight = 0;

	for (size_t i = 0; i < nr; i += BITS_PER_LONG)
		weight += hweight64(map[i / BITS_PER_LONG] & word_mask(i, nr));
	return weight;
}

/* First bit in [from, size) that is set after the exclusive or with @invert. */
static size_t find_bit(const unsigned long *map, size_t size, size_t from,
		       unsigned long invert)
{
	while (from < size) {
		unsigned long word = (map[from / BITS_PER_LONG] ^ invert) &
				     word_mask(from, size);

		from = round_down(from, BITS_PER_LONG);
		if (word)
			return from + (size_t)__builtin_ctzl(word);
		from += BITS_PER_LONG;
	}
	return size;
}

size_t find_next_bit(const unsigned long *map, size_t size, size_t from)
{
	return find_bit(map, size, from, 0);
}

size_t find_next_zero_bit(const unsigned long *map, size_t size, size_t from)
{
	return find_bit(map, size, from, ~0UL);
}

size_t bitmap_find_zero_area(const unsigned long *map, size_t size, size_t from,
			     size_t nr, size_t align)
{
	size_t start, busy;

	for (;;) {
		start = round_up(find_next_zero_bit(map, size, from), align);
		if (start >= size || nr > size - start)
			return size;
		busy = find_next_bit(map, start + nr, start);
		if (busy == start + nr)
			return start;
		from = busy + 1;
	}
}
