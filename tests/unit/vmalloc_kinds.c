/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kin of vmalloc: for users, below 4 GiB, large mappings, delayed frees. */
#include <arch/va.h>
#include <lib/math.h>
#include <mm/kvfree.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/vmalloc.h>
#include <mm/vmap_purge.h>
#include <tests/unit/one_line.h>

#define PAGES(n) ((n)*PAGE_SIZE)

TEST(vmalloc_kinds, for_users_is_cleared)
{
	void *p = vmalloc_user(PAGES(5) + 1);
	const struct vm_struct *vm = find_vm_area(p);

	REQUIRE_NOT_NULL(p);
	EXPECT_EQ(vm->flags, VM_ALLOC | VM_USERMAP);
	for (size_t i = 0; i < PAGES(6); i += 8)
		REQUIRE_EQ(va_load64((va_t)p + i), 0);
	vfree(p);
}

TEST(vmalloc_kinds, below_4_gib)
{
	void *p = vmalloc_32(PAGES(9));

	REQUIRE_NOT_NULL(p);
	for (size_t i = 0; i < 9; i++)
		EXPECT_LT(page_to_pa(vmalloc_to_page(p + PAGES(i))), 1UL << 32);
	vfree(p);
}

static unsigned int level_at(const void *p)
{
	struct pgtable_range leaf = {.level = 99};

	pgtable_walk(vmalloc_space.root, (va_t)p, &leaf);
	return leaf.level;
}

/* Pages that are free, or kept for the next user of the addresses. */
static size_t pages_at_rest(void)
{
	vmap_drain();
	slab_drain();
	return nr_free_pages() + pgtable_nr_tables() + vmap_index_pages();
}

static void check_huge(size_t size, unsigned int blocks)
{
	size_t rest = pages_at_rest();
	void *p = vmalloc_huge(size, GFP_KERNEL | __GFP_ZERO);
	size_t nr = DIV_ROUND_UP(size, PAGE_SIZE);

	REQUIRE_NOT_NULL(p);
	EXPECT_EQ(find_vm_area(p)->size, size);
	for (size_t i = 0; i < nr; i++) {
		struct page *page = vmalloc_to_page(p + PAGES(i));

		REQUIRE_NOT_NULL(page);
		REQUIRE_EQ(va_load64((va_t)p + PAGES(i)), 0);
		va_store64((va_t)p + PAGES(i), i + 1);
		EXPECT_EQ(*(uint64_t *)page_address(page), i + 1);
		EXPECT_EQ(level_at(p + PAGES(i)), i / PT_ENTRIES < blocks);
	}
	EXPECT_NULL(vmalloc_to_page(p + PAGES(nr)));
	EXPECT_EQ(find_vm_area(p + PAGES(nr) - 1), find_vm_area(p));
	EXPECT(vmap_verify());
	vfree(p);
	EXPECT(vmap_verify());
	EXPECT_EQ(pages_at_rest(), rest);
}

TEST_SUITE(vmalloc_kinds, .min_pages = 6000, .why = "blocks of 2 MiB");

TEST(vmalloc_kinds, large_mappings_and_the_size_asked_for)
{
	if (arch_max_leaf_level() < 1)
		SKIP("no large leaves here");
	check_huge(HUGE_PAGE_SIZE, 1);
	check_huge(HUGE_PAGE_SIZE + 1, 1);
	check_huge(2 * HUGE_PAGE_SIZE, 2);
	check_huge(HUGE_PAGE_SIZE - PAGE_SIZE, 0);
	vmap_drain();
	check_huge(2 * HUGE_PAGE_SIZE + PAGES(7), 2);
}

/* Large and small mappings take turns at the same addresses. */
TEST(vmalloc_kinds, large_after_small_after_large)
{
	void *p;

	for (unsigned int i = 0; i < 3; i++) {
		check_huge(2 * HUGE_PAGE_SIZE, 2);
		vmap_drain();
		p = vmalloc(2 * HUGE_PAGE_SIZE);
		REQUIRE_NOT_NULL(p);
		for (size_t k = 0; k < 2 * PT_ENTRIES; k++)
			va_store8((va_t)p + PAGES(k), 1);
		EXPECT_EQ(level_at(p), 0);
		vfree(p);
		if (i)
			vmap_drain();
	}
}

TEST(vmalloc_kinds, without_blocks_page_by_page)
{
	void *p;

	fault_inject_arm(&fail_page_alloc, 1);
	p = vmalloc_huge(HUGE_PAGE_SIZE, GFP_KERNEL);
	fault_inject_disarm(&fail_page_alloc);
	REQUIRE_NOT_NULL(p);
	EXPECT(vmap_verify());
	vfree(p);
}

TEST(vmalloc_kinds, large_when_each_nested_allocation_fails)
{
	struct fault_attr *attrs[] = {&failslab, &fail_page_alloc};

	for (unsigned int i = 0; i < ARRAY_SIZE(attrs); i++) {
		unsigned long nth = 0;
		void *p;

		do {
			vmap_drain();
			fault_inject_arm(attrs[i], ++nth);
			p = vmalloc_huge(HUGE_PAGE_SIZE + PAGES(3),
					 GFP_KERNEL | __GFP_NOWARN);
			fault_inject_disarm(attrs[i]);
			EXPECT(vmap_verify());
			vfree(p);
		} while (attrs[i]->failed && nth < 30);
		EXPECT_EQ(attrs[i]->failed, 0);
	}
}

TEST(vmalloc_kinds, atomic_free)
{
	void *p = vmalloc(PAGES(3));
	unsigned long flushes = vmap_stats().nr_flushes;

	REQUIRE_NOT_NULL(p);
	vfree_atomic(p);
	EXPECT_NULL(find_vm_area(p));
	EXPECT_EQ(vmap_stats().nr_flushes, flushes);
}

/* ---- after a grace period ------------------------------------------------ */

static void let_pass(const void *last)
{
	for (unsigned int i = 0; i < 100000 && find_vm_area(last); i++)
		mm_yield();
	EXPECT_NULL(find_vm_area(last));
}

TEST(vmalloc_kinds, freed_after_a_grace_period)
{
	void *p[200];

	for (unsigned int i = 0; i < 200; i++) {
		p[i] = vmalloc(PAGES(1));
		REQUIRE_NOT_NULL(p[i]);
		if (i % 2)
			kvfree_rcu(p[i], p[i] + 64);
		else
			kvfree_rcu_mightsleep(p[i]);
	}
	kvfree_rcu_mightsleep(kmalloc(64, GFP_KERNEL));
	kvfree_rcu_mightsleep(NULL);
	for (unsigned int i = 0; i < 200; i++)
		let_pass(p[i]);
	EXPECT(vmap_verify());
}

TEST(vmalloc_kinds, delayed_free_needs_no_memory)
{
	void *p[130];

	for (unsigned int i = 0; i < 130; i++) {
		p[i] = vmalloc(PAGES(1));
		REQUIRE_NOT_NULL(p[i]);
	}
	for (unsigned int i = 0; i < 130; i++) {
		fault_inject_arm(&failslab, 1);
		if (i % 2)
			kvfree_rcu(p[i], p[i]);
		else
			kvfree_rcu_mightsleep(p[i]);
		fault_inject_disarm(&failslab);
	}
	for (unsigned int i = 0; i < 130; i++)
		let_pass(p[i]);
}
