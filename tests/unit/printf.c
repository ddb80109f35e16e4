/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/limits.h>
#include <lib/printf.h>
#include <lib/string.h>
#include <lib/test.h>
#include <stdint.h>

/*
 * Format into one of two buffers, so that two results can be compared. Without
 * a format attribute, since the compiler would object to what is tested here.
 */
static const char *text(const char *fmt, ...)
{
	static char bufs[2][512];
	static unsigned int turn;
	char *buf = bufs[turn++ % 2];
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(buf, sizeof(bufs[0]), fmt, args);
	va_end(args);
	EXPECT_EQ(length, strlen(buf));
	return buf;
}

TEST(printf, plain_text)
{
	EXPECT_STREQ(text(""), "");
	EXPECT_STREQ(text("quire"), "quire");
	EXPECT_STREQ(text("100%%"), "100%");
	EXPECT_STREQ(text("%d+%d=%d", 1, 2, 3), "1+2=3");
}

TEST(printf, signed_values)
{
	EXPECT_STREQ(text("%d", 0), "0");
	EXPECT_STREQ(text("%i", -1), "-1");
	EXPECT_STREQ(text("%d", INT_MAX), "2147483647");
	EXPECT_STREQ(text("%d", INT_MIN), "-2147483648");
	EXPECT_STREQ(text("%ld", LONG_MAX), "9223372036854775807");
	EXPECT_STREQ(text("%ld", LONG_MIN), "-9223372036854775808");
	EXPECT_STREQ(text("%lld", LLONG_MIN), "-9223372036854775808");
	EXPECT_STREQ(text("%jd", INTMAX_MIN), "-9223372036854775808");
	EXPECT_STREQ(text("%td", (ptrdiff_t)-5), "-5");
	EXPECT_STREQ(text("%zd", (ptrdiff_t)-5), "-5");
	EXPECT_STREQ(text("%hd", 65535), "-1");
	EXPECT_STREQ(text("%hd", 32768), "-32768");
	EXPECT_STREQ(text("%hhd", 255), "-1");
	EXPECT_STREQ(text("%hhd", 128), "-128");
}

TEST(printf, unsigned_values)
{
	EXPECT_STREQ(text("%u", 0), "0");
	EXPECT_STREQ(text("%u", UINT_MAX), "4294967295");
	EXPECT_STREQ(text("%lu", ULONG_MAX), "18446744073709551615");
	EXPECT_STREQ(text("%llu", ULLONG_MAX), "18446744073709551615");
	EXPECT_STREQ(text("%zu", SIZE_MAX), "18446744073709551615");
	EXPECT_STREQ(text("%ju", UINTMAX_MAX), "18446744073709551615");
	EXPECT_STREQ(text("%hu", -1), "65535");
	EXPECT_STREQ(text("%hhu", -1), "255");
	EXPECT_STREQ(text("%x", 0xdeadbeef), "deadbeef");
	EXPECT_STREQ(text("%X", 0xdeadbeef), "DEADBEEF");
	EXPECT_STREQ(text("%lx", ULONG_MAX), "ffffffffffffffff");
	EXPECT_STREQ(text("%hhx", -1), "ff");
	EXPECT_STREQ(text("%o", 8), "10");
	EXPECT_STREQ(text("%lo", ULONG_MAX), "1777777777777777777777");
}

/* The same value through every combination of two flags. */
TEST(printf, flags)
{
	EXPECT_STREQ(text("[%6d]", 42), "[    42]");
	EXPECT_STREQ(text("[%-6d]", 42), "[42    ]");
	EXPECT_STREQ(text("[%06d]", 42), "[000042]");
	EXPECT_STREQ(text("[%+6d]", 42), "[   +42]");
	EXPECT_STREQ(text("[% 6d]", 42), "[    42]");
	EXPECT_STREQ(text("[% d]", 42), "[ 42]");
	EXPECT_STREQ(text("[% d]", -42), "[-42]");
	EXPECT_STREQ(text("[%+d]", 0), "[+0]");
	EXPECT_STREQ(text("[%-06d]", 42), "[42    ]");
	EXPECT_STREQ(text("[%+06d]", 42), "[+00042]");
	EXPECT_STREQ(text("[% 06d]", 42), "[ 00042]");
	EXPECT_STREQ(text("[%06d]", -42), "[-00042]");
	EXPECT_STREQ(text("[%-+6d]", 42), "[+42   ]");
	EXPECT_STREQ(text("[%- 6d]", 42), "[ 42   ]");
	EXPECT_STREQ(text("[%+ d]", 42), "[+42]");
	EXPECT_STREQ(text("[%+u]", 42), "[42]");
	EXPECT_STREQ(text("[%#x]", 42), "[0x2a]");
	EXPECT_STREQ(text("[%#X]", 42), "[0X2A]");
	EXPECT_STREQ(text("[%#x]", 0), "[0]");
	EXPECT_STREQ(text("[%#o]", 8), "[010]");
	EXPECT_STREQ(text("[%#o]", 0), "[0]");
	EXPECT_STREQ(text("[%#8x]", 42), "[    0x2a]");
	EXPECT_STREQ(text("[%#08x]", 42), "[0x00002a]");
	EXPECT_STREQ(text("[%-#8x]", 42), "[0x2a    ]");
	EXPECT_STREQ(text("[%0#3x]", 0xabcd), "[0xabcd]");
	EXPECT_STREQ(text("[%#06o]", 8), "[000010]");
}

TEST(printf, precision)
{
	EXPECT_STREQ(text("[%.4d]", 42), "[0042]");
	EXPECT_STREQ(text("[%.4d]", -42), "[-0042]");
	EXPECT_STREQ(text("[%+.4d]", 42), "[+0042]");
	EXPECT_STREQ(text("[%8.4d]", 42), "[    0042]");
	EXPECT_STREQ(text("[%-8.4d]", 42), "[0042    ]");
	EXPECT_STREQ(text("[%08.4d]", 42), "[    0042]");
	EXPECT_STREQ(text("[%.0d]", 0), "[]");
	EXPECT_STREQ(text("[%.d]", 0), "[]");
	EXPECT_STREQ(text("[%+.0d]", 0), "[+]");
	EXPECT_STREQ(text("[%5.0d]", 0), "[     ]");
	EXPECT_STREQ(text("[%.0d]", 7), "[7]");
	EXPECT_STREQ(text("[%#.0o]", 0), "[0]");
	EXPECT_STREQ(text("[%#.3o]", 8), "[010]");
	EXPECT_STREQ(text("[%#.2o]", 8), "[010]");
	EXPECT_STREQ(text("[%#.4x]", 42), "[0x002a]");
	EXPECT_STREQ(text("[%.30u]", 1), "[000000000000000000000000000001]");
	EXPECT_STREQ(text("[%.3s]", "abcdef"), "[abc]");
	EXPECT_STREQ(text("[%.0s]", "abcdef"), "[]");
	EXPECT_STREQ(text("[%.9s]", "abc"), "[abc]");
}

TEST(printf, width_and_precision_as_arguments)
{
	EXPECT_STREQ(text("[%*d]", 5, 42), "[   42]");
	EXPECT_STREQ(text("[%*d]", -5, 42), "[42   ]");
	EXPECT_STREQ(text("[%0*d]", 5, 42), "[00042]");
	EXPECT_STREQ(text("[%.*d]", 3, 42), "[042]");
	EXPECT_STREQ(text("[%.*d]", -3, 0), "[0]");
	EXPECT_STREQ(text("[%.*s]", 2, "abc"), "[ab]");
	EXPECT_STREQ(text("[%.*s]", -1, "abc"), "[abc]");
	EXPECT_STREQ(text("[%*.*x]", 6, 4, 42), "[  002a]");
}

TEST(printf, strings_and_characters)
{
	const char open[3] = {'a', 'b', 'c'};

	EXPECT_STREQ(text("[%s]", ""), "[]");
	EXPECT_STREQ(text("[%5s]", "abc"), "[  abc]");
	EXPECT_STREQ(text("[%-5s]", "abc"), "[abc  ]");
	EXPECT_STREQ(text("[%2s]", "abc"), "[abc]");
	EXPECT_STREQ(text("[%6.2s]", "abc"), "[    ab]");
	EXPECT_STREQ(text("[%s]", (char *)NULL), "[(null)]");
	EXPECT_STREQ(text("[%8s]", (char *)NULL), "[  (null)]");
	EXPECT_STREQ(text("[%.3s]", open), "[abc]");
	EXPECT_STREQ(text("[%c]", 'x'), "[x]");
	EXPECT_STREQ(text("[%3c]", 'x'), "[  x]");
	EXPECT_STREQ(text("[%-3c]", 'x'), "[x  ]");
}

TEST(printf, nul_character)
{
	char buf[8] = "-------";

	EXPECT_EQ(snprintf(buf, sizeof(buf), "a%cb", 0), 3);
	EXPECT_EQ(memcmp(buf, "a\0b\0", 4), 0);
}

TEST(printf, pointers)
{
	void *p = (void *)0xffff888000001000;

	EXPECT_STREQ(text("%p", p), "ffff888000001000");
	EXPECT_STREQ(text("%p", (void *)0x2a), "000000000000002a");
	EXPECT_STREQ(text("%p", NULL), "0000000000000000");
	EXPECT_STREQ(text("[%18p]", p), "[  ffff888000001000]");
	EXPECT_STREQ(text("[%-18p]", p), "[ffff888000001000  ]");
	/* Nobody's function. */
	EXPECT_STREQ(text("%pS", (void *)0x2a), "0x000000000000002a");
	EXPECT_STREQ(text("[%-20pSx]", NULL), "[0x0000000000000000  x]");
}

TEST(printf, unknown_conversions_stay)
{
	EXPECT_STREQ(text("%y"), "%y");
	EXPECT_STREQ(text("a%-5.3lyb"), "a%-5.3lyb");
	EXPECT_STREQ(text("%"), "%");
	EXPECT_STREQ(text("50% "), "50% ");
	EXPECT_STREQ(text("%5"), "%5");
	EXPECT_STREQ(text("%ll"), "%ll");
	EXPECT_STREQ(text("%n %f"), "%n %f");
}

TEST(printf, long_fields)
{
	const char *wide = text("%300d", 7);

	EXPECT_EQ(strlen(wide), 300);
	EXPECT_EQ(wide[298], ' ');
	EXPECT_EQ(wide[299], '7');
	EXPECT_STREQ(text("%300s", "7"), wide);
	EXPECT_EQ(strlen(text("%.300d", 7)), 300);
}

/* At every size: the text is cut there, terminated, and nothing behind it is
 * touched; the result is the whole length. */
TEST(printf, truncation_at_each_size)
{
	static const char whole[] = "ab   7|0x002a|c";
	const int length = sizeof(whole) - 1;
	char buf[sizeof(whole) + 4];

	for (size_t size = 0; size < sizeof(buf); size++) {
		int kept = (int)size - 1 < length ? (int)size - 1 : length;

		memset(buf, '-', sizeof(buf));
		EXPECT_EQ(
			snprintf(buf, size, "%s%4d|%#06x|%c", "ab", 7, 42, 'c'),
			length);
		if (size) {
			EXPECT_EQ(memcmp(buf, whole, (size_t)kept), 0);
			EXPECT_EQ(buf[kept], '\0');
		}
		for (size_t i = size; i < sizeof(buf); i++)
			EXPECT_EQ(buf[i], '-');

		memset(buf, '-', sizeof(buf));
		EXPECT_EQ(scnprintf(buf, size, "%s%4d|%#06x|%c", "ab", 7, 42,
				    'c'),
			  size ? kept : 0);
		for (size_t i = size; i < sizeof(buf); i++)
			EXPECT_EQ(buf[i], '-');
	}
	EXPECT_EQ(snprintf(NULL, 0, "%d", 12345), 5);
}

struct counting_sink {
	struct printf_sink sink;
	int bytes, sum;
};

static void count_bytes(struct printf_sink *sink, const char *s, size_t n)
{
	struct counting_sink *counting =
		container_of(sink, struct counting_sink, sink);

	for (; n; n--, s++) {
		counting->bytes++;
		counting->sum += *s;
	}
}

static int format_to(struct printf_sink *sink, const char *fmt, ...)
{
	va_list args;
	int length;

	va_start(args, fmt);
	length = vformat(sink, fmt, args);
	va_end(args);
	return length;
}

TEST(printf, sink)
{
	struct counting_sink counting = {.sink = {count_bytes}};

	EXPECT_EQ(format_to(&counting.sink, "a%03db", 7), 5);
	EXPECT_EQ(counting.bytes, 5);
	EXPECT_EQ(counting.sum, 'a' + '0' + '0' + '7' + 'b');
}
