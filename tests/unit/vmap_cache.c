/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Per-CPU caches of ranges: what they hand out, keep, and give back. */
#include <arch/smp.h>
#include <arch/tlb.h>
#include <arch/va.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/random.h>
#include <lib/string.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/vmalloc.h>
#include <tests/unit/one_line.h>
#include <tests/unit/vmap_window.h>

#define PAGES(n) ((n)*PAGE_SIZE)

static DEFINE_PER_CPU(struct vmap_cpu, test_cpus) __aligned(64);

static struct vmap_window w;

static unsigned int flushes;

static void count_flush(va_t start, va_t end)
{
	flushes++;
	tlb_flush_kernel_range(start, end);
}

/* A window that has caches of its own. */
static bool open_window(size_t pages)
{
	if (!window_open(&w, pages))
		return false;
	w.space.cpus = &test_cpus;
	w.space.flush = count_flush;
	flushes = 0;
	return true;
}

static void close_window(void)
{
	purge_vmap_area_lazy(&w.space);
	vmap_empty_caches(&w.space);
	EXPECT(vmap_verify_space(&w.space));
	window_close(&w);
}

static void *get(size_t pages, size_t align, gfp_t gfp)
{
	return vmalloc_in(&w.space, &(const struct vm_request){
					    .size = PAGES(pages),
					    .align = align,
					    .start = w.space.start,
					    .end = w.space.end,
					    .gfp = gfp | __GFP_NOWARN,
					    .prot = PAGE_KERNEL,
					    .flags = VM_ALLOC,
					    .node = NUMA_NO_NODE,
				    });
}

static void put(void *p)
{
	vfree_in(&w.space, p);
}

static size_t cached_pages(void)
{
	return vmap_space_stats(&w.space).cached_pages;
}

TEST(vmap_cache, a_range_is_used_again_after_the_flush)
{
	struct vm_struct *vm;
	void *p, *q, *r;

	REQUIRE(open_window(512));
	p = get(3, 1, GFP_KERNEL);
	REQUIRE_NOT_NULL(p);
	vm = va_vm(find_vmap_area(&w.space, (va_t)p));
	put(p);
	q = get(3, 1, GFP_KERNEL);
	EXPECT(q != p); /* not flushed yet */
	EXPECT_EQ(flushes, 0);
	EXPECT_EQ(purge_vmap_area_lazy(&w.space), 4);
	EXPECT_EQ(flushes, 1);
	EXPECT_EQ(cached_pages(), 4);
	EXPECT(vmap_verify_space(&w.space));
	r = get(3, 1, GFP_KERNEL);
	EXPECT(r == p);
	EXPECT(va_vm(find_vmap_area(&w.space, (va_t)r)) == vm);
	EXPECT_EQ(cached_pages(), 0);
	va_store8((va_t)r + PAGES(2), 1);
	put(q);
	put(r);
	close_window();
}

TEST(vmap_cache, nothing_is_flushed_twice)
{
	void *p;

	REQUIRE(open_window(512));
	p = get(1, 1, GFP_KERNEL);
	put(p);
	EXPECT_EQ(purge_vmap_area_lazy(&w.space), 2);
	EXPECT_EQ(purge_vmap_area_lazy(&w.space), 0);
	vmap_empty_caches(&w.space);
	EXPECT_EQ(purge_vmap_area_lazy(&w.space), 0);
	EXPECT_EQ(flushes, 1);
	close_window();
}

TEST(vmap_cache, alignment_and_size_are_looked_for)
{
	void *p[3], *q;

	REQUIRE(open_window(2048));
	for (unsigned int i = 0; i < 3; i++)
		p[i] = get(2, i == 1 ? PAGES(64) : 1, GFP_KERNEL);
	for (unsigned int i = 0; i < 3; i++)
		put(p[i]);
	purge_vmap_area_lazy(&w.space);
	q = get(2, PAGES(64), GFP_KERNEL);
	EXPECT(q == p[1] || q == p[0]); /* the window's first page is aligned */
	EXPECT_EQ((va_t)q % PAGES(64), 0);
	put(q);
	/* Two sizes of one class. */
	p[0] = get(VMAP_CACHE_SIZES + 16, 1, GFP_KERNEL);
	p[1] = get(VMAP_CACHE_SIZES + 32, 1, GFP_KERNEL);
	put(p[0]);
	put(p[1]);
	purge_vmap_area_lazy(&w.space);
	EXPECT(get(VMAP_CACHE_SIZES + 32, 1, GFP_KERNEL) == p[1]);
	EXPECT(get(VMAP_CACHE_SIZES + 16, 1, GFP_KERNEL) == p[0]);
	EXPECT(vmap_verify_space(&w.space));
	put(p[0]);
	put(p[1]);
	close_window();
}

TEST(vmap_cache, no_room_empties_the_caches_without_a_flush)
{
	void *p[16], *q;

	REQUIRE(open_window(64));
	for (unsigned int i = 0; i < 16; i++)
		p[i] = get(3, 1, GFP_KERNEL);
	for (unsigned int i = 0; i < 16; i++)
		put(p[i]);
	EXPECT_NULL(get(7, 1, GFP_ATOMIC));
	EXPECT_EQ(flushes, 0);
	purge_vmap_area_lazy(&w.space);
	EXPECT_EQ(cached_pages(), 64);
	q = get(7, 1, GFP_ATOMIC);
	EXPECT_NOT_NULL(q);
	EXPECT_EQ(flushes, 1);
	EXPECT_EQ(cached_pages(), 0);
	put(q);
	q = get(60, 1, GFP_KERNEL); /* wants what is lazy now */
	EXPECT_NOT_NULL(q);
	EXPECT_EQ(flushes, 2);
	put(q);
	close_window();
}

TEST(vmap_cache, windowed_requests_get_what_is_cached)
{
	const struct vm_request req = {.size = PAGES(3),
				       .align = PAGE_SIZE,
				       .gfp = GFP_KERNEL,
				       .prot = PAGE_KERNEL,
				       .flags = VM_ALLOC};
	struct vm_request exact = req;
	void *p, *q;

	REQUIRE(open_window(64));
	p = get(5, 1, GFP_KERNEL);
	put(p);
	purge_vmap_area_lazy(&w.space);
	EXPECT_EQ(cached_pages(), 6);
	exact.start = (va_t)p + PAGES(1);
	exact.end = exact.start + PAGES(4);
	q = vmalloc_in(&w.space, &exact);
	EXPECT_EQ((va_t)q, exact.start);
	put(q);
	/* Lazy now; the next wants part of it. */
	exact.start += PAGES(1);
	exact.end = exact.start + PAGES(4);
	q = vmalloc_in(&w.space, &exact);
	EXPECT_EQ((va_t)q, exact.start);
	put(q);
	close_window();
}

TEST(vmap_cache, what_nobody_asks_for_decays)
{
	void *p[8], *other;

	REQUIRE(open_window(512));
	for (unsigned int i = 0; i < 8; i++)
		p[i] = get(2, 1, GFP_KERNEL);
	for (unsigned int i = 0; i < 8; i++)
		put(p[i]);
	purge_vmap_area_lazy(&w.space);
	EXPECT_EQ(cached_pages(), 24);
	for (unsigned int i = 0; i < 16; i++) {
		other = get(1, 1, GFP_KERNEL);
		put(other);
		purge_vmap_area_lazy(&w.space);
		EXPECT(vmap_verify_space(&w.space));
	}
	EXPECT_EQ(cached_pages(), 2);
	close_window();
}

TEST(vmap_cache, each_nested_allocation_may_fail)
{
	struct fault_attr *attrs[] = {&failslab, &fail_page_alloc};

	REQUIRE(open_window(4096));
	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(attrs); i++) {
		struct fault_attr *attr = attrs[i / 2];
		unsigned long nth = 0;
		void *p;

		do {
			fault_inject_arm(attr, ++nth);
			p = get(i % 2 ? 5 : 1, 1, GFP_KERNEL);
			fault_inject_disarm(attr);
			EXPECT(vmap_verify_space(&w.space));
			purge_vmap_area_lazy(&w.space);
		} while (!p && nth < 20);
		EXPECT_NOT_NULL(p);
		put(p);
	}
	close_window();
}

/* ---- many CPUs ---------------------------------------------------------- */

#define SLOTS 24

struct worker {
	struct rng rng;
	uint64_t tag;
	struct {
		void *p;
		size_t nr;
	} slot[SLOTS];
	unsigned int wrong, failed;
};

static struct worker workers[MAX_CPUS];
static _Atomic(void *) exchange[SLOTS]; /* to be freed by whoever takes it */

static void mark(struct worker *me, void *p, size_t nr, bool check)
{
	for (size_t i = 0; i < nr; i++) {
		va_t at = (va_t)p + PAGES(i);

		if (!check)
			va_store64(at, me->tag + at);
		else if (va_load64(at) != me->tag + at)
			me->wrong++;
	}
}

static void turn(struct worker *me)
{
	unsigned int i = (unsigned int)rng_below(&me->rng, SLOTS);

	if (me->slot[i].p) {
		mark(me, me->slot[i].p, me->slot[i].nr, true);
		if (rng_below(&me->rng, 3) == 0)
			me->slot[i].p =
				atomic_exchange(&exchange[i], me->slot[i].p);
		put(me->slot[i].p);
		me->slot[i].p = NULL;
		return;
	}
	me->slot[i].nr = 1 + rng_below(&me->rng, 6);
	me->slot[i].p = get(me->slot[i].nr, PAGE_SIZE << rng_below(&me->rng, 3),
			    rng_below(&me->rng, 4) ? GFP_KERNEL : GFP_ATOMIC);
	if (!me->slot[i].p)
		me->failed++;
	else
		mark(me, me->slot[i].p, me->slot[i].nr, false);
}

static void work(void *arg)
{
	struct worker *me = &workers[cpu_id()];
	unsigned int steps = *(unsigned int *)arg;

	for (unsigned int i = 0; i < steps; i++) {
		turn(me);
		if (rng_below(&me->rng, 200) == 0)
			purge_vmap_area_lazy(&w.space);
		if (rng_below(&me->rng, 500) == 0)
			vmap_empty_caches(&w.space);
	}
	for (unsigned int i = 0; i < SLOTS; i++)
		put(me->slot[i].p);
}

/*
 * Every CPU allocates, writes, checks, frees, also what others allocated, and
 * purges, in a window that is often full. No page is two areas' at once, and in
 * the end everything is free.
 */
TEST(vmap_cache, all_cpus_at_once)
{
	unsigned int steps = 2000, cpu;

	REQUIRE(open_window(1024));
	memset(workers, 0, sizeof(workers));
	for_each_cpu(cpu, cpu_online_mask()) {
		rng_seed(&workers[cpu].rng, test_seed() + cpu);
		workers[cpu].tag = (uint64_t)(cpu + 1) << 56;
	}
	test_run_on_cpus(cpu_online_mask(), work, &steps);
	for_each_cpu(cpu, cpu_online_mask())
		EXPECT_EQ(workers[cpu].wrong, 0);
	for (unsigned int i = 0; i < SLOTS; i++)
		put(atomic_exchange(&exchange[i], NULL));
	EXPECT(vmap_verify_space(&w.space));
	EXPECT_EQ(vmap_space_stats(&w.space).nr_busy, 0);
	purge_vmap_area_lazy(&w.space);
	vmap_empty_caches(&w.space);
	EXPECT_EQ(vmap_space_stats(&w.space).nr_free, 1);
	EXPECT(buddy_verify());
	EXPECT(slab_verify());
	close_window();
}
