/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memcpy, memmove, memset, memcmp: what the compiler calls behind our back.
 *
 * Sizes up to 32 bytes are done by a few loads and stores of the largest
 * width that fits, one from the front and one from the back; they overlap
 * where the size is not a power of two. Larger ones by REP MOVSQ/STOSQ, which
 * real CPUs do by cache lines and an emulator counts as one instruction per 8
 * bytes, and one more access for the tail.
 *
 * All loads of the ends come before any store, so a copy may overlap: that is
 * memmove already, but for the direction.
 */
#include <lib/compiler.h>
#include <lib/string.h>
#include <stdint.h>

/* Accesses at any alignment. */
typedef uint64_t __attribute__((aligned(1), may_alias)) word;
typedef uint32_t __attribute__((aligned(1), may_alias)) half;
typedef uint16_t __attribute__((aligned(1), may_alias)) quarter;

#define SMALL 32 /* bytes */

static __always_inline void copy_small(uint8_t *d, const uint8_t *s, size_t n)
{
	if (n > 16) {
		uint64_t a = *(const word *)s;
		uint64_t b = *(const word *)(s + 8);
		uint64_t c = *(const word *)(s + n - 16);
		uint64_t e = *(const word *)(s + n - 8);

		*(word *)d = a;
		*(word *)(d + 8) = b;
		*(word *)(d + n - 16) = c;
		*(word *)(d + n - 8) = e;
	} else if (n >= 8) {
		uint64_t a = *(const word *)s;
		uint64_t b = *(const word *)(s + n - 8);

		*(word *)d = a;
		*(word *)(d + n - 8) = b;
	} else if (n >= 4) {
		uint32_t a = *(const half *)s;
		uint32_t b = *(const half *)(s + n - 4);

		*(half *)d = a;
		*(half *)(d + n - 4) = b;
	} else if (n >= 2) {
		uint16_t a = *(const quarter *)s;
		uint16_t b = *(const quarter *)(s + n - 2);

		*(quarter *)d = a;
		*(quarter *)(d + n - 2) = b;
	} else if (n) {
		*d = *s;
	}
}

/* Ascending; right for @d below @s, overlapping or not. n >= 8. */
static __always_inline void copy_up(uint8_t *d, const uint8_t *s, size_t n)
{
	uint64_t tail = *(const word *)(s + n - 8);
	word *end = (word *)(d + n - 8);
	size_t words = n / 8;

	__asm__ volatile("rep movsq"
			 : "+D"(d), "+S"(s), "+c"(words)
			 :
			 : "memory");
	*end = tail;
}

/* Descending; right for @d above @s. n >= 8. */
static void copy_down(uint8_t *d, const uint8_t *s, size_t n)
{
	uint64_t head = *(const word *)s;
	word *start = (word *)d;
	size_t words = n / 8;

	d += n - 8;
	s += n - 8;
	__asm__ volatile("std\n\t"
			 "rep movsq\n\t"
			 "cld"
			 : "+D"(d), "+S"(s), "+c"(words)
			 :
			 : "memory", "cc");
	*start = head;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	if (n <= SMALL)
		copy_small(to, from, n);
	else
		copy_up(to, from, n);
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	if (n <= SMALL)
		copy_small(to, from, n);
	else if ((uintptr_t)to - (uintptr_t)from >= n)
		copy_up(to, from, n);
	else
		copy_down(to, from, n);
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	uint8_t *d = to;
	uint64_t v = (uint8_t)byte * 0x0101010101010101UL;

	if (n > SMALL) {
		size_t words = n / 8;

		*(word *)(d + n - 8) = v;
		__asm__ volatile("rep stosq"
				 : "+D"(d), "+c"(words)
				 : "a"(v)
				 : "memory");
	} else if (n >= 16) {
		*(word *)d = v;
		*(word *)(d + 8) = v;
		*(word *)(d + n - 16) = v;
		*(word *)(d + n - 8) = v;
	} else if (n >= 8) {
		*(word *)d = v;
		*(word *)(d + n - 8) = v;
	} else if (n >= 4) {
		*(half *)d = v;
		*(half *)(d + n - 4) = v;
	} else if (n >= 2) {
		*(quarter *)d = v;
		*(quarter *)(d + n - 2) = v;
	} else if (n) {
		*d = v;
	}
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const uint8_t *p = a, *q = b;

	for (; n >= 8; n -= 8, p += 8, q += 8) {
		uint64_t x = *(const word *)p, y = *(const word *)q;

		if (x != y) {
			/* The first byte that differs is the highest now. */
			x = __builtin_bswap64(x);
			y = __builtin_bswap64(y);
			return x < y ? -1 : 1;
		}
	}
	for (; n; n--, p++, q++)
		if (*p != *q)
			return *p < *q ? -1 : 1;
	return 0;
}
