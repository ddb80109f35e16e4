/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shell-like patterns. On a mismatch only the last `*` seen has to be tried
 * longer: whatever an earlier one could swallow, the later one can too.
 */
#include <lib/string.h>

/*
 * Match @c against the set whose text begins at @set, behind its `[`. A `]` in
 * the first place is a member.
 * Return: behind the closing `]`, or NULL when there is none.
 */
static const char *match_set(const char *set, char c, bool *matches)
{
	bool negated = *set == '!';
	bool found = false;
	const char *p = set + negated;

	do {
		unsigned char low = (unsigned char)*p, high = low;

		if (!low)
			return NULL;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			high = (unsigned char)p[2];
			p += 2;
		}
		found |= low <= (unsigned char)c && (unsigned char)c <= high;
		p++;
	} while (*p != ']');
	*matches = found != negated;
	return p + 1;
}

/* Match the first element of @pattern, which is no `*`, against @c.
 * Return: the rest of the pattern, or NULL: no match. */
static const char *match_one(const char *pattern, char c)
{
	const char *rest;
	bool matches;

	if (*pattern == '?')
		return pattern + 1;
	if (*pattern == '[') {
		rest = match_set(pattern + 1, c, &matches);
		if (rest)
			return matches ? rest : NULL;
	}
	return *pattern == c ? pattern + 1 : NULL;
}

bool glob_match(const char *pattern, const char *s)
{
	const char *star = NULL, *resume = NULL, *rest;

	while (*s) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = s;
			continue;
		}
		rest = match_one(pattern, *s);
		if (rest) {
			pattern = rest;
			s++;
		} else if (star) {
			pattern = star;
			s = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
