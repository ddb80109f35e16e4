/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as people write them on a command line. */
#include <lib/errno.h>
#include <lib/string.h>

/* Return: the value of the digit @c in @base, or -1. */
static int digit(char c, unsigned int base)
{
	int value = -1;

	if (c >= '0' && c <= '9')
		value = c - '0';
	else if (c >= 'a' && c <= 'f')
		value = c - 'a' + 10;
	else if (c >= 'A' && c <= 'F')
		value = c - 'A' + 10;
	return value < (int)base ? value : -1;
}

/* Return: log2 of what suffix @c multiplies by; -1: no suffix. */
static int suffix_shift(char c)
{
	switch (c) {
	case '\0':
		return 0;
	case 'k':
	case 'K':
		return 10;
	case 'm':
	case 'M':
		return 20;
	case 'g':
	case 'G':
		return 30;
	default:
		return -1;
	}
}

int parse_u64(const char *s, uint64_t *value)
{
	unsigned int base = 10;
	uint64_t sum = 0;
	bool overflow = false;
	int shift;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (digit(*s, base) < 0)
		return -EINVAL;
	for (; digit(*s, base) >= 0; s++) {
		overflow |= __builtin_mul_overflow(sum, base, &sum);
		overflow |= __builtin_add_overflow(
			sum, (unsigned int)digit(*s, base), &sum);
	}
	shift = suffix_shift(*s);
	if (shift < 0 || (*s && s[1]))
		return -EINVAL;
	overflow |= __builtin_mul_overflow(sum, 1UL << shift, &sum);
	if (overflow)
		return -ERANGE;
	*value = sum;
	return 0;
}
