/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NUL-terminated strings, written for clarity: none is on a hot path. */
#include <lib/string.h>

size_t strlen(const char *s)
{
	const char *end = s;

	while (*end)
		end++;
	return (size_t)(end - s);
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++) {
		if (*a != *b)
			return (unsigned char)*a - (unsigned char)*b;
		if (!*a)
			break;
	}
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *s, int c)
{
	for (;; s++) {
		if (*s == (char)c)
			return (char *)s;
		if (!*s)
			return NULL;
	}
}

char *strrchr(const char *s, int c)
{
	const char *last = NULL;

	for (;; s++) {
		if (*s == (char)c)
			last = s;
		if (!*s)
			return (char *)last;
	}
}

char *strstr(const char *s, const char *part)
{
	size_t n = strlen(part);

	for (;; s++) {
		if (!strncmp(s, part, n))
			return (char *)s;
		if (!*s)
			return NULL;
	}
}

long strscpy(char *to, const char *from, size_t size)
{
	size_t n = 0;

	if (!size)
		return -1;
	for (; n < size - 1 && from[n]; n++)
		to[n] = from[n];
	to[n] = '\0';
	return from[n] ? -1 : (long)n;
}
