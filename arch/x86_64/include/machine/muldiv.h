/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MACHINE_MULDIV_H
#define MACHINE_MULDIV_H

#include <stdint.h>

/*
 * @a * @b / @c, rounded down, through a 128-bit product. @c is not 0.
 * Context: any.
 * Return: the quotient; UINT64_MAX where it does not fit in 64 bits.
 */
static inline uint64_t mul_div_u64(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t low, high, quotient, rest;

	__asm__("mulq %3" : "=a"(low), "=d"(high) : "a"(a), "rm"(b) : "cc");
	if (high >= c)
		return UINT64_MAX;
	__asm__("divq %4"
		: "=a"(quotient), "=d"(rest)
		: "a"(low), "d"(high), "rm"(c)
		: "cc");
	return quotient;
}

#endif
