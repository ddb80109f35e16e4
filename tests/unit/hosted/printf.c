/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our conversions against the C library's: every set of flags with several
 * widths, precisions and lengths, over values at the edges.
 */
#include <lib/printf.h>
#include <lib/string.h>
#include <lib/test.h>

/* Here the names of string.h's and printf.h's functions are ours. */
int libc_snprintf(char *buf, size_t size, const char *fmt,
		  ...) __asm__("snprintf");

#define NR_FLAG_SETS 32

static const char *const widths[] = {"", "1", "5", "25"};
static const char *const precisions[] = {"", ".", ".1", ".6", ".24"};
static const char *const lengths[] = {"hh", "h", "", "l", "ll", "z", "j", "t"};
static const char letters[] = "diuxXo";

static const unsigned long values[] = {
	0,
	1,
	9,
	42,
	0x7f,
	0x80,
	0xff,
	0x8000,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xffffffffffffffff,
};

static void make_format(char fmt[32], unsigned int flags, const char *width,
			const char *precision, const char *length, char letter)
{
	static const char names[] = "-0+ #";
	size_t n = 0;

	fmt[n++] = '%';
	for (unsigned int i = 0; i < 5; i++) {
		if (flags & (1U << i))
			fmt[n++] = names[i];
	}
	n += (size_t)strscpy(fmt + n, width, 32 - n);
	n += (size_t)strscpy(fmt + n, precision, 32 - n);
	n += (size_t)strscpy(fmt + n, length, 32 - n);
	fmt[n++] = letter;
	fmt[n] = '\0';
}

static void compare(const char *fmt)
{
	char ours[64], theirs[64];

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		int n = snprintf(ours, sizeof(ours), fmt, values[i]);

		EXPECT_EQ(libc_snprintf(theirs, sizeof(theirs), fmt, values[i]),
			  n);
		EXPECTF(!strcmp(ours, theirs), "\"%s\" of 0x%lx: %s, not %s",
			fmt, values[i], ours, theirs);
	}
}

static void compare_all(unsigned int flags, const char *width,
			const char *precision)
{
	char fmt[32];

	for (size_t l = 0; l < ARRAY_SIZE(lengths); l++) {
		for (const char *letter = letters; *letter; letter++) {
			make_format(fmt, flags, width, precision, lengths[l],
				    *letter);
			compare(fmt);
		}
	}
}

TEST(printf_oracle, integers)
{
	for (unsigned int flags = 0; flags < NR_FLAG_SETS; flags++) {
		for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
			for (size_t p = 0; p < ARRAY_SIZE(precisions); p++)
				compare_all(flags, widths[w], precisions[p]);
		}
	}
}

TEST(printf_oracle, strings)
{
	static const char *const formats[] = {
		"%s", "%-s", "%9s", "%-9s", "%.s", "%.2s", "%9.2s", "%-9.2s",
	};
	char ours[64], theirs[64];

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		snprintf(ours, sizeof(ours), formats[i], "quire");
		libc_snprintf(theirs, sizeof(theirs), formats[i], "quire");
		EXPECT_STREQ(ours, theirs);
	}
}
