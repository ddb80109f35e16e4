/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_frag caches: sizes, alignments, references, short memory, bad input. */
#include <lib/printf.h>
#include <lib/string.h>
#include <lib/test.h>
#include <mm/page_alloc.h>
#include <mm/page_frag_cache.h>
#include <mm/slab.h>
#include <tests/unit/one_line.h>
#include <tests/unit/scarce.h>

#define QUIET (GFP_KERNEL | __GFP_NOWARN)
#define MAX   PAGE_FRAG_CACHE_MAX_SIZE
#define REFS  (1 + PAGE_FRAG_CACHE_MAX_REFS)

TEST_SUITE(page_frag, .min_pages = 256, .why = "a few blocks");

static struct page *head_of(const void *frag)
{
	return virt_to_head_page(frag);
}

static unsigned int refs_of(const void *frag)
{
	return page_ref_count(head_of(frag));
}

static bool all_bytes(const void *p, uint8_t value, size_t n)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < n; i++)
		if (b[i] != value)
			return false;
	return true;
}

/* --- the books ------------------------------------------------------------ */

TEST(page_frag, cache_is_small)
{
	EXPECT_LE(sizeof(struct page_frag_cache), 16);
}

TEST(page_frag, references_are_taken_once_and_handed_out)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	void *a = page_frag_alloc(&nc, 100, GFP_KERNEL), *b;

	REQUIRE_NOT_NULL(a);
	EXPECT_EQ(nr_free_pages(), free - 8);
	EXPECT_EQ(refs_of(a), REFS);
	EXPECT_EQ(nc.pagecnt_bias, REFS - 1);
	EXPECT_EQ(page_frag_block(&nc), page_address(head_of(a)));
	EXPECT_EQ(page_frag_block_size(&nc), MAX);
	EXPECT_EQ(nc.remaining, MAX - 100);
	b = page_frag_alloc(&nc, 28, GFP_KERNEL);
	EXPECT_EQ(head_of(b), head_of(a));
	EXPECT_EQ(refs_of(a), REFS);
	EXPECT_EQ(nc.pagecnt_bias, REFS - 2);
	EXPECT_EQ(nc.remaining, MAX - 128);
	EXPECT(page_frag_cache_verify(&nc));
	page_frag_free(a);
	EXPECT_EQ(refs_of(b), REFS - 1);
	EXPECT_EQ(nc.pagecnt_bias, REFS - 2);
	page_frag_cache_drain(&nc);
	EXPECT_EQ(refs_of(b), 1);
	EXPECT_EQ(nr_free_pages(), free - 8);
	page_frag_free(b);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(page_frag_cache_verify(&nc));
	EXPECT(buddy_verify());
}

TEST(page_frag, freed_by_any_address_in_it)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};

	for (unsigned int i = 0; i < 8; i++) {
		char *p = page_frag_alloc(&nc, PAGE_SIZE, GFP_KERNEL);

		REQUIRE_NOT_NULL(p);
		EXPECT_EQ(page_frag_block(&nc), page_address(head_of(p)));
		page_frag_free(p + i * 585);
	}
	EXPECT_EQ(page_ref_count(virt_to_page(page_frag_block(&nc))),
		  nc.pagecnt_bias);
	page_frag_cache_drain(&nc);
	EXPECT_EQ(nr_free_pages(), free);
}

TEST(page_frag, users_may_hold_more_references)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	void *p = page_frag_alloc(&nc, 1000, GFP_KERNEL);

	REQUIRE_NOT_NULL(p);
	get_page(virt_to_page(p));
	page_frag_free(p);
	page_frag_cache_drain(&nc);
	EXPECT_EQ(nr_free_pages(), free - 8);
	page_frag_free(p);
	EXPECT_EQ(nr_free_pages(), free);
}

/* --- sizes and alignments --------------------------------------------------
 */

TEST(page_frag, every_size_at_any_time)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};

	for (unsigned int size = 1; size <= MAX; size += size < 600 ? 1 : 97) {
		uint8_t *p = page_frag_alloc(&nc, size, GFP_KERNEL);

		REQUIRE_NOT_NULL(p);
		p[0] = 1;
		p[size - 1] = 2;
		REQUIRE_EQ(head_of(p), head_of(p + size - 1));
		REQUIRE(page_frag_cache_verify(&nc));
		page_frag_free(p);
	}
	page_frag_cache_drain(&nc);
	EXPECT_EQ(nr_free_pages(), free);
}

/* Six of them fit in a block: the seventh needs another. */
TEST(page_frag, more_than_a_page_again_and_again)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	void *p[40];

	for (unsigned int i = 0; i < ARRAY_SIZE(p); i++) {
		p[i] = page_frag_alloc(&nc, 5000, GFP_KERNEL);
		REQUIRE_NOT_NULL(p[i]);
		memset(p[i], (int)i, 5000);
	}
	EXPECT_EQ(free - nr_free_pages(), DIV_ROUND_UP(ARRAY_SIZE(p), 6) * 8);
	for (unsigned int i = 0; i < ARRAY_SIZE(p); i++) {
		EXPECT(all_bytes(p[i], (uint8_t)i, 5000));
		page_frag_free(p[i]);
	}
	page_frag_cache_drain(&nc);
	EXPECT_EQ(nr_free_pages(), free);
}

TEST(page_frag, whole_blocks)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	void *a = page_frag_alloc(&nc, MAX, GFP_KERNEL);
	void *b = page_frag_alloc_align(&nc, MAX, GFP_KERNEL, PAGE_SIZE);

	EXPECT_NOT_NULL(a);
	EXPECT_NOT_NULL(b);
	EXPECT_NE(a, b);
	EXPECT_EQ((uintptr_t)a % PAGE_SIZE, 0);
	EXPECT_EQ(free - nr_free_pages(), 16);
	page_frag_free(a);
	EXPECT_EQ(free - nr_free_pages(), 8);
	page_frag_free(b);
	page_frag_cache_drain(&nc);
	EXPECT_EQ(nr_free_pages(), free);
}

TEST(page_frag, all_alignments)
{
	static const unsigned int sizes[] = {1,  12,   63,   64,
					     65, 2048, 4097, MAX};
	struct page_frag_cache nc = {0};

	for (unsigned int align = 1; align <= PAGE_SIZE; align *= 2)
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
			void *p = page_frag_alloc_align(&nc, sizes[i],
							GFP_KERNEL, align);

			REQUIRE_NOT_NULL(p);
			EXPECT_EQ((uintptr_t)p % align, 0);
			EXPECT_EQ(head_of(p),
				  head_of((char *)p + sizes[i] - 1));
			EXPECT(page_frag_cache_verify(&nc));
			page_frag_free(p);
			EXPECT_NOT_NULL(page_frag_alloc(&nc, 1, GFP_KERNEL));
			page_frag_free(page_frag_block(&nc));
		}
	page_frag_cache_drain(&nc);
}

TEST(page_frag, zeroed_when_asked)
{
	struct page_frag_cache nc = {0};

	for (unsigned int i = 0; i < 100; i++) {
		uint8_t *p = page_frag_alloc_align(&nc, 999,
						   GFP_KERNEL | __GFP_ZERO, 64);
		uint8_t *q = page_frag_alloc(&nc, 11, GFP_KERNEL);

		REQUIRE_NOT_NULL(p);
		REQUIRE_NOT_NULL(q);
		EXPECT(all_bytes(p, 0, 999));
		memset(p, 0xee, 999);
		memset(q, 0xee, 11);
		page_frag_free(p);
		page_frag_free(q);
	}
	page_frag_cache_drain(&nc);
}

/* As many fragments as bytes, and still a reference for the cache. */
TEST(page_frag, one_byte_each)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	char *first = page_frag_alloc(&nc, 1, GFP_KERNEL), *last;

	REQUIRE_NOT_NULL(first);
	for (unsigned int live = 2; live <= MAX; live++) {
		last = page_frag_alloc(&nc, 1, GFP_KERNEL);
		REQUIRE_EQ(last, first - (live - 1));
		REQUIRE_GE(refs_of(first), live + 1);
		REQUIRE_EQ(refs_of(first), live + nc.pagecnt_bias);
	}
	EXPECT_EQ(nc.remaining, 0);
	EXPECT_EQ(nc.pagecnt_bias, 1);
	EXPECT(page_frag_cache_verify(&nc));
	last = page_frag_alloc(&nc, 1, GFP_KERNEL);
	REQUIRE_NOT_NULL(last);
	EXPECT_NE(head_of(last), head_of(first));
	EXPECT_EQ(free - nr_free_pages(), 16);
	for (unsigned int i = 0; i < MAX; i++) {
		REQUIRE_EQ(free - nr_free_pages(), 16);
		page_frag_free(first - i);
	}
	EXPECT_EQ(free - nr_free_pages(), 8);
	page_frag_free(last);
	page_frag_cache_drain(&nc);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}

/* --- blocks: kept, left, given back --------------------------------------- */

TEST(page_frag, block_is_begun_again_when_all_is_freed)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	void *block;

	page_frag_free(page_frag_alloc(&nc, 2048, GFP_KERNEL));
	block = page_frag_block(&nc);
	/* No page is to be had: none is needed. */
	fault_inject_arm(&fail_page_alloc, 1);
	for (unsigned int i = 0; i < 1000; i++) {
		void *p = page_frag_alloc(&nc, 2048, QUIET);

		REQUIRE_NOT_NULL(p);
		REQUIRE_EQ(page_frag_block(&nc), block);
		page_frag_free(p);
	}
	fault_inject_disarm(&fail_page_alloc);
	EXPECT_EQ(fail_page_alloc.calls, 0);
	EXPECT_EQ(nr_free_pages(), free - 8);
	EXPECT(page_frag_cache_verify(&nc));
	page_frag_cache_drain(&nc);
	EXPECT_EQ(nr_free_pages(), free);
}

TEST(page_frag, block_is_left_to_the_one_fragment_that_lives)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	char *kept = page_frag_alloc(&nc, 5, GFP_KERNEL);
	struct page *head;

	REQUIRE_NOT_NULL(kept);
	head = head_of(kept);
	memset(kept, 0x5a, 5);
	for (unsigned int i = 0; i < 40; i++) {
		char *p = page_frag_alloc(&nc, 4000, GFP_KERNEL);

		REQUIRE_NOT_NULL(p);
		memset(p, 0xff, 4000);
		page_frag_free(p);
	}
	EXPECT_NE(page_frag_block(&nc), page_address(head));
	EXPECT(all_bytes(kept, 0x5a, 5));
	EXPECT_EQ(page_ref_count(head), 1);
	EXPECT_EQ(nr_free_pages(), free - 16);
	page_frag_free(kept);
	EXPECT_EQ(nr_free_pages(), free - 8);
	page_frag_cache_drain(&nc);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}

TEST(page_frag, drain_in_every_state)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc;
	void *p;

	page_frag_cache_init(&nc);
	for (unsigned int used_up = 0; used_up < 2; used_up++)
		for (unsigned int live = 0; live < 2; live++) {
			EXPECT_NO_LINE(page_frag_cache_drain(&nc));
			EXPECT_EQ(nc.encoded_va, 0);
			EXPECT(page_frag_cache_verify(&nc));
			p = page_frag_alloc(&nc, used_up ? MAX : 77, QUIET);
			REQUIRE_NOT_NULL(p);
			EXPECT_EQ(nc.remaining, used_up ? 0 : MAX - 77);
			if (!live)
				page_frag_free(p);
			EXPECT_NO_LINE(page_frag_cache_drain(&nc));
			EXPECT(page_frag_cache_verify(&nc));
			EXPECT_EQ(free - nr_free_pages(), live ? 8 : 0);
			if (live)
				page_frag_free(p);
			EXPECT_EQ(nr_free_pages(), free);
		}
	EXPECT(buddy_verify());
}

/* --- memory is short -------------------------------------------------------
 */

/* With a single page free. */
static void use_the_last_page(struct page_frag_cache *nc)
{
	struct page_frag_cache before;
	uint8_t *a, *b, *c;

	a = page_frag_alloc(nc, 1500, QUIET);
	REQUIRE_NOT_NULL(a);
	EXPECT_EQ(head_of(a)->order, 0);
	EXPECT_EQ(nc->encoded_va & PAGE_FRAG_ORDER_MASK, 0);
	EXPECT_EQ(page_frag_block_size(nc), PAGE_SIZE);
	EXPECT_EQ(refs_of(a), REFS);
	EXPECT(page_frag_cache_verify(nc));
	memset(a, 0xaa, 1500);
	b = page_frag_alloc(nc, 1000, QUIET);
	REQUIRE_NOT_NULL(b);
	memset(b, 0xbb, 1000);
	EXPECT_EQ(nr_free_pages(), 0);
	before = *nc;

	EXPECT_NULL(page_frag_alloc(nc, 4097, QUIET));
	EXPECT_NULL(page_frag_alloc(nc, 4096, QUIET));
	EXPECT_NULL(page_frag_alloc(nc, MAX, QUIET));
	EXPECT_NULL(page_frag_alloc_align(nc, 1597, QUIET, 4096));
	EXPECT_EQ(memcmp(nc, &before, sizeof(before)), 0);
	c = page_frag_alloc(nc, 100, QUIET);
	REQUIRE_NOT_NULL(c);
	EXPECT_EQ(virt_to_page(c), virt_to_page(a));
	memset(c, 0xcc, 100);
	EXPECT(all_bytes(a, 0xaa, 1500));
	EXPECT(all_bytes(b, 0xbb, 1000));

	/* Begun again, it is too small for this all the same. */
	page_frag_free(a);
	page_frag_free(b);
	page_frag_free(c);
	EXPECT_NULL(page_frag_alloc(nc, 4097, QUIET));
	a = page_frag_alloc(nc, 4096, QUIET);
	EXPECT_NOT_NULL(a);
	page_frag_free(a);
}

/* Sizes up to a page are served, larger ones not; nothing is lost. */
TEST(page_frag, falls_back_to_single_pages)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	struct scarce scarce;
	void *p;

	REQUIRE(scarce_begin(&scarce, 1));
	use_the_last_page(&nc);
	scarce_end(&scarce);

	/* There is memory again. */
	p = page_frag_alloc(&nc, 4097, QUIET);
	EXPECT_NOT_NULL(p);
	EXPECT_EQ(page_frag_block_size(&nc), MAX);
	page_frag_free(p);
	page_frag_cache_drain(&nc);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}

/* No block of 8 pages at the first try: as few pages as will do. */
TEST(page_frag, falls_back_to_the_least_order_that_will_do)
{
	static const struct {
		unsigned int size, order;
	} want[] = {{1, 0},    {4096, 0},  {4097, 1},  {8192, 1},
		    {8193, 2}, {16384, 2}, {16385, 3}, {MAX, 3}};
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};

	for (unsigned int i = 0; i < ARRAY_SIZE(want); i++) {
		unsigned int size = want[i].size;
		char *p;

		fault_inject_arm(&fail_page_alloc, 1);
		p = page_frag_alloc(&nc, size, GFP_KERNEL);
		fault_inject_disarm(&fail_page_alloc);
		REQUIRE_NOT_NULL(p);
		EXPECT_EQ(head_of(p)->order, want[i].order);
		EXPECT_EQ(head_of(p + size - 1), head_of(p));
		EXPECT(page_frag_cache_verify(&nc));
		memset(p, 0x11, size);
		page_frag_free(p + size - 1);
		page_frag_cache_drain(&nc);
		EXPECT_EQ(nr_free_pages(), free);
	}
}

/* The block in use is left only when another is there. */
TEST(page_frag, no_memory_changes_nothing)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0}, before;
	struct scarce scarce;
	uint8_t *p;

	REQUIRE(scarce_begin(&scarce, 0));
	EXPECT_NULL(page_frag_alloc(&nc, 1, QUIET));
	EXPECT_EQ(nc.encoded_va, 0);
	EXPECT_ONE_LINE(EXPECT_NULL(page_frag_alloc(&nc, 1, GFP_KERNEL)),
			"out of memory: order 0");
	scarce_end(&scarce);
	p = page_frag_alloc(&nc, 20000, QUIET);
	REQUIRE_NOT_NULL(p);
	memset(p, 0x77, 20000);
	before = nc;
	REQUIRE(scarce_begin(&scarce, 0));
	EXPECT_NULL(page_frag_alloc(&nc, 20000, QUIET));
	EXPECT_NULL(page_frag_alloc(&nc, 20000, QUIET | __GFP_ZERO));
	EXPECT_EQ(memcmp(&nc, &before, sizeof(nc)), 0);
	EXPECT_NOT_NULL(page_frag_alloc(&nc, 100, QUIET));
	scarce_end(&scarce);
	EXPECT(all_bytes(p, 0x77, 20000));
	page_frag_free(p);
	page_frag_free(p);
	page_frag_cache_drain(&nc);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}

TEST(page_frag, first_try_neither_waits_nor_warns)
{
	struct page_frag_cache nc = {0};

	fault_inject_arm(&fail_page_alloc, 1);
	EXPECT_NO_LINE(EXPECT_NOT_NULL(page_frag_alloc(&nc, 8, GFP_KERNEL)));
	fault_inject_disarm(&fail_page_alloc);
	EXPECT_EQ(fail_page_alloc.calls, 2);
	page_frag_free(page_frag_block(&nc));
	page_frag_cache_drain(&nc);
}

/* --- reserves
 * ---------------------------------------------------------------*/

static bool reserves_only;

static bool as_if_from_reserves(const struct page *page)
{
	return reserves_only;
}

/* Used once, a block of the reserves goes back to them. */
TEST(page_frag, block_from_the_reserves_is_not_kept)
{
	bool (*real)(const struct page *) = page_frag_from_reserves;
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	void *p;

	page_frag_from_reserves = as_if_from_reserves;
	reserves_only = true;
	EXPECT(!page_frag_cache_is_pfmemalloc(&nc));
	p = page_frag_alloc(&nc, MAX, GFP_KERNEL);
	EXPECT(page_frag_cache_is_pfmemalloc(&nc));
	EXPECT_EQ(page_frag_block(&nc), p);
	EXPECT(page_frag_cache_verify(&nc));
	page_frag_free(p);
	reserves_only = false;
	p = page_frag_alloc(&nc, 3000, GFP_KERNEL);
	EXPECT_NOT_NULL(p);
	EXPECT(!page_frag_cache_is_pfmemalloc(&nc));
	EXPECT(page_frag_cache_verify(&nc));
	EXPECT_EQ(free - nr_free_pages(), 8);

	/* The same when somebody uses it still. */
	page_frag_free(p);
	page_frag_cache_drain(&nc);
	reserves_only = true;
	p = page_frag_alloc(&nc, 20000, GFP_KERNEL);
	reserves_only = false;
	EXPECT_NOT_NULL(page_frag_alloc(&nc, 20000, GFP_KERNEL));
	EXPECT(!page_frag_cache_is_pfmemalloc(&nc));
	EXPECT_EQ(free - nr_free_pages(), 16);
	page_frag_free(p);
	page_frag_free(page_frag_block(&nc));
	page_frag_cache_drain(&nc);
	EXPECT(!page_frag_cache_is_pfmemalloc(&nc));
	page_frag_from_reserves = real;
	EXPECT_EQ(nr_free_pages(), free);
}

/* Its pages are all that there are. */
TEST(page_frag, block_from_the_reserves_is_freed_before_more_is_asked_for)
{
	bool (*real)(const struct page *) = page_frag_from_reserves;
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	struct scarce scarce;

	page_frag_from_reserves = as_if_from_reserves;
	reserves_only = true;
	page_frag_free(page_frag_alloc(&nc, MAX, GFP_KERNEL));
	if (scarce_begin(&scarce, 0)) {
		EXPECT_NOT_NULL(page_frag_alloc(&nc, 10, QUIET));
		EXPECT(page_frag_cache_verify(&nc));
		EXPECT_EQ(nr_free_pages(), 0);
		scarce_end(&scarce);
	}
	page_frag_free(page_frag_block(&nc));
	page_frag_cache_drain(&nc);
	page_frag_from_reserves = real;
	EXPECT_EQ(nr_free_pages(), free);
}

TEST(page_frag, pages_say_whether_they_come_from_the_reserves)
{
	struct page page = {.flags = PAGE_COMPOUND};

	EXPECT(!page_frag_from_reserves(&page));
	page.flags |= PAGE_PFMEMALLOC;
	EXPECT(page_frag_from_reserves(&page));
}

/* --- bad input
 * --------------------------------------------------------------*/

static void refuse_sizes(struct page_frag_cache *nc)
{
	static const unsigned int sizes[] = {
		0,
		MAX + 1,
		MAX * 2,
		0x7fffffff,
		0x80000000U,
		0xfffff000U,
		UINT32_MAX,
		UINT32_MAX - 1,
		UINT32_MAX - 4095,
		UINT32_MAX - 4096,
		UINT32_MAX - MAX,
	};
	struct page_frag_cache before = *nc;
	unsigned long free = nr_free_pages();

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		char text[32];

		snprintf(text, sizeof(text), "allocate %u bytes", sizes[i]);
		EXPECT_ONE_LINE(
			EXPECT_NULL(page_frag_alloc(nc, sizes[i], GFP_KERNEL)),
			text);
		EXPECT_ONE_LINE(
			EXPECT_NULL(page_frag_alloc_align(
				nc, sizes[i], QUIET | __GFP_ZERO, PAGE_SIZE)),
			text);
		EXPECT_EQ(memcmp(nc, &before, sizeof(before)), 0);
	}
	EXPECT_EQ(nr_free_pages(), free);
}

TEST(page_frag, sizes_of_0_and_above_a_block)
{
	struct page_frag_cache nc = {0};

	refuse_sizes(&nc);
	for (unsigned int used = 1; used <= MAX; used *= 8) {
		void *p = page_frag_alloc(&nc, used, GFP_KERNEL);

		refuse_sizes(&nc);
		page_frag_free(p);
	}
	page_frag_cache_drain(&nc);
}

TEST(page_frag, alignments_that_are_none)
{
	static const unsigned int bad[] = {0,    3,    24,          4095,
					   4097, 8192, 0xfffff000U, UINT32_MAX};
	struct page_frag_cache nc = {0}, before;

	for (unsigned int round = 0; round < 2; round++) {
		before = nc;
		for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
			EXPECT_ONE_LINE(EXPECT_NULL(page_frag_alloc_align(
						&nc, 64, GFP_KERNEL, bad[i])),
					"64 bytes at a multiple of");
		EXPECT_EQ(memcmp(&nc, &before, sizeof(nc)), 0);
		page_frag_free(page_frag_alloc(&nc, 10, GFP_KERNEL));
	}
	page_frag_cache_drain(&nc);
}

TEST(page_frag, frees_what_is_none)
{
	static int somewhere;
	struct page *block = alloc_pages(GFP_KERNEL | __GFP_COMP, 3);
	struct page *page = alloc_page(GFP_KERNEL);
	void *object = kmalloc(64, GFP_KERNEL);
	unsigned long free = nr_free_pages();

	REQUIRE_NOT_NULL(block);
	REQUIRE_NOT_NULL(page);
	REQUIRE_NOT_NULL(object);
	EXPECT_NO_LINE(page_frag_free(NULL));
	EXPECT_ONE_LINE(page_frag_free((void *)8), "not in the direct map");
	EXPECT_ONE_LINE(page_frag_free((void *)~0UL), "not in the direct map");
	EXPECT_ONE_LINE(page_frag_free((void *)VMALLOC_START),
			"not in the direct map");
	EXPECT_ONE_LINE(page_frag_free(&somewhere), "not in the direct map");
	EXPECT_ONE_LINE(page_frag_free(pa_to_va(page_present_bits
						<< (MAX_ORDER + PAGE_SHIFT))),
			"not in the direct map");
	EXPECT_ONE_LINE(page_frag_free(object), "is slab");
	EXPECT_ONE_LINE(page_frag_free(page_address(page)), "is used, order 0");
	EXPECT_ONE_LINE(page_frag_free(page_address(block)),
			"is used, order 3");
	EXPECT_ONE_LINE(page_frag_free(page_address(block + 5)),
			"is used, order 3");
	EXPECT_EQ(page_ref_count(block), 1);
	EXPECT_EQ(page_ref_count(page), 1);
	EXPECT_EQ(nr_free_pages(), free);
	kfree(object);
	__free_page(page);
	__free_pages(block, 3);
	EXPECT(buddy_verify());
	EXPECT(slab_verify());
}

/* The other pages of what would be a block of 8. */
TEST(page_frag, small_blocks_do_not_answer_for_their_neighbours)
{
	struct page_frag_cache nc = {0};
	unsigned long free, pfn, first;
	char *p;

	fault_inject_arm(&fail_page_alloc, 1);
	p = page_frag_alloc(&nc, 100, QUIET);
	fault_inject_disarm(&fail_page_alloc);
	REQUIRE_NOT_NULL(p);
	free = nr_free_pages();
	pfn = page_to_pfn(virt_to_page(p));
	first = round_down(pfn, 8);
	for (unsigned long other = first; other < first + 8; other++)
		if (other != pfn)
			EXPECT_ONE_LINE(page_frag_free(pa_to_va(
						(other << PAGE_SHIFT) + 5)),
					"not cut into fragments");
	EXPECT_EQ(refs_of(p), REFS);
	EXPECT_EQ(nr_free_pages(), free);
	page_frag_free(p);
	page_frag_cache_drain(&nc);
	EXPECT(buddy_verify());
}

TEST(page_frag, freed_again_after_it_went_back)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	char *p = page_frag_alloc(&nc, 9000, GFP_KERNEL);

	REQUIRE_NOT_NULL(p);
	page_frag_cache_drain(&nc);
	page_frag_free(p);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT_ONE_LINE(page_frag_free(p), "not cut into fragments");
	EXPECT_ONE_LINE(page_frag_free(p + 8999), "not cut into fragments");
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}

TEST(page_frag, blocks_are_not_freed_as_pages)
{
	struct page_frag_cache nc = {0};
	void *p = page_frag_alloc(&nc, 100, GFP_KERNEL);
	unsigned long free = nr_free_pages();

	REQUIRE_NOT_NULL(p);
	EXPECT_ONE_LINE(__free_pages(head_of(p), 3), "is frag, order 3");
	EXPECT_ONE_LINE(put_page(virt_to_page(p)), "is frag, order 3");
	EXPECT_ONE_LINE(free_pages(page_frag_block(&nc), 0), "is frag");
	EXPECT_ONE_LINE(kfree(p), "is frag");
	EXPECT_EQ(refs_of(p), REFS);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(page_frag_cache_verify(&nc));
	page_frag_free(p);
	page_frag_cache_drain(&nc);
	EXPECT(buddy_verify());
}

/* The block is nobody's then; here the test gives it back. */
TEST(page_frag, more_freed_than_allocated)
{
	unsigned long free = nr_free_pages();
	struct page_frag_cache nc = {0};
	void *p = page_frag_alloc(&nc, MAX, GFP_KERNEL), *q;
	struct page *head;

	REQUIRE_NOT_NULL(p);
	head = head_of(p);
	page_frag_free(p);
	page_frag_free(p);
	EXPECT_ONE_LINE(EXPECT(!page_frag_cache_verify(&nc)), "F3");
	EXPECT_ONE_LINE(q = page_frag_alloc(&nc, MAX, GFP_KERNEL),
			"more was freed than allocated");
	REQUIRE_NOT_NULL(q);
	EXPECT_NE(head_of(q), head);
	EXPECT_EQ(free - nr_free_pages(), 16);
	page_frag_free(q);
	page_frag_cache_drain(&nc);
	EXPECT_EQ(free - nr_free_pages(), 8);
	EXPECT(buddy_verify());
	head->refcount = 1;
	page_frag_free(p);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT(buddy_verify());
}

/* --- the walker itself
 * ------------------------------------------------------*/

TEST(page_frag, verify_sees_what_is_wrong)
{
	struct page_frag_cache nc = {.remaining = 1}, good;
	void *p;

	EXPECT_ONE_LINE(EXPECT(!page_frag_cache_verify(&nc)), "F1");
	page_frag_cache_init(&nc);
	p = page_frag_alloc(&nc, 100, GFP_KERNEL);
	REQUIRE_NOT_NULL(p);
	good = nc;
	EXPECT(page_frag_cache_verify(&nc));
	nc.encoded_va |= PAGE_FRAG_PFMEMALLOC;
	EXPECT_ONE_LINE(EXPECT(!page_frag_cache_verify(&nc)), "F2");
	nc = good;
	nc.encoded_va ^= 1;
	EXPECT_ONE_LINE(EXPECT(!page_frag_cache_verify(&nc)), "F2");
	nc = good;
	nc.encoded_va += PAGE_SIZE;
	EXPECT_ONE_LINE(EXPECT(!page_frag_cache_verify(&nc)), "F2");
	nc = (struct page_frag_cache){.encoded_va = PAGE_SIZE | 9};
	EXPECT_ONE_LINE(EXPECT(!page_frag_cache_verify(&nc)), "F2");
	nc = good;
	nc.pagecnt_bias += 2;
	EXPECT_ONE_LINE(EXPECT(!page_frag_cache_verify(&nc)), "F3");
	nc = good;
	nc.pagecnt_bias = 0;
	EXPECT_ONE_LINE(EXPECT(!page_frag_cache_verify(&nc)), "F3");
	nc = good;
	nc.remaining = MAX + 1;
	EXPECT_ONE_LINE(EXPECT(!page_frag_cache_verify(&nc)), "F4");
	nc.remaining = MAX;
	EXPECT_ONE_LINE(EXPECT(!page_frag_cache_verify(&nc)), "F4");
	nc = good;
	page_frag_free(p);
	page_frag_cache_drain(&nc);
}
