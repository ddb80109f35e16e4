/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/string.h>
#include <lib/test.h>

/* Sign of a comparison. */
static int sign(int order)
{
	return (order > 0) - (order < 0);
}

TEST(string, strlen)
{
	EXPECT_EQ(strlen(""), 0);
	EXPECT_EQ(strlen("a"), 1);
	EXPECT_EQ(strlen("quire\0hidden"), 5);
}

TEST(string, strcmp)
{
	EXPECT_EQ(strcmp("", ""), 0);
	EXPECT_EQ(strcmp("abc", "abc"), 0);
	EXPECT_EQ(sign(strcmp("abc", "abd")), -1);
	EXPECT_EQ(sign(strcmp("b", "abc")), 1);
	EXPECT_EQ(sign(strcmp("ab", "abc")), -1);
	EXPECT_EQ(sign(strcmp("abc", "ab")), 1);
	EXPECT_EQ(sign(strcmp("\xff", "a")), 1);
}

TEST(string, strncmp)
{
	EXPECT_EQ(strncmp("abc", "abd", 2), 0);
	EXPECT_EQ(sign(strncmp("abc", "abd", 3)), -1);
	EXPECT_EQ(strncmp("x", "y", 0), 0);
	EXPECT_EQ(strncmp("ab\0c", "ab\0d", 4), 0);
	EXPECT_EQ(sign(strncmp("\x80", "\x7f", 1)), 1);
}

TEST(string, strchr)
{
	const char *s = "abcb";

	EXPECT_EQ(strchr(s, 'a'), s);
	EXPECT_EQ(strchr(s, 'b'), s + 1);
	EXPECT_EQ(strrchr(s, 'b'), s + 3);
	EXPECT_EQ(strrchr(s, 'a'), s);
	EXPECT_EQ(strchr(s, '\0'), s + 4);
	EXPECT_EQ(strrchr(s, '\0'), s + 4);
	EXPECT_NULL(strchr(s, 'x'));
	EXPECT_NULL(strrchr(s, 'x'));
	EXPECT_NULL(strchr("", 'x'));
}

TEST(string, strstr)
{
	const char *s = "aabaac";

	EXPECT_EQ(strstr(s, "aac"), s + 3);
	EXPECT_EQ(strstr(s, "aab"), s);
	EXPECT_EQ(strstr(s, ""), s);
	EXPECT_NULL(strstr(s, "aad"));
	EXPECT_NULL(strstr("ab", "abc"));
	EXPECT_NULL(strstr("", "a"));
}

TEST(string, strscpy)
{
	char buf[6] = "-----";

	EXPECT_EQ(strscpy(buf, "abcde", sizeof(buf)), 5);
	EXPECT_STREQ(buf, "abcde");
	EXPECT_EQ(strscpy(buf, "123456", sizeof(buf)), -1);
	EXPECT_STREQ(buf, "12345");
	EXPECT_EQ(strscpy(buf, "", sizeof(buf)), 0);
	EXPECT_STREQ(buf, "");
	EXPECT_EQ(buf[1], '2');
	EXPECT_EQ(strscpy(buf, "x", 0), -1);
	EXPECT_EQ(buf[0], '\0');
	EXPECT_EQ(strscpy(buf, "x", 1), -1);
	EXPECT_STREQ(buf, "");
}

/* The machine's own: every small size at every alignment, with a margin. */
TEST(string, memory_functions)
{
	unsigned char from[48], to[48];

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (unsigned char)(i + 1);
	for (size_t n = 0; n <= 24; n++) {
		for (size_t at = 0; at < 12; at++) {
			memset(to, 0, sizeof(to));
			memcpy(to + at, from + 3, n);
			EXPECT_EQ(memcmp(to + at, from + 3, n), 0);
			if (at)
				EXPECT_EQ(to[at - 1], 0);
			EXPECT_EQ(to[at + n], 0);

			memset(to + at, 0xa5, n);
			for (size_t i = 0; i < n; i++)
				EXPECT_EQ(to[at + i], 0xa5);
			EXPECT_EQ(to[at + n], 0);
		}
	}
}

TEST(string, memmove_overlapping)
{
	char buf[] = "0123456789";

	memmove(buf + 2, buf, 8);
	EXPECT_STREQ(buf, "0101234567");
	memmove(buf, buf + 2, 8);
	EXPECT_STREQ(buf, "0123456767");
	memmove(buf, buf, 10);
	EXPECT_STREQ(buf, "0123456767");
}

TEST(string, memcmp)
{
	EXPECT_EQ(memcmp("abc", "abd", 2), 0);
	EXPECT_EQ(sign(memcmp("abc", "abd", 3)), -1);
	EXPECT_EQ(sign(memcmp("\x80", "\x7f", 1)), 1);
	EXPECT_EQ(sign(memcmp("a\0b", "a\0a", 3)), 1);
	EXPECT_EQ(memcmp("x", "y", 0), 0);
}
