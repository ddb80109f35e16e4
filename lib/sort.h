/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_SORT_H
#define LIB_SORT_H

#include <stddef.h>

/*
 * Sort the @n elements of @size bytes at @base in ascending order of @cmp,
 * which returns < 0, 0 or > 0. In place, O(n log n) always, not stable; no
 * recursion and no memory. Context: that of @cmp.
 */
void sort(void *base, size_t n, size_t size,
	  int (*cmp)(const void *a, const void *b));

#endif
