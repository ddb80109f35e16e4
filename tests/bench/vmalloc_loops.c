/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bodies of test_vmalloc's tests. */
#include <arch/cpu.h>
#include <arch/va.h>
#include <lib/compiler.h>
#include <lib/math.h>
#include <mm/kvfree.h>
#include <mm/vmalloc.h>
#include <tests/bench/vmalloc_loops.h>

/* Allocate @pages pages and store @value in the first byte. */
static void *get(size_t pages, uint8_t value)
{
	void *p = vmalloc(pages << PAGE_SHIFT);

	if (likely(p))
		va_store8((va_t)p, value);
	return p;
}

int fix_size_loop(unsigned long loops, size_t pages)
{
	for (unsigned long i = 0; i < loops; i++) {
		void *p = get(pages, 0);

		if (!p)
			return -1;
		vfree(p);
	}
	return 0;
}

/* ---- arrays of addresses ------------------------------------------------ */

/* They lie in vmalloc space themselves. */
static va_t slot(void *array, size_t i)
{
	return (va_t)array + i * sizeof(uint64_t);
}

static int fill_slot(void *array, size_t i)
{
	void *p = get(1, 0);

	va_store64(slot(array, i), (va_t)p);
	return p ? 0 : -1;
}

static void free_slots(void *array, size_t nr)
{
	for (size_t i = 0; array && i < nr; i++)
		vfree((void *)va_load64(slot(array, i)));
}

static void *alloc_slots(size_t nr)
{
	return vzalloc(nr * sizeof(uint64_t));
}

/* Memory for @nr areas of one page: descriptors and tables take 1/20. */
static size_t pages_of_areas(size_t nr)
{
	return nr + nr / 16;
}

/* ---- full_fit ----------------------------------------------------------- */

static size_t full_fit_holes(void)
{
	return fls(cpus_online()) * 8192UL;
}

size_t full_fit_pages(void)
{
	return pages_of_areas(2 * full_fit_holes());
}

int full_fit_setup(struct full_fit *f)
{
	int err = 0;

	f->nr = full_fit_holes();
	f->keep = alloc_slots(f->nr);
	f->junk = alloc_slots(f->nr);
	if (!f->keep || !f->junk)
		return -1;
	for (size_t i = 0; i < f->nr && !err; i++)
		err = fill_slot(f->keep, i) ?: fill_slot(f->junk, i);
	free_slots(f->junk, f->nr);
	return err;
}

int full_fit_loop(unsigned long loops)
{
	for (unsigned long i = 0; i < loops; i++) {
		void *p = get(1, 1);

		if (!p)
			return -1;
		vfree(p);
	}
	return 0;
}

void full_fit_teardown(struct full_fit *f)
{
	free_slots(f->keep, f->nr);
	vfree(f->keep);
	vfree(f->junk);
}

/* ---- long_busy_list ----------------------------------------------------- */

size_t long_busy_pages(void)
{
	return pages_of_areas(LONG_BUSY_AREAS) + 128;
}

int long_busy_setup(void **array)
{
	int err = 0;

	*array = alloc_slots(LONG_BUSY_AREAS);
	if (!*array)
		return -1;
	for (size_t i = 0; i < LONG_BUSY_AREAS && !err; i++)
		err = fill_slot(*array, i);
	return err;
}

int long_busy_loop(unsigned long loops)
{
	for (unsigned long i = 0; i < loops; i++) {
		void *large = get(100, 0), *small = get(1, 1);

		vfree(large);
		vfree(small);
		if (!large || !small)
			return -1;
	}
	return 0;
}

void long_busy_teardown(void *array)
{
	free_slots(array, LONG_BUSY_AREAS);
	vfree(array);
}

/* ---- random_size -------------------------------------------------------- */

int random_size_loop(unsigned long loops, struct rng *rng)
{
	for (unsigned long i = 0; i < loops; i++) {
		void *p = get(1 + rng_below(rng, 100), 1);

		if (!p)
			return -1;
		vfree(p);
	}
	return 0;
}

/* ---- large, aligned ----------------------------------------------------- */

int fix_size_huge_loop(unsigned long loops, size_t pages)
{
	for (unsigned long i = 0; i < loops; i++) {
		void *p = vmalloc_huge(pages << PAGE_SHIFT, GFP_KERNEL);

		if (!p)
			return -1;
		va_store8((va_t)p, 0);
		vfree(p);
	}
	return 0;
}

static void *zeroed(size_t pages, size_t align)
{
	return __vmalloc_node_range(pages << PAGE_SHIFT, align, VMALLOC_START,
				    VMALLOC_END,
				    GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN,
				    PAGE_KERNEL, 0, NUMA_NO_NODE);
}

int fix_align_loop(unsigned long loops)
{
	for (unsigned long i = 0; i < loops; i++) {
		void *p = zeroed(5, 8 * PAGE_SIZE);

		if (!p)
			return -1;
		vfree(p);
	}
	return 0;
}

int random_size_align_loop(unsigned long loops, struct rng *rng)
{
	for (unsigned long i = 0; i < loops; i++) {
		unsigned int r = (unsigned int)rng_below(rng, 256);
		void *p = zeroed(r % 10 + 1, 1UL << r % 23);

		if (!p)
			return -1;
		vfree(p);
	}
	return 0;
}

int align_shift_once(void)
{
	for (unsigned int i = 0; i < 64; i++) {
		void *p = zeroed(1, 1UL << i);

		if (!p)
			return -1;
		vfree(p);
	}
	return 0;
}

/* ---- others ------------------------------------------------------------- */

int kvfree_rcu_loop(unsigned long loops, bool with_head)
{
	for (unsigned long i = 0; i < loops; i++) {
		void *p = vmalloc(PAGE_SIZE);

		if (!p)
			return -1;
		va_store8((va_t)p + sizeof(struct kvfree_head), 'a');
		if (with_head)
			kvfree_rcu(p, p);
		else
			kvfree_rcu_mightsleep(p);
	}
	return 0;
}

int no_block_loop(unsigned long loops, size_t pages, struct rng *rng)
{
	for (unsigned long i = 0; i < loops; i++) {
		gfp_t gfp = rng_below(rng, 2) ? GFP_ATOMIC : GFP_NOWAIT;
		void *p = __vmalloc_node_range(pages << PAGE_SHIFT, 1,
					       VMALLOC_START, VMALLOC_END, gfp,
					       PAGE_KERNEL, 0, NUMA_NO_NODE);

		if (!p)
			return -1;
		va_store8((va_t)p, 0);
		vfree(p);
	}
	return 0;
}

/* One life of an allocation. */
static int vrealloc_once(void)
{
	static const size_t sizes[] = {4 * PAGE_SIZE, PAGE_SIZE, PAGE_SIZE / 2,
				       PAGE_SIZE};
	void *p = get(1, 'a');
	int err = p ? 0 : -1;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes) && !err; i++) {
		void *q = vrealloc(p, sizes[i], GFP_KERNEL);

		if (!q || va_load8((va_t)q) != 'a')
			err = -1;
		p = q ?: p;
	}
	vfree(p);
	return err;
}

int vrealloc_loop(unsigned long loops)
{
	for (unsigned long i = 0; i < loops; i++)
		if (vrealloc_once())
			return -1;
	return 0;
}
