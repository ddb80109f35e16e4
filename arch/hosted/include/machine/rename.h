/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Included before anything else in every file of lib/, mm/ and tests/: names
 * that the C library defines too get a prefix, so that a hosted executable has
 * both. The C library's own stay untouched; the sanitizers watch those.
 *
 * memcpy, memmove, memset and memcmp are not here: the compiler calls them by
 * name, and when hosted they are the C library's.
 */
#ifndef MACHINE_RENAME_H
#define MACHINE_RENAME_H

#define memchr      quire_memchr
#define memrchr     quire_memrchr
#define strcat      quire_strcat
#define strchr      quire_strchr
#define strchrnul   quire_strchrnul
#define strcmp      quire_strcmp
#define strcpy      quire_strcpy
#define strcspn     quire_strcspn
#define strdup      quire_strdup
#define strlcat     quire_strlcat
#define strlcpy     quire_strlcpy
#define strlen      quire_strlen
#define strncat     quire_strncat
#define strncmp     quire_strncmp
#define strncpy     quire_strncpy
#define strnlen     quire_strnlen
#define strpbrk     quire_strpbrk
#define strrchr     quire_strrchr
#define strsep      quire_strsep
#define strspn      quire_strspn
#define strstr      quire_strstr
#define strtok      quire_strtok
#define strtol      quire_strtol
#define strtoul     quire_strtoul
#define strtoull    quire_strtoull
#define printf      quire_printf
#define vprintf     quire_vprintf
#define puts        quire_puts
#define putchar     quire_putchar
#define sprintf     quire_sprintf
#define vsprintf    quire_vsprintf
#define snprintf    quire_snprintf
#define vsnprintf   quire_vsnprintf
#define abs         quire_abs
#define qsort       quire_qsort
#define random      quire_random
#define srandom     quire_srandom
#define toupper     quire_toupper
#define tolower     quire_tolower
#define isalnum     quire_isalnum
#define isalpha     quire_isalpha
#define isblank     quire_isblank
#define isdigit     quire_isdigit
#define isprint     quire_isprint
#define isspace     quire_isspace
#define isxdigit    quire_isxdigit
#define yield       quire_yield
#define sched_yield quire_sched_yield

#endif
