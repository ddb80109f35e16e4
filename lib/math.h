/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small integer arithmetic. Everything here may be used in any context.
 *
 * The macros evaluate each argument once, except ilog2 and is_power_of_2 of
 * constants, which the compiler folds. Sums and products that may overflow are
 * written with __builtin_add_overflow and __builtin_mul_overflow.
 */
#ifndef LIB_MATH_H
#define LIB_MATH_H

#include <stdbool.h>
#include <stdint.h>

/* Both arguments must have one type: a mix is an error at compile time. */
#define min(a, b)                                                              \
	({                                                                     \
		__typeof__(a) min_a_ = (a);                                    \
		__typeof__(b) min_b_ = (b);                                    \
		(void)(&min_a_ == &min_b_);                                    \
		min_a_ < min_b_ ? min_a_ : min_b_;                             \
	})

#define max(a, b)                                                              \
	({                                                                     \
		__typeof__(a) max_a_ = (a);                                    \
		__typeof__(b) max_b_ = (b);                                    \
		(void)(&max_a_ == &max_b_);                                    \
		max_a_ > max_b_ ? max_a_ : max_b_;                             \
	})

/* @v brought into lo..hi, both included; lo <= hi. */
#define clamp(v, lo, hi)                                                       \
	({                                                                     \
		__typeof__(v) clamp_v_ = (v);                                  \
		__typeof__(v) clamp_lo_ = (lo);                                \
		__typeof__(v) clamp_hi_ = (hi);                                \
		clamp_v_<clamp_lo_ ? clamp_lo_ : clamp_v_> clamp_hi_           \
			? clamp_hi_                                            \
			: clamp_v_;                                            \
	})

/* To a multiple of @to, a power of two. round_up wraps to 0 at the top. */
#define round_down(x, to) ((x) & ~((__typeof__(x))(to)-1))
#define round_up(x, to)   ((((x)-1) | ((__typeof__(x))(to)-1)) + 1)

/* Quotient rounded up; wraps where n + d - 1 does. */
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))

/* Return: true when exactly one bit of @n is set. */
static inline bool is_power_of_2(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* Position of the highest bit set, counted from 1. Return: 0 for 0. */
static inline unsigned int fls64(uint64_t n)
{
	return n ? 64 - (unsigned int)__builtin_clzll(n) : 0;
}

/* The same for 32 bits. */
static inline unsigned int fls(uint32_t n)
{
	return n ? 32 - (unsigned int)__builtin_clz(n) : 0;
}

/* Integer part of the binary logarithm of @n > 0. */
static inline unsigned int ilog2(uint64_t n)
{
	return 63 - (unsigned int)__builtin_clzll(n);
}

/* Least power of two that is at least @n. Return: 1 for 0; 0 above 1 << 63. */
static inline uint64_t roundup_pow_of_two(uint64_t n)
{
	unsigned int bits = n <= 1 ? 0 : fls64(n - 1);

	return bits < 64 ? 1UL << bits : 0;
}

/* Greatest power of two that is at most @n > 0. */
static inline uint64_t rounddown_pow_of_two(uint64_t n)
{
	return 1UL << ilog2(n);
}

#endif
