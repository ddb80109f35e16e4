/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/string.h>
#include <lib/test.h>

static const struct {
	const char *pattern, *s;
	bool matches;
} globs[] = {
	{"", "", true},
	{"", "a", false},
	{"a", "", false},
	{"abc", "abc", true},
	{"abc", "abcd", false},
	{"abcd", "abc", false},
	{"*", "", true},
	{"*", "anything", true},
	{"**", "", true},
	{"vmap*", "vmap_area", true},
	{"vmap*", "vmalloc", false},
	{"*.add", "list.add", true},
	{"*.add", "list.added", false},
	{"*a*b*", "xxaxxbxx", true},
	{"*a*b", "axbxb", true},
	{"*a*b", "axbxc", false},
	{"*aab", "aaaab", true},
	{"a*b*c", "abcbc", true},
	{"?", "", false},
	{"?", "x", true},
	{"a?c", "abc", true},
	{"a?c", "ac", false},
	{"[abc]", "b", true},
	{"[abc]", "d", false},
	{"[a-cx]1", "b1", true},
	{"[a-cx]1", "x1", true},
	{"[a-cx]1", "d1", false},
	{"[!a-c]", "d", true},
	{"[!a-c]", "b", false},
	{"[a-]", "-", true},
	{"[]]", "]", true},
	{"[!]]", "]", false},
	{"[!]]", "a", true},
	{"[abc", "[abc", true},
	{"[abc", "a", false},
	{"[", "[", true},
	{"*[0-9]", "order_10", true},
	{"*[0-9]", "order_x", false},
	{"[\x80-\xff]", "\xc3", true},
};

TEST(glob, table)
{
	for (size_t i = 0; i < ARRAY_SIZE(globs); i++)
		EXPECTF(glob_match(globs[i].pattern, globs[i].s) ==
				globs[i].matches,
			"pattern \"%s\", string \"%s\"", globs[i].pattern,
			globs[i].s);
}

/* Without care such a pattern takes exponential time. */
TEST(glob, many_stars)
{
	EXPECT(!glob_match("*a*a*a*a*a*a*a*a*a*a*a*b",
			   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}
