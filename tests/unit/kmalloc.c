/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kmalloc: classes, alignment, large sizes, bad sizes and pointers. */
#include <lib/math.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <tests/unit/one_line.h>

TEST(kmalloc, every_size_gets_the_least_class)
{
	size_t last = 0, classes = 0;

	for (size_t size = 1; size <= SLAB_MAX_SIZE; size++) {
		char *p = kmalloc(size, GFP_KERNEL);
		size_t room = ksize(p);

		REQUIRE_NOT_NULL(p);
		EXPECT_GE(room, size);
		/* The class changes only when the one below was full. */
		if (room != last) {
			EXPECT_EQ(size, last + 1);
			EXPECT_GT(room, last);
			classes++;
			last = room;
		}
		if (size > 64)
			EXPECT_LE((room - size) * 5, room);
		kfree(p);
	}
	EXPECT_EQ(classes, 36);
	EXPECT_EQ(last, SLAB_MAX_SIZE);
}

TEST(kmalloc, alignment)
{
	for (size_t size = 8; size <= 64 * PAGE_SIZE; size *= 2) {
		void *p = kmalloc(size, GFP_KERNEL), *q;

		REQUIRE_NOT_NULL(p);
		q = kmalloc(size, GFP_KERNEL);
		REQUIRE_NOT_NULL(q);
		EXPECT_EQ((va_t)p % min(size, PAGE_SIZE), 0);
		EXPECT_EQ((va_t)q % min(size, PAGE_SIZE), 0);
		kfree(p);
		kfree(q);
	}
	for (size_t size = 1; size < 300; size++) {
		void *p = kmalloc(size, GFP_KERNEL);

		EXPECT_EQ((va_t)p % 8, 0);
		kfree(p);
	}
}

TEST(kmalloc, large_sizes_are_pages)
{
	unsigned long free = nr_free_pages();
	char *p = kmalloc(SLAB_MAX_SIZE + 1, GFP_KERNEL);

	REQUIRE_NOT_NULL(p);
	EXPECT_EQ(ksize(p), 4 * PAGE_SIZE);
	EXPECT_EQ(nr_free_pages(), free - 4);
	memset(p, 1, ksize(p));
	EXPECT_ONE_LINE(kfree(p + PAGE_SIZE), "cannot free");
	EXPECT_ONE_LINE(kfree(p + 8), "cannot free");
	EXPECT_EQ(nr_free_pages(), free - 4);
	kfree(p);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT_ONE_LINE(kfree(p), "cannot free");
	EXPECT_EQ(nr_free_pages(), free);

	p = kzalloc(100000, GFP_KERNEL);
	REQUIRE_NOT_NULL(p);
	EXPECT_EQ(ksize(p), 131072);
	EXPECT_EQ(p[0] | p[50000] | p[131071], 0);
	kfree(p);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}

TEST(kmalloc, bad_sizes)
{
	EXPECT_ONE_LINE(EXPECT_NULL(kmalloc(0, GFP_KERNEL)),
			"cannot kmalloc 0 bytes");
	EXPECT_ONE_LINE(EXPECT_NULL(kmalloc(KMALLOC_MAX_SIZE + 1, GFP_KERNEL)),
			"cannot kmalloc 4194305 bytes");
	EXPECT_ONE_LINE(EXPECT_NULL(kzalloc(~0UL, GFP_KERNEL)),
			"cannot kmalloc 18446744073709551615 bytes");
}

TEST(kmalloc, bad_pointers)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct page *block = alloc_pages(GFP_KERNEL, 2);
	char *p = kmalloc(100, GFP_KERNEL);
	unsigned long free = nr_free_pages();
	static char outside[64];

	REQUIRE_NOT_NULL(page);
	REQUIRE_NOT_NULL(block);
	REQUIRE_NOT_NULL(p);
	kfree(NULL);
	EXPECT_EQ(ksize(NULL), 0);
	EXPECT_ONE_LINE(kfree(page_address(page)), "is used, order 0");
	EXPECT_ONE_LINE(kfree(page_address(block)), "is used, order 2");
	EXPECT_ONE_LINE(kfree(page_address(block + 1)), "is none");
	EXPECT_ONE_LINE(kfree(outside), "not in the direct map");
	EXPECT_ONE_LINE(kfree((void *)1), "not in the direct map");
	EXPECT_ONE_LINE(EXPECT_EQ(ksize(page_address(page)), 0), "cannot size");
	EXPECT_ONE_LINE(EXPECT_EQ(ksize(p + 1), 0), "inside an object");
	EXPECT_ONE_LINE(EXPECT_EQ(ksize(outside), 0), "cannot size");
	EXPECT_EQ(nr_free_pages(), free);
	kfree(p);
	EXPECT_ONE_LINE(kfree(p), "free already");
	__free_page(page);
	__free_pages(block, 2);
	EXPECT(slab_verify());
	EXPECT(buddy_verify());
}

TEST(kmalloc, failures)
{
	void *p;

	fault_inject_arm(&failslab, 2);
	p = kmalloc(10, GFP_KERNEL);
	EXPECT_NOT_NULL(p);
	EXPECT_ONE_LINE(EXPECT_NULL(kmalloc(10, GFP_KERNEL)), "kmalloc-16");
	fault_inject_disarm(&failslab);
	kfree(p);
	fault_inject_arm(&fail_page_alloc, 1);
	EXPECT_ONE_LINE(EXPECT_NULL(kmalloc(20000, GFP_KERNEL)),
			"out of memory: order 3");
	EXPECT_EQ(fail_page_alloc.failed, 1);
	fault_inject_disarm(&fail_page_alloc);
	EXPECT(slab_verify());
}
