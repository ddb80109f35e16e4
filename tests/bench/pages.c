/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What pages and small objects cost: an allocation and its free together, as
 * in the rows of the same names that were measured on Linux.
 */
#include <lib/bench.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>

/* --- blocks of pages ------------------------------------------------------ */

static void bench_order(struct bench *b, unsigned int order)
{
	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++) {
		struct page *page = alloc_pages(GFP_KERNEL, order);

		if (!page) {
			bench_fail(b, "no block of order %u", order);
			break;
		}
		__free_pages(page, order);
	}
	bench_end(b);
}

BENCH(page_order_0, .ops = 10000, .min_pages = 1)
{
	bench_order(b, 0);
}

BENCH(page_order_1, .ops = 10000, .min_pages = 2)
{
	bench_order(b, 1);
}

BENCH(page_order_3, .ops = 10000, .min_pages = 8)
{
	bench_order(b, 3);
}

BENCH(page_order_4, .ops = 10000, .min_pages = 16)
{
	bench_order(b, 4);
}

BENCH(page_order_9, .ops = 10000, .min_pages = 512)
{
	bench_order(b, 9);
}

BENCH(page_order_10, .ops = 10000, .min_pages = 1024)
{
	bench_order(b, 10);
}

/* --- many pages at once; an operation is one page ------------------------- */

#define BULK_MAX 512

static void bench_bulk(struct bench *b, size_t n)
{
	static struct page *array[BULK_MAX];

	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i += n) {
		size_t got = alloc_pages_bulk(GFP_KERNEL, n, array);

		free_pages_bulk(array, n);
		if (got < n) {
			bench_fail(b, "%zu pages of %zu", got, n);
			break;
		}
	}
	bench_end(b);
}

BENCH(bulk_1, .ops = 10000, .min_pages = 1)
{
	bench_bulk(b, 1);
}

BENCH(bulk_8, .ops = 80000, .min_pages = 8)
{
	bench_bulk(b, 8);
}

BENCH(bulk_64, .ops = 64000, .min_pages = 64)
{
	bench_bulk(b, 64);
}

BENCH(bulk_512, .ops = 51200, .min_pages = 512)
{
	bench_bulk(b, 512);
}

/* --- small objects -------------------------------------------------------- */

/* Read at run time, so that the size class is found then too. */
static volatile size_t small_size = 64;

BENCH(kmalloc_64, .ops = 10000, .min_pages = 1)
{
	size_t size = small_size;

	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++) {
		void *p = kmalloc(size, GFP_KERNEL);

		if (!p) {
			bench_fail(b, "no object of %zu bytes", size);
			break;
		}
		kfree(p);
	}
	bench_end(b);
}

#define BATCH 1000

/* Return: how many objects of @size @object[] has now. */
static size_t fill_batch(void **object, size_t size)
{
	size_t n = 0;

	while (n < BATCH && (object[n] = kmalloc(size, GFP_KERNEL)))
		n++;
	return n;
}

BENCH(kmalloc_64_batch1000, .ops = 10 * BATCH, .min_pages = 32)
{
	static void *object[BATCH];
	size_t size = small_size, n = BATCH;

	bench_begin(b);
	for (unsigned long i = 0; i < b->ops && n == BATCH; i += BATCH) {
		n = fill_batch(object, size);
		for (size_t j = 0; j < n; j++)
			kfree(object[j]);
	}
	bench_end(b);
	if (n < BATCH)
		bench_fail(b, "%zu objects of %d", n, BATCH);
}
