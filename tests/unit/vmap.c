/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmap, vunmap, and looking mapped areas up. */
#include <arch/va.h>
#include <lib/errno.h>
#include <lib/printf.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/vmalloc.h>
#include <mm/vmap_purge.h>
#include <tests/unit/one_line.h>

#define PAGES(n) ((n)*PAGE_SIZE)
#define NR       20

static struct page *pages[NR];

static void setup(void)
{
	REQUIRE_EQ(alloc_pages_bulk(GFP_KERNEL, NR, pages), NR);
}

static void teardown(void)
{
	free_pages_bulk(pages, NR);
}

TEST_SUITE(vmap, .setup = setup, .teardown = teardown, .min_pages = 64,
	   .why = "pages to map");

static uint64_t *word(struct page *page)
{
	return page_address(page);
}

TEST(vmap, pages_appear_in_the_order_given)
{
	struct page *order[NR];
	void *p;

	for (unsigned int i = 0; i < NR; i++) {
		order[i] = pages[(i * 7) % NR];
		*word(order[i]) = 100 + i;
	}
	p = vmap(order, NR, VM_MAP, PAGE_KERNEL);
	REQUIRE_NOT_NULL(p);
	for (unsigned int i = 0; i < NR; i++) {
		EXPECT_EQ(va_load64((va_t)p + PAGES(i)), 100 + i);
		EXPECT(vmalloc_to_page(p + PAGES(i) + 77) == order[i]);
	}
	va_store64((va_t)p + PAGES(3), 5);
	EXPECT_EQ(*word(order[3]), 5);
	EXPECT_NULL(vmalloc_to_page(p + PAGES(NR)));
	EXPECT(vmap_verify());
	vunmap(p);
	EXPECT_NULL(vmalloc_to_page(p));
	EXPECT_EQ(*word(order[3]), 5);
	EXPECT_EQ(page_ref_count(order[3]), 1);
	EXPECT(vmap_verify());
}

TEST(vmap, one_page_many_times)
{
	struct page *same[5] = {pages[0], pages[0], pages[0], pages[0],
				pages[0]};
	void *p = vmap(same, 5, 0, PAGE_KERNEL);

	REQUIRE_NOT_NULL(p);
	va_store64((va_t)p + PAGES(2) + 8, 42);
	for (unsigned int i = 0; i < 5; i++)
		EXPECT_EQ(va_load64((va_t)p + PAGES(i) + 8), 42);
	vunmap(p);
}

TEST(vmap, read_only)
{
	void *p = vmap(pages, 1, 0, PAGE_KERNEL_RO);
	uint8_t value;

	REQUIRE_NOT_NULL(p);
	EXPECT(va_try_load8((va_t)p, &value));
	EXPECT(!va_try_store8((va_t)p, 1));
	vunmap(p);
}

TEST(vmap, bad_requests_are_refused_with_one_line)
{
	struct page *holes[3] = {pages[0], NULL, pages[1]};
	size_t busy = vmap_stats().nr_busy;
	void *p = &busy;

	EXPECT_ONE_LINE(p = vmap(pages, 0, 0, PAGE_KERNEL), "size is 0");
	EXPECT_NULL(p);
	EXPECT_ONE_LINE(p = vmap(NULL, 3, 0, PAGE_KERNEL), "no page array");
	EXPECT_NULL(p);
	EXPECT_ONE_LINE(p = vmap(holes, 3, 0, PAGE_KERNEL), "can't be mapped");
	EXPECT_NULL(p);
	EXPECT_ONE_LINE(p = vmap(pages, 1, 0x40, PAGE_KERNEL), "unknown flags");
	EXPECT_NULL(p);
	EXPECT_ONE_LINE(p = vmap(pages, 1, 0, PROT_WRITE | PROT_EXEC),
			"both writable and executable");
	EXPECT_NULL(p);
	EXPECT_ONE_LINE(p = vmap(pages, UINT32_MAX, 0, PAGE_KERNEL),
			"more than there is memory");
	EXPECT_NULL(p);
	EXPECT_EQ(vmap_stats().nr_busy, busy);
	EXPECT(vmap_verify());
}

TEST(vmap, bad_unmaps_are_refused_with_one_line)
{
	size_t busy = vmap_stats().nr_busy;
	void *p = vmap(pages, 2, 0, PAGE_KERNEL);

	REQUIRE_NOT_NULL(p);
	EXPECT_NO_LINE(vunmap(NULL));
	EXPECT_ONE_LINE(vunmap(p + PAGES(1)), "inside the area");
	EXPECT_ONE_LINE(vfree(p), "another kind");
	EXPECT_ONE_LINE(vunmap((void *)0x1000), "no area is there");
	EXPECT_EQ(vmap_stats().nr_busy, busy + 1);
	vunmap(p);
	EXPECT_ONE_LINE(vunmap(p), "no area is there");
}

/* vmap() of all pages, which says "out of memory" whenever it fails. */
static void *vmap_or_line(void)
{
	struct quiet quiet;
	unsigned long lines;
	void *p;

	quiet_begin(&quiet);
	p = vmap(pages, NR, 0, PAGE_KERNEL);
	lines = quiet_end(&quiet);
	EXPECT_EQ(lines, p ? 0 : 1);
	if (!p)
		EXPECT_CONTAINS(quiet.text, "out of memory");
	return p;
}

TEST(vmap, each_nested_allocation_may_fail)
{
	struct fault_attr *attrs[] = {&failslab, &fail_page_alloc};
	size_t busy = vmap_stats().nr_busy;

	for (unsigned int i = 0; i < ARRAY_SIZE(attrs); i++) {
		unsigned long nth = 0;
		void *p;

		do {
			fault_inject_arm(attrs[i], ++nth);
			p = vmap_or_line();
			fault_inject_disarm(attrs[i]);
			EXPECT_EQ(vmap_stats().nr_busy, busy + (p != NULL));
			EXPECT(vmap_verify());
		} while (!p && nth < 20);
		EXPECT_NOT_NULL(p);
		vunmap(p);
	}
}

TEST(vmap, find_any_address_inside)
{
	void *p = vmap(pages, 3, 0, PAGE_KERNEL);
	const struct vm_struct *vm;

	REQUIRE_NOT_NULL(p);
	vm = find_vm_area(p);
	REQUIRE_NOT_NULL(vm);
	EXPECT(vm->addr == p);
	EXPECT_EQ(vm->size, PAGES(3));
	EXPECT_EQ(vm->flags, VM_MAP);
	EXPECT_NULL(vm->pages);
	EXPECT(find_vm_area(p + PAGES(2) + 99) == vm);
	EXPECT(find_vm_area(p + PAGES(4) - 1) == vm); /* guard page */
	EXPECT_NULL(find_vm_area(&vm));
	EXPECT_NULL(find_vm_area(NULL));
	vunmap(p);
	EXPECT_NULL(find_vm_area(p));
}

TEST(vmap, vmalloc_to_page_outside_of_vmalloc_space)
{
	struct page *page = pages[0];

	EXPECT(!is_vmalloc_addr(NULL));
	EXPECT(!is_vmalloc_addr((void *)(VMALLOC_START - 1)));
	EXPECT(is_vmalloc_addr((void *)VMALLOC_START));
	EXPECT(is_vmalloc_addr((void *)(VMALLOC_END - 1)));
	EXPECT(!is_vmalloc_addr((void *)VMALLOC_END));
	EXPECT_ONE_LINE(page = vmalloc_to_page(word(pages[0])),
			"not in vmalloc space");
	EXPECT_NULL(page);
	EXPECT_NO_LINE(page = vmalloc_to_page((void *)(VMALLOC_END - 1)));
	EXPECT_NULL(page);
}

TEST(vmap, verify_sees_a_stray_mapping)
{
	va_t va = VMALLOC_END - PAGES(16);
	bool ok = true;

	REQUIRE_EQ(pgtable_map_pages(vmalloc_space.root, va, pages, 1,
				     PAGE_KERNEL, GFP_KERNEL),
		   0);
	EXPECT_ONE_LINE(ok = vmap_verify(), "not what an area says");
	EXPECT(!ok);
	pgtable_unmap(vmalloc_space.root, va, va + PAGES(1));
	EXPECT(vmap_verify());
}

TEST(vmap, verify_sees_a_lost_mapping)
{
	va_t va;
	bool ok = true;
	void *p = vmap(pages, 1, 0, PAGE_KERNEL);
	REQUIRE_NOT_NULL(p);
	va = (va_t)p;
	pgtable_unmap(vmalloc_space.root, va, va + PAGES(1));
	EXPECT_ONE_LINE(ok = vmap_verify(), "V1: areas have");
	EXPECT(!ok);
	vunmap(p);
	EXPECT(vmap_verify());
}
