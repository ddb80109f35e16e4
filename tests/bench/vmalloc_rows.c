/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one vmalloc and one vmap costs, freeing included. There are enough
 * operations in each row that it pays for purges, too, as often as they occur.
 */
#include <arch/va.h>
#include <lib/bench.h>
#include <lib/compiler.h>
#include <mm/hooks.h>
#include <mm/page_alloc.h>
#include <mm/vmalloc.h>
#include <tests/bench/vmalloc_loops.h>

static void fix_size(struct bench *b, size_t pages)
{
	int err;

	bench_begin(b);
	err = fix_size_loop(b->ops, pages);
	bench_end(b);
	if (err)
		bench_fail(b, "no %zu pages", pages);
}

BENCH(fix_size_1, .ops = 20000, .min_pages = 256)
{
	fix_size(b, 1);
}

BENCH(fix_size_3, .ops = 10000, .min_pages = 256)
{
	fix_size(b, 3);
}

BENCH(fix_size_16, .ops = 4000, .min_pages = 256)
{
	fix_size(b, 16);
}

BENCH(fix_size_512, .ops = 160, .min_pages = 768)
{
	fix_size(b, 512);
}

BENCH(fix_size_1024, .ops = 80, .min_pages = 1280)
{
	fix_size(b, 1024);
}

BENCH(full_fit, .ops = 20000, .min_pages = 17500)
{
	struct full_fit f;
	int err = full_fit_setup(&f);

	if (!err) {
		bench_begin(b);
		err = full_fit_loop(b->ops);
		bench_end(b);
	}
	if (err)
		bench_fail(b, "needs %zu pages", full_fit_pages());
	full_fit_teardown(&f);
}

BENCH(long_busy_list, .ops = 400, .min_pages = 16200)
{
	void *array;
	int err = long_busy_setup(&array);

	if (!err) {
		bench_begin(b);
		err = long_busy_loop(b->ops);
		bench_end(b);
	}
	if (err)
		bench_fail(b, "needs %zu pages", long_busy_pages());
	long_busy_teardown(array);
}

BENCH(random_size, .ops = 2000, .min_pages = 256)
{
	struct rng rng;
	int err;

	rng_seed(&rng, VMALLOC_LOOPS_SEED);
	bench_begin(b);
	err = random_size_loop(b->ops, &rng);
	bench_end(b);
	if (err)
		bench_fail(b, "no 100 pages");
}

static void huge_row(struct bench *b, size_t pages)
{
	int err;

	bench_begin(b);
	err = fix_size_huge_loop(b->ops, pages);
	bench_end(b);
	if (err)
		bench_fail(b, "no %zu pages", pages);
}

BENCH(fix_size_huge_512, .ops = 160, .min_pages = 2048)
{
	huge_row(b, 512);
}

BENCH(fix_size_huge_1024, .ops = 80, .min_pages = 4096)
{
	huge_row(b, 1024);
}

BENCH(fix_align, .ops = 4000, .min_pages = 256)
{
	int err;

	bench_begin(b);
	err = fix_align_loop(b->ops);
	bench_end(b);
	if (err)
		bench_fail(b, "no 5 pages");
}

BENCH(random_size_align, .ops = 4000, .min_pages = 256)
{
	struct rng rng;
	int err;

	rng_seed(&rng, VMALLOC_LOOPS_SEED);
	bench_begin(b);
	err = random_size_align_loop(b->ops, &rng);
	bench_end(b);
	if (err)
		bench_fail(b, "no 10 pages");
}

/* ---- after a grace period ------------------------------------------------ */

/* The caller's side; what is freed is freed after the clock was stopped. */
static void kvfree_row(struct bench *b, bool with_head)
{
	int err;

	bench_begin(b);
	err = kvfree_rcu_loop(b->ops, with_head);
	bench_end(b);
	if (err)
		bench_fail(b, "no %lu pages", b->ops);
	for (unsigned int i = 0; i < 64; i++)
		mm_yield();
}

BENCH(kvfree_rcu_1_arg, .ops = 2000, .min_pages = 8192)
{
	kvfree_row(b, false);
}

BENCH(kvfree_rcu_2_arg, .ops = 2000, .min_pages = 8192)
{
	kvfree_row(b, true);
}

static int vmap_loop(unsigned long loops, struct page **pages,
		     unsigned int count)
{
	for (unsigned long i = 0; i < loops; i++) {
		void *p = vmap(pages, count, VM_MAP, PAGE_KERNEL);

		if (!p)
			return -1;
		vunmap(p);
	}
	return 0;
}

/* ---- many busy areas ----------------------------------------------------- */

/*
 * The same page mapped and unmapped while @nr other areas map it, too: the cost
 * must not depend on @nr.
 */
static void busy_row(struct bench *b, size_t nr)
{
	struct page *page = alloc_page(GFP_KERNEL);
	void *all = vzalloc((nr + 1) * sizeof(uint64_t));
	size_t made = 0;
	int err = page && all ? 0 : -1;

	for (; made < nr && !err; made++) {
		void *p = vmap(&page, 1, VM_MAP, PAGE_KERNEL);

		va_store64((va_t)all + made * sizeof(uint64_t), (va_t)p);
		err = p ? 0 : -1;
	}
	if (!err) /* until this CPU's caches are full again */
		err = vmap_loop(b->ops, &page, 1);
	if (!err) {
		bench_begin(b);
		err = vmap_loop(b->ops, &page, 1);
		bench_end(b);
	}
	for (size_t i = 0; i < made; i++)
		vunmap((void *)va_load64((va_t)all + i * sizeof(uint64_t)));
	vfree(all);
	if (page)
		__free_page(page);
	if (err)
		bench_fail(b, "no memory for %zu areas", nr);
}

BENCH(busy_areas_10, .ops = 20000, .min_pages = 4096)
{
	busy_row(b, 10);
}

BENCH(busy_areas_3000, .ops = 20000, .min_pages = 4096)
{
	busy_row(b, 3000);
}

BENCH(busy_areas_300000, .ops = 20000, .min_pages = 32768)
{
	busy_row(b, 300000);
}

/* ---- vmap --------------------------------------------------------------- */

#define MAX_MAPPED 256

static void vmap_row(struct bench *b, unsigned int count)
{
	static struct page *pages[MAX_MAPPED];
	int err = -1;

	if (alloc_pages_bulk(GFP_KERNEL, count, pages) == count) {
		bench_begin(b);
		err = vmap_loop(b->ops, pages, count);
		bench_end(b);
	}
	if (err)
		bench_fail(b, "no memory for %u pages", count);
	free_pages_bulk(pages, count);
}

BENCH(vmap_1, .ops = 20000, .min_pages = 256)
{
	vmap_row(b, 1);
}

BENCH(vmap_16, .ops = 4000, .min_pages = 256)
{
	vmap_row(b, 16);
}

BENCH(vmap_256, .ops = 400, .min_pages = 512)
{
	vmap_row(b, MAX_MAPPED);
}

BENCH(vmalloc_to_page, .ops = 1000, .min_pages = 64)
{
	void *p = vmalloc(PAGE_SIZE);
	unsigned long found = 0;

	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++)
		found += vmalloc_to_page(p) != NULL;
	bench_end(b);
	if (found != b->ops)
		bench_fail(b, "%lu of %lu look-ups", found, b->ops);
	vfree(p);
}
