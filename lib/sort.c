/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heapsort. The array is a heap when no element is greater than its parent; the
 * parent of element i is (i - 1) / 2. First the whole array is made a heap from
 * its last parent down to the first element; then the greatest, element 0, is
 * swapped to the end again and again, and the shortened heap mended.
 */
#include <lib/sort.h>
#include <stdbool.h>

struct heap {
	char *base;
	size_t size; /* bytes of an element */
	int (*cmp)(const void *a, const void *b);
};

static inline char *element(const struct heap *heap, size_t i)
{
	return heap->base + i * heap->size;
}

static void swap_elements(const struct heap *heap, size_t i, size_t j)
{
	char *a = element(heap, i), *b = element(heap, j);

	for (size_t left = heap->size; left; left--) {
		char byte = *a;

		*a++ = *b;
		*b++ = byte;
	}
}

static bool less(const struct heap *heap, size_t i, size_t j)
{
	return heap->cmp(element(heap, i), element(heap, j)) < 0;
}

/* Of the heap [0, n) only element @i may be less than its children: let it sink
 * to its place. */
static void sink(const struct heap *heap, size_t i, size_t n)
{
	size_t child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && less(heap, child, child + 1))
			child++;
		if (!less(heap, i, child))
			return;
		swap_elements(heap, i, child);
		i = child;
	}
}

void sort(void *base, size_t n, size_t size,
	  int (*cmp)(const void *a, const void *b))
{
	const struct heap heap = {base, size, cmp};

	for (size_t i = n / 2; i-- > 0;)
		sink(&heap, i, n);
	for (size_t end = n; end-- > 1;) {
		swap_elements(&heap, 0, end);
		sink(&heap, 0, end);
	}
}
