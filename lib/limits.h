/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ends of C's integer types. The compiler's own <limits.h> goes on to
 * include that of a C library, which need not be installed.
 */
#ifndef LIB_LIMITS_H
#define LIB_LIMITS_H

#define INT_MAX    __INT_MAX__
#define INT_MIN    (-INT_MAX - 1)
#define UINT_MAX   (INT_MAX * 2U + 1U)
#define LLONG_MAX  __LONG_LONG_MAX__
#define LLONG_MIN  (-LLONG_MAX - 1LL)
#define ULLONG_MAX (LLONG_MAX * 2ULL + 1ULL)
#define LONG_MAX   __LONG_MAX__
#define LONG_MIN   (-LONG_MAX - 1L)
#define ULONG_MAX  (LONG_MAX * 2UL + 1UL)

#endif
