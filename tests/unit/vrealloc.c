/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vrealloc: in place and not, what is kept, what is given back. */
#include <arch/tlb.h>
#include <arch/va.h>
#include <lib/math.h>
#include <lib/random.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/vmalloc.h>
#include <mm/vmap_purge.h>
#include <tests/unit/one_line.h>

#define PAGES(n) ((n)*PAGE_SIZE)

static bool readable(va_t va)
{
	uint8_t value;

	return va_try_load8(va, &value);
}

static void fill(void *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i += 512)
		va_store8((va_t)p + i, (uint8_t)(i / 512));
}

static bool kept(const void *p, size_t size)
{
	for (size_t i = 0; i < size; i += 512)
		if (va_load8((va_t)p + i) != (uint8_t)(i / 512))
			return false;
	return true;
}

TEST(vrealloc, null_and_zero)
{
	void *p = vrealloc(NULL, 100, GFP_KERNEL);

	REQUIRE_NOT_NULL(p);
	EXPECT_EQ(find_vm_area(p)->size, 100);
	EXPECT_NULL(vrealloc(p, 0, GFP_KERNEL));
	EXPECT_NULL(find_vm_area(p));
	p = vrealloc(NULL, PAGES(2), GFP_KERNEL | __GFP_ZERO);
	REQUIRE_NOT_NULL(p);
	EXPECT_EQ(va_load64((va_t)p + PAGES(2) - 8), 0);
	vfree(p);
}

TEST(vrealloc, shrinks_in_place_and_gives_pages_back)
{
	void *p = vmalloc(PAGES(8));
	unsigned long free;

	REQUIRE_NOT_NULL(p);
	fill(p, 0, PAGES(8));
	free = nr_free_pages();
	EXPECT(vrealloc(p, PAGES(3) - 5, GFP_KERNEL) == p);
	EXPECT_EQ(nr_free_pages(), free + 5);
	EXPECT_EQ(find_vm_area(p)->size, PAGES(3) - 5);
	EXPECT(kept(p, PAGES(3) - 5));
	EXPECT_NULL(vmalloc_to_page(p + PAGES(3)));
	EXPECT(vmap_verify());
	EXPECT(vrealloc(p, 10, GFP_KERNEL) == p);
	EXPECT_EQ(nr_free_pages(), free + 7);
	EXPECT(vmap_verify());
	vfree(p);
	EXPECT_EQ(nr_free_pages(), free + 8);
	EXPECT(vmap_verify());
}

/* The pages that are mapped anew must be seen, not those that were there. */
TEST(vrealloc, grows_where_it_shrank)
{
	void *p = vmalloc(PAGES(8));

	REQUIRE_NOT_NULL(p);
	fill(p, 0, PAGES(8));
	EXPECT(vrealloc(p, PAGES(2), GFP_KERNEL) == p);
	EXPECT(vrealloc(p, PAGES(6), GFP_KERNEL | __GFP_ZERO) == p);
	EXPECT(kept(p, PAGES(2)));
	for (size_t i = 2; i < 6; i++) {
		struct page *page = vmalloc_to_page(p + PAGES(i));

		REQUIRE_NOT_NULL(page);
		EXPECT_EQ(va_load64((va_t)p + PAGES(i)), 0);
		*(uint64_t *)page_address(page) = i;
		EXPECT_EQ(va_load64((va_t)p + PAGES(i)), i);
	}
	EXPECT(!readable((va_t)p + PAGES(6)));
	EXPECT(vmap_verify());
	vfree(p);
}

TEST(vrealloc, grows_into_free_addresses)
{
	void *p, *q;

	/* Larger than anything before, so that nothing lies behind it. */
	vmap_drain();
	p = vmalloc(PAGES(700));
	REQUIRE_NOT_NULL(p);
	fill(p, 0, PAGES(700));
	q = vrealloc(p, PAGES(900), GFP_KERNEL);
	EXPECT(q == p);
	EXPECT(kept(p, PAGES(700)));
	EXPECT(readable((va_t)p + PAGES(900) - 1));
	EXPECT(!readable((va_t)p + PAGES(900)));
	EXPECT(find_vm_area(p + PAGES(899)) == find_vm_area(p));
	EXPECT(vmap_verify());
	vfree(q);
	EXPECT(vmap_verify());
}

TEST(vrealloc, one_page_grows_in_place)
{
	void *p, *q;

	vmap_drain();
	p = vmalloc(1);
	REQUIRE_NOT_NULL(p);
	va_store8((va_t)p, 'a');
	q = vrealloc(p, PAGES(4), GFP_KERNEL);
	REQUIRE_NOT_NULL(q);
	EXPECT_EQ(va_load8((va_t)q), 'a');
	va_store8((va_t)q + PAGES(4) - 1, 1);
	EXPECT(vmap_verify());
	vfree(q);
	EXPECT(vmap_verify());
}

TEST(vrealloc, moves_where_there_is_a_neighbour)
{
	void *p, *neighbour, *q;

	vmap_drain();
	p = vmalloc(PAGES(2));
	neighbour = vmalloc(PAGES(2));
	REQUIRE_NOT_NULL(p);
	REQUIRE_NOT_NULL(neighbour);
	fill(p, 0, PAGES(2));
	fill(neighbour, 0, PAGES(2));
	q = vrealloc(p, PAGES(600), GFP_KERNEL);
	REQUIRE_NOT_NULL(q);
	EXPECT(kept(q, PAGES(2)));
	EXPECT(kept(neighbour, PAGES(2)));
	if (q != p)
		EXPECT_NULL(find_vm_area(p));
	EXPECT(vmap_verify());
	vfree(q);
	vfree(neighbour);
}

TEST(vrealloc, bad_pointers_give_one_line)
{
	void *p = vmalloc(PAGES(2)), *q = p;

	REQUIRE_NOT_NULL(p);
	EXPECT_ONE_LINE(q = vrealloc(p + PAGES(1), 1, GFP_KERNEL),
			"no allocation begins there");
	EXPECT_NULL(q);
	EXPECT_ONE_LINE(q = vrealloc(&q, 1, GFP_KERNEL),
			"no allocation begins there");
	EXPECT_ONE_LINE(q = vrealloc(p, (nr_managed_pages() + 1) << PAGE_SHIFT,
				     GFP_KERNEL),
			"more than there is memory");
	EXPECT_NULL(q);
	EXPECT_EQ(find_vm_area(p)->size, PAGES(2));
	vfree(p);
}

TEST(vrealloc, each_nested_allocation_may_fail)
{
	struct fault_attr *attrs[] = {&failslab, &fail_page_alloc};

	for (unsigned int i = 0; i < ARRAY_SIZE(attrs); i++) {
		void *p = vmalloc(PAGES(3)), *q;
		struct quiet quiet;
		unsigned long nth = 0;

		REQUIRE_NOT_NULL(p);
		fill(p, 0, PAGES(3));
		do {
			quiet_begin(&quiet);
			fault_inject_arm(attrs[i], ++nth);
			q = vrealloc(p, PAGES(9), GFP_KERNEL);
			fault_inject_disarm(attrs[i]);
			quiet_end(&quiet);
			EXPECT(vmap_verify());
			if (!q)
				EXPECT_EQ(find_vm_area(p)->size, PAGES(3));
			EXPECT(kept(q ?: p, PAGES(3)));
		} while (attrs[i]->failed && nth < 30 && !q);
		vfree(q ?: p);
	}
}

TEST(vrealloc, random_sizes_against_a_model)
{
	struct rng rng;
	size_t size = 1;
	void *p = vmalloc(size);

	rng_seed(&rng, test_seed());
	REQUIRE_NOT_NULL(p);
	fill(p, 0, 1);
	for (unsigned int i = 0; i < 400; i++) {
		size_t next = 1 + rng_below(&rng, PAGES(12));

		p = vrealloc(p, next, GFP_KERNEL);
		REQUIRE_NOT_NULL(p);
		EXPECT(kept(p, min(size, next)));
		if (next > size)
			fill(p, round_up(size, 512UL), next);
		size = next;
		if (i % 50 == 0)
			REQUIRE(vmap_verify());
	}
	vfree(p);
	EXPECT(vmap_verify());
}
