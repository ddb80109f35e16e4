/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes and NUL-terminated strings. Any context; nothing here allocates.
 *
 * The four mem* functions are the machine's (arch/x86_64/platform), and the C
 * library's in the hosted build. The others are ours everywhere; there
 * machine/rename.h moves those that the C library has too out of its way:
 *   strlen strcmp strncmp strchr strrchr strstr vsnprintf snprintf
 */
#ifndef LIB_STRING_H
#define LIB_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);

/* Return: the number of bytes before the NUL. */
size_t strlen(const char *s);

/* Compare as unsigned bytes. Return: < 0, 0 or > 0 as @a is before @b. */
int strcmp(const char *a, const char *b);

/* The same of the first @n bytes at most. */
int strncmp(const char *a, const char *b, size_t n);

/* Return: the first (last) @c in @s, the final NUL included; or NULL. */
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);

/* Return: where @part begins in @s, or NULL; @s for an empty @part. */
char *strstr(const char *s, const char *part);

/*
 * Copy @from into the @size bytes at @to, cut to fit; NUL-terminated whenever
 * @size > 0.
 * Return: the length of the copy; -1 when it was cut.
 */
long strscpy(char *to, const char *from, size_t size);

/*
 * Match all of @s: `*` stands for any bytes, `?` for one, `[a-z_]` for one of a
 * set, `[!a]` for one that is not in it. A `[` that is never closed stands for
 * itself. Time O(strlen(pattern) * strlen(s)).
 * Return: true when it matches.
 */
bool glob_match(const char *pattern, const char *s);

/*
 * Read all of @s as an unsigned number: decimal or 0x…, then one of the
 * suffixes K, M, G (1 << 10, 20, 30) or none.
 * Return: 0; -EINVAL when it is no number, -ERANGE when it does not fit in 64
 * bits; @value is unchanged then.
 */
int parse_u64(const char *s, uint64_t *value);

#endif
