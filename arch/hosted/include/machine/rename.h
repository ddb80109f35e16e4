/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Included before anything else in every file of lib/, mm/ and tests/: names
 * that the C library defines too get a prefix, so that a hosted executable has
 * both. The C library's own stay untouched; the sanitizers watch those.
 *
 * memcpy, memmove, memset and memcmp are not here: the compiler calls them by
 * name, and when hosted they are the C library's. Nor is printf, which is also
 * the name of an attribute.
 */
#ifndef MACHINE_RENAME_H
#define MACHINE_RENAME_H

#define memchr    quire_memchr
#define strcat    quire_strcat
#define strchr    quire_strchr
#define strcmp    quire_strcmp
#define strcpy    quire_strcpy
#define strlcat   quire_strlcat
#define strlcpy   quire_strlcpy
#define strlen    quire_strlen
#define strncat   quire_strncat
#define strncmp   quire_strncmp
#define strncpy   quire_strncpy
#define strnlen   quire_strnlen
#define strrchr   quire_strrchr
#define strsep    quire_strsep
#define strstr    quire_strstr
#define strtoul   quire_strtoul
#define strtoull  quire_strtoull
#define snprintf  quire_snprintf
#define vsnprintf quire_vsnprintf

#endif
