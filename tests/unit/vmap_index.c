/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose is an address? In private spaces where nothing is mapped. */
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/test.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/vmap_index.h>

#define BASE     ((va_t)0x40000000)
#define PAGES(n) ((n)*PAGE_SIZE)
#define KIND     4U

static struct vmap_space space;

static bool open_space(size_t pages)
{
	return vmap_space_init(&space, "test", BASE, BASE + PAGES(pages),
			       NULL) == 0;
}

/* Take exactly the pages [from, to), indexed, for a vm of kind KIND. */
static struct vmap_area *take(size_t from, size_t to)
{
	const struct vmap_request req = {PAGES(to - from), PAGE_SIZE,
					 BASE + PAGES(from), BASE + PAGES(to)};
	struct vmap_area *va = NULL;

	EXPECT_EQ(place_vmap_area(&space, &req, GFP_KERNEL, &va), 0);
	if (!va)
		return NULL;
	EXPECT_EQ(vmap_index_insert(&space, va, GFP_KERNEL), 0);
	va_vm(va)->flags = KIND;
	va_vm(va)->addr = (void *)get_va_start(va);
	return va;
}

static void give(struct vmap_area *va)
{
	vmap_index_remove(&space, va);
	free_vmap_area(&space, va);
}

TEST(vmap_index, nothing_is_found_before_set_up)
{
	struct vmap_space unset = VMAP_SPACE_UNSET("unset");

	EXPECT_NULL(find_vmap_area(&unset, 0));
	EXPECT_NULL(find_vmap_area(&unset, VMALLOC_START));
	EXPECT_NULL(find_vmap_area(&unset, UINTPTR_MAX));
	EXPECT_NULL(unlink_vmap_area(&unset, VMALLOC_START, ~0U));
}

TEST(vmap_index, any_address_inside_is_found)
{
	struct vmap_area *a, *b;

	REQUIRE(open_space(16));
	a = take(2, 4);
	b = take(4, 7);
	REQUIRE_NOT_NULL(a);
	REQUIRE_NOT_NULL(b);
	EXPECT_EQ(va_flags(a), VA_INDEXED);
	EXPECT_NULL(find_vmap_area(&space, BASE + PAGES(2)));
	insert_vmap_area(a, va_vm(a));
	insert_vmap_area(b, va_vm(b));
	EXPECT(a->vm == va_vm(a));
	EXPECT(vmap_space_verify(&space));
	EXPECT_NULL(find_vmap_area(&space, 0));
	EXPECT_NULL(find_vmap_area(&space, UINTPTR_MAX));
	EXPECT_NULL(find_vmap_area(&space, BASE + PAGES(2) - 1));
	EXPECT(find_vmap_area(&space, BASE + PAGES(2)) == a);
	EXPECT(find_vmap_area(&space, BASE + PAGES(2) + 1) == a);
	EXPECT(find_vmap_area(&space, BASE + PAGES(4) - 1) == a);
	EXPECT(find_vmap_area(&space, BASE + PAGES(4)) == b);
	EXPECT(find_vmap_area(&space, BASE + PAGES(7) - 1) == b);
	EXPECT_NULL(find_vmap_area(&space, BASE + PAGES(7)));
	EXPECT_NULL(unlink_vmap_area(&space, BASE + PAGES(5), KIND));
	EXPECT_NULL(unlink_vmap_area(&space, BASE + PAGES(4), ~KIND));
	EXPECT(unlink_vmap_area(&space, BASE + PAGES(4), KIND) == b);
	EXPECT_EQ(va_flags(b), VA_LAZY | VA_INDEXED);
	EXPECT_NULL(unlink_vmap_area(&space, BASE + PAGES(4), KIND));
	EXPECT_NULL(find_vmap_area(&space, BASE + PAGES(4)));
	EXPECT(unlink_vmap_area(&space, BASE + PAGES(2), KIND) == a);
	give(a);
	give(b);
	EXPECT_NULL(vmap_owner(&space, BASE + PAGES(2)));
	EXPECT(vmap_space_verify(&space));
	vmap_space_destroy(&space);
}

TEST(vmap_index, areas_across_leaves)
{
	const size_t pages = 4 * PT_ENTRIES;
	size_t kept = vmap_index_pages();
	struct vmap_area *va;

	REQUIRE(open_space(pages));
	va = take(PT_ENTRIES / 2, 3 * PT_ENTRIES + 1);
	REQUIRE_NOT_NULL(va);
	insert_vmap_area(va, va_vm(va));
	EXPECT_EQ(vmap_index_pages(), kept + 4);
	for (size_t i = 0; i < pages; i++) {
		bool inside = i >= PT_ENTRIES / 2 && i <= 3 * PT_ENTRIES;

		EXPECT(find_vmap_area(&space, BASE + PAGES(i)) ==
		       (inside ? va : NULL));
	}
	EXPECT_EQ(vmap_space_stats(&space).nr_busy, 1);
	EXPECT(vmap_space_verify(&space));
	REQUIRE(unlink_vmap_area(&space, get_va_start(va), KIND) == va);
	give(va);
	vmap_space_destroy(&space);
	EXPECT_EQ(vmap_index_pages(), kept);
}

/* Leaves that share a bucket: keys that are equal modulo the buckets. */
TEST(vmap_index, leaves_of_one_bucket)
{
	size_t kept = vmap_index_objects(), buckets, stride;
	struct vmap_area *va[4];

	REQUIRE(open_space((VMALLOC_END - VMALLOC_START) >> PAGE_SHIFT));
	buckets = space.index_mask + 1;
	EXPECT(is_power_of_2(buckets));
	EXPECT_GE(buckets * PT_ENTRIES, nr_managed_pages());
	stride = buckets * PT_ENTRIES;
	for (size_t i = 0; i < ARRAY_SIZE(va); i++) {
		va[i] = take(i * stride + 7, i * stride + 9);
		REQUIRE_NOT_NULL(va[i]);
		insert_vmap_area(va[i], va_vm(va[i]));
	}
	EXPECT_EQ(vmap_index_objects(), kept + 3);
	for (size_t i = 0; i < ARRAY_SIZE(va); i++) {
		va_t at = BASE + PAGES(i * stride);

		EXPECT(find_vmap_area(&space, at + PAGES(8)) == va[i]);
		EXPECT_NULL(find_vmap_area(&space, at + PAGES(9)));
	}
	EXPECT_NULL(find_vmap_area(&space, BASE + PAGES(5 * stride + 7)));
	EXPECT(vmap_space_verify(&space));
	for (size_t i = 0; i < ARRAY_SIZE(va); i++) {
		unlink_vmap_area(&space, get_va_start(va[i]), KIND);
		give(va[i]);
	}
	vmap_space_destroy(&space);
	EXPECT_EQ(vmap_index_objects(), kept);
}

/* Insert while the @nth allocation of @attr fails. Return: did it fail? */
static bool insert_with_fault(struct fault_attr *attr, unsigned long nth,
			      size_t from)
{
	const struct vmap_request req = {PAGES(600), PAGE_SIZE,
					 BASE + PAGES(from),
					 BASE + PAGES(from + 600)};
	struct vmap_area *va = NULL;
	int err;

	EXPECT_EQ(place_vmap_area(&space, &req, GFP_KERNEL, &va), 0);
	if (!va)
		return false;
	fault_inject_arm(attr, nth);
	err = vmap_index_insert(&space, va, GFP_NOWAIT);
	fault_inject_disarm(attr);
	EXPECT_EQ(err, attr->failed ? -ENOMEM : 0);
	EXPECT_EQ(va_flags(va), err ? 0 : VA_INDEXED);
	EXPECT(vmap_space_verify(&space));
	if (!err)
		vmap_index_remove(&space, va);
	free_vmap_area(&space, va);
	return err;
}

TEST(vmap_index, insert_out_of_memory)
{
	size_t stride;

	/* Two leaves each time: two pages, and objects where the buckets are
	 * taken. */
	REQUIRE(open_space((VMALLOC_END - VMALLOC_START) >> PAGE_SHIFT));
	stride = (space.index_mask + 1) * PT_ENTRIES;
	EXPECT(insert_with_fault(&fail_page_alloc, 1, 0));
	EXPECT(insert_with_fault(&fail_page_alloc, 2, 0));
	EXPECT(!insert_with_fault(&fail_page_alloc, 2, 0));
	EXPECT(insert_with_fault(&failslab, 1, stride));
	EXPECT(insert_with_fault(&failslab, 2, stride));
	EXPECT(!insert_with_fault(&failslab, 2, stride));
	vmap_space_destroy(&space);
}
