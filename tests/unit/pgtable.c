/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page tables, on scratch trees that no CPU translates through. */
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/random.h>
#include <lib/string.h>
#include <mm/page_alloc.h>
#include <mm/pgtable.h>
#include <tests/unit/one_line.h>

#define BASE     VMALLOC_START
#define MB2      HUGE_PAGE_SIZE
#define GB1      (1UL << 30)
#define PAGES(n) ((n)*PAGE_SIZE)

static pte_t *root;
static size_t tables_before;

static void setup(void)
{
	tables_before = pgtable_nr_tables();
	root = pgtable_create(GFP_KERNEL);
	REQUIRE_NOT_NULL(root);
}

static void teardown(void)
{
	pgtable_destroy(root);
	EXPECT_EQ(pgtable_nr_tables(), tables_before);
}

TEST_SUITE(pgtable, .setup = setup, .teardown = teardown);

static int map(va_t start, size_t size, pa_t pa, pgprot_t prot,
	       unsigned int level)
{
	return pgtable_map_range(root, start, start + size, pa, prot, level,
				 GFP_KERNEL);
}

static void unmap(va_t start, size_t size)
{
	pgtable_unmap(root, start, start + size);
}

/* What the iteration found. */
struct found {
	unsigned int nr, stop_after;
	struct pgtable_range range[8];
};

static bool collect(void *ctx, const struct pgtable_range *range)
{
	struct found *found = ctx;

	if (found->nr < ARRAY_SIZE(found->range))
		found->range[found->nr] = *range;
	found->nr++;
	return found->nr != found->stop_after;
}

static struct found ranges(void)
{
	struct found found = {0};

	pgtable_for_each_range(root, BASE, BASE + 64 * GB1, collect, &found);
	return found;
}

static void expect_range(const struct found *found, unsigned int i, va_t start,
			 va_t end, pa_t pa, pgprot_t prot, unsigned int level)
{
	REQUIRE_LT(i, found->nr);
	EXPECT_EQ(found->range[i].start, start);
	EXPECT_EQ(found->range[i].end, end);
	EXPECT_EQ(found->range[i].pa, pa);
	EXPECT_EQ(found->range[i].prot, prot);
	EXPECT_EQ(found->range[i].level, level);
}

TEST(pgtable, small_leaves)
{
	struct pgtable_range leaf;

	REQUIRE_EQ(map(BASE + PAGES(3), PAGES(2), 0x5000, PAGE_KERNEL, 0), 0);
	REQUIRE(pgtable_walk(root, BASE + PAGES(4) + 17, &leaf));
	EXPECT_EQ(leaf.start, BASE + PAGES(4));
	EXPECT_EQ(leaf.end, BASE + PAGES(5));
	EXPECT_EQ(leaf.pa, 0x6000);
	EXPECT_EQ(leaf.prot, PAGE_KERNEL);
	EXPECT_EQ(leaf.level, 0);
	EXPECT_EQ(pgtable_translate(root, BASE + PAGES(3) + 5), 0x5005);
	EXPECT_EQ(pgtable_translate(root, BASE + PAGES(2)), 0);
	EXPECT(!pgtable_walk(root, BASE + PAGES(5), &leaf));
	EXPECT(!pgtable_walk(root, BASE + 5 * GB1, &leaf));
	unmap(BASE + PAGES(3), PAGES(2));
	EXPECT_EQ(ranges().nr, 0);
}

TEST(pgtable, largest_leaves_that_fit)
{
	va_t start = BASE + GB1 - MB2 - PAGES(1);
	pa_t pa = 8 * GB1 - MB2 - PAGES(1);
	size_t size = GB1 + 2 * MB2 + PAGES(2);
	struct found found;

	if (arch_max_leaf_level() < 2)
		SKIP("needs 1 GiB leaves");
	REQUIRE_EQ(map(start, size, pa, PAGE_KERNEL_RO, 2), 0);
	found = ranges();
	EXPECT_EQ(found.nr, 5);
	expect_range(&found, 0, start, start + PAGES(1), pa, 0, 0);
	expect_range(&found, 1, BASE + GB1 - MB2, BASE + GB1, 8 * GB1 - MB2, 0,
		     1);
	expect_range(&found, 2, BASE + GB1, BASE + 2 * GB1, 8 * GB1, 0, 2);
	expect_range(&found, 3, BASE + 2 * GB1, BASE + 2 * GB1 + MB2, 9 * GB1,
		     0, 1);
	expect_range(&found, 4, BASE + 2 * GB1 + MB2,
		     BASE + 2 * GB1 + MB2 + PAGES(1), 9 * GB1 + MB2, 0, 0);
	EXPECT_EQ(pgtable_translate(root, BASE + GB1 + 12345), 8 * GB1 + 12345);
	unmap(start, size);
	EXPECT_EQ(ranges().nr, 0);
}

TEST(pgtable, leaf_size_is_bounded_by_alignment_and_the_caller)
{
	struct found found;

	REQUIRE_EQ(map(BASE, 2 * MB2, 16 * MB2, PAGE_KERNEL, 0), 0);
	REQUIRE_EQ(
		map(BASE + 4 * MB2, MB2, 16 * MB2 + PAGES(1), PAGE_KERNEL, 1),
		0);
	found = ranges();
	EXPECT_EQ(found.nr, 2);
	EXPECT_EQ(found.range[0].level, 0);
	EXPECT_EQ(found.range[1].level, 0);
	unmap(BASE, 5 * MB2);
}

TEST(pgtable, mapped_is_never_overwritten)
{
	va_t va = BASE + MB2 - PAGES(2);
	struct found found;
	int err = 0;

	REQUIRE_EQ(map(BASE + MB2 + PAGES(1), PAGES(1), 0x9000, PAGE_KERNEL, 0),
		   0);
	EXPECT_ONE_LINE(err = map(va, PAGES(5), 0x100000, PAGE_KERNEL_RO, 1),
			"mapped already");
	EXPECT_EQ(err, -EEXIST);
	found = ranges();
	EXPECT_EQ(found.nr, 1);
	expect_range(&found, 0, BASE + MB2 + PAGES(1), BASE + MB2 + PAGES(2),
		     0x9000, PAGE_KERNEL, 0);
	unmap(BASE + MB2 + PAGES(1), PAGES(1));
}

TEST(pgtable, small_leaf_never_goes_below_a_large_one)
{
	int err = 0;

	REQUIRE_EQ(map(BASE + 8 * MB2, MB2, 4 * MB2, PAGE_KERNEL, 1), 0);
	EXPECT_ONE_LINE(
		err = map(BASE + 8 * MB2, PAGES(1), 0x5000, PAGE_KERNEL, 0),
		"mapped already");
	EXPECT_EQ(err, -EEXIST);
	EXPECT_ONE_LINE(err = map(BASE + 8 * MB2, MB2, 0, PAGE_KERNEL, 1),
			"mapped already");
	EXPECT_EQ(err, -EEXIST);
	EXPECT_EQ(pgtable_translate(root, BASE + 8 * MB2), 4 * MB2);
	unmap(BASE + 8 * MB2, MB2);
}

TEST(pgtable, kept_table_takes_small_leaves_in_place_of_a_large_one)
{
	va_t va = BASE + 40 * GB1;
	struct found found;

	REQUIRE_EQ(map(va, PAGES(1), 0x5000, PAGE_KERNEL, 0), 0);
	unmap(va, PAGES(1));
	REQUIRE_EQ(map(va, 2 * MB2, 4 * MB2, PAGE_KERNEL, 1), 0);
	found = ranges();
	expect_range(&found, 0, va, va + MB2, 4 * MB2, PAGE_KERNEL, 0);
	expect_range(&found, 1, va + MB2, va + 2 * MB2, 5 * MB2, PAGE_KERNEL,
		     1);
	unmap(va, 2 * MB2);
	EXPECT_EQ(ranges().nr, 0);
}

TEST(pgtable, bad_ranges_are_refused)
{
	static const struct {
		va_t start, end;
		pa_t pa;
		pgprot_t prot;
		const char *part;
	} bad[] = {
		{BASE, BASE, 0, PAGE_KERNEL, "empty or wraps"},
		{BASE + MB2, BASE, 0, PAGE_KERNEL, "empty or wraps"},
		{BASE + 1, BASE + PAGES(1), 0, PAGE_KERNEL, "not page aligned"},
		{BASE, BASE + PAGES(1) + 8, 0, PAGE_KERNEL, "not page aligned"},
		{BASE, BASE + PAGES(1), 8, PAGE_KERNEL, "not page aligned"},
		{BASE, BASE + PAGES(1), 0, PROT_WRITE | PROT_EXEC,
		 "both writable and executable"},
		{BASE, BASE + PAGES(2), (1UL << MAX_PHYS_BITS) - PAGE_SIZE,
		 PAGE_KERNEL, "beyond physical memory"},
		{BASE, BASE + PAGES(1), UINT64_MAX & PAGE_MASK, PAGE_KERNEL,
		 "beyond physical memory"},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		int err = 0;

		EXPECT_ONE_LINE(err = pgtable_map_range(
					root, bad[i].start, bad[i].end,
					bad[i].pa, bad[i].prot, 0, GFP_KERNEL),
				bad[i].part);
		EXPECT_EQ(err, -EINVAL);
	}
	EXPECT_EQ(ranges().nr, 0);
}

/* Pages that are only written into entries, never touched. */
static void take_pages(struct page **pages, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pages[i] = alloc_page(GFP_KERNEL);
		REQUIRE_NOT_NULL(pages[i]);
	}
}

TEST(pgtable, pages_across_two_tables)
{
	va_t va = BASE + MB2 - PAGES(3);
	struct page *pages[8];

	take_pages(pages, ARRAY_SIZE(pages));
	REQUIRE_EQ(
		pgtable_map_pages(root, va, pages, 8, PAGE_KERNEL, GFP_KERNEL),
		0);
	for (unsigned int i = 0; i < 8; i++)
		EXPECT_EQ(pgtable_translate(root, va + PAGES(i)),
			  page_to_pa(pages[i]));
	EXPECT_EQ(pgtable_translate(root, va + PAGES(8)), 0);
	unmap(va, PAGES(8));
	free_pages_bulk(pages, 8);
}

TEST(pgtable, a_missing_page_undoes_the_rest)
{
	va_t va = BASE + MB2 - PAGES(2);
	struct page *pages[4];
	int err;

	take_pages(pages, 4);
	__free_page(pages[3]);
	pages[3] = NULL;
	err = pgtable_map_pages(root, va, pages, 4, PAGE_KERNEL, GFP_KERNEL);
	EXPECT_EQ(err, -EINVAL);
	EXPECT_EQ(ranges().nr, 0);
	EXPECT_ONE_LINE(err = pgtable_map_pages(root, va, pages, SIZE_MAX / 2,
						PAGE_KERNEL, GFP_KERNEL),
			"empty or wraps");
	EXPECT_EQ(err, -EINVAL);
	EXPECT_ONE_LINE(err = pgtable_map_pages(root, va, pages, 0, PAGE_KERNEL,
						GFP_KERNEL),
			"empty or wraps");
	EXPECT_EQ(err, -EINVAL);
	EXPECT_ONE_LINE(
		{
			REQUIRE_EQ(
				map(va + PAGES(2), PAGES(1), 0, PAGE_KERNEL, 0),
				0);
			err = pgtable_map_pages(root, va, pages, 3, PAGE_KERNEL,
						GFP_KERNEL);
		},
		"mapped already");
	EXPECT_EQ(err, -EEXIST);
	EXPECT_EQ(ranges().nr, 1);
	unmap(va + PAGES(2), PAGES(1));
	free_pages_bulk(pages, 4);
}

TEST(pgtable, unmap_passes_over_holes_and_keeps_tables)
{
	size_t tables;

	REQUIRE_EQ(map(BASE + PAGES(1), PAGES(1), 0x5000, PAGE_KERNEL, 0), 0);
	REQUIRE_EQ(map(BASE + 9 * GB1, MB2, 0, PAGE_KERNEL, 1), 0);
	tables = pgtable_nr_tables();
	unmap(BASE + PAGES(1), PAGES(1));
	unmap(BASE, 10 * GB1);
	EXPECT_EQ(ranges().nr, 0);
	EXPECT_EQ(pgtable_nr_tables(), tables);
	REQUIRE_EQ(map(BASE + PAGES(1), PAGES(1), 0x5000, PAGE_KERNEL, 0), 0);
	EXPECT_EQ(pgtable_nr_tables(), tables);
	unmap(BASE + PAGES(1), PAGES(1));
}

TEST(pgtable, protect_splits_what_reaches_out)
{
	va_t va = BASE + 16 * GB1;
	struct found found;

	if (arch_max_leaf_level() < 2)
		SKIP("needs 1 GiB leaves");
	REQUIRE_EQ(map(va, GB1, 4 * GB1, PAGE_KERNEL, 2), 0);
	REQUIRE_EQ(pgtable_protect(root, va + MB2 - PAGES(1),
				   va + 3 * MB2 + PAGES(1), PAGE_KERNEL_ROX,
				   GFP_KERNEL),
		   0);
	found = ranges();
	EXPECT_EQ(found.nr, 6);
	expect_range(&found, 0, va, va + MB2 - PAGES(1), 4 * GB1, PAGE_KERNEL,
		     0);
	expect_range(&found, 1, va + MB2 - PAGES(1), va + MB2,
		     4 * GB1 + MB2 - PAGES(1), PAGE_KERNEL_ROX, 0);
	expect_range(&found, 2, va + MB2, va + 3 * MB2, 4 * GB1 + MB2,
		     PAGE_KERNEL_ROX, 1);
	expect_range(&found, 3, va + 3 * MB2, va + 3 * MB2 + PAGES(1),
		     4 * GB1 + 3 * MB2, PAGE_KERNEL_ROX, 0);
	expect_range(&found, 4, va + 3 * MB2 + PAGES(1), va + 4 * MB2,
		     4 * GB1 + 3 * MB2 + PAGES(1), PAGE_KERNEL, 0);
	expect_range(&found, 5, va + 4 * MB2, va + GB1, 4 * GB1 + 4 * MB2,
		     PAGE_KERNEL, 1);
	unmap(va, GB1);
}

TEST(pgtable, protect_leaves_holes_and_refuses_nonsense)
{
	int err = 0;

	REQUIRE_EQ(map(BASE + PAGES(1), PAGES(1), 0x5000, PAGE_KERNEL, 0), 0);
	EXPECT_EQ(pgtable_protect(root, BASE, BASE + 4 * GB1, PAGE_KERNEL_RO,
				  GFP_KERNEL),
		  0);
	EXPECT_EQ(ranges().nr, 1);
	EXPECT_EQ(ranges().range[0].prot, PAGE_KERNEL_RO);
	EXPECT_ONE_LINE(err = pgtable_protect(root, BASE, BASE + PAGES(4),
					      PROT_WRITE | PROT_EXEC,
					      GFP_KERNEL),
			"both writable and executable");
	EXPECT_EQ(err, -EINVAL);
	EXPECT_EQ(ranges().range[0].prot, PAGE_KERNEL_RO);
	unmap(BASE + PAGES(1), PAGES(1));
}

/* A tree without the tables that those before left. */
static bool fresh_tree(void)
{
	pgtable_destroy(root);
	root = pgtable_create(GFP_KERNEL);
	return root;
}

/* Make page allocation 1, 2, … fail in turn until the operation succeeds. */
TEST(pgtable, map_out_of_memory_at_each_table)
{
	va_t va = BASE + 24 * GB1 - PAGES(1);
	unsigned long nth = 0;
	int err;

	REQUIRE(fresh_tree());
	do {
		fault_inject_arm(&fail_page_alloc, ++nth);
		err = pgtable_map_range(root, va, va + PAGES(2), 0x5000,
					PAGE_KERNEL, 0, GFP_NOWAIT);
		fault_inject_disarm(&fail_page_alloc);
		if (err) {
			EXPECT_EQ(err, -ENOMEM);
			EXPECT_EQ(ranges().nr, 0);
		}
	} while (err && nth < 20);
	EXPECT_EQ(err, 0);
	EXPECT_GE(nth, 4);
	unmap(va, PAGES(2));
}

TEST(pgtable, protect_out_of_memory_changes_nothing)
{
	va_t va = BASE + 32 * GB1;
	unsigned long nth = 0;
	int err;

	if (arch_max_leaf_level() < 2)
		SKIP("needs 1 GiB leaves");
	REQUIRE(fresh_tree());
	REQUIRE_EQ(map(va, 2 * GB1, 4 * GB1, PAGE_KERNEL, 2), 0);
	do {
		fault_inject_arm(&fail_page_alloc, ++nth);
		err = pgtable_protect(root, va + PAGES(1), va + GB1 + PAGES(1),
				      PAGE_KERNEL_RO, GFP_NOWAIT);
		fault_inject_disarm(&fail_page_alloc);
		for (va_t at = va; err && at < va + 2 * GB1; at += GB1 / 8) {
			struct pgtable_range leaf;

			REQUIRE(pgtable_walk(root, at, &leaf));
			EXPECT_EQ(leaf.prot, PAGE_KERNEL);
			EXPECT_EQ(pgtable_translate(root, at),
				  4 * GB1 + (at - va));
		}
	} while (err && nth < 20);
	EXPECT_EQ(err, 0);
	EXPECT_GE(nth, 3); /* splits made before a failure stay */
	unmap(va, 2 * GB1);
}

TEST(pgtable, iteration_ends_when_told)
{
	struct found found = {.stop_after = 2};

	for (unsigned int i = 0; i < 4; i++)
		REQUIRE_EQ(map(BASE + PAGES(2 * i), PAGES(1), 0x5000,
			       PAGE_KERNEL, 0),
			   0);
	pgtable_for_each_range(root, BASE, BASE + GB1, collect, &found);
	EXPECT_EQ(found.nr, 2);
	unmap(BASE, PAGES(8));
}

TEST(pgtable, iteration_cuts_at_its_bounds)
{
	va_t va = BASE + 44 * GB1;
	struct found found = {0};

	REQUIRE_EQ(map(va, MB2, 4 * MB2, PAGE_KERNEL, 1), 0);
	pgtable_for_each_range(root, va + PAGES(2), va + PAGES(5), collect,
			       &found);
	expect_range(&found, 0, va + PAGES(2), va + PAGES(5),
		     4 * MB2 + PAGES(2), PAGE_KERNEL, 1);
	unmap(va, MB2);
}

TEST(pgtable, dump_merges_equal_ranges)
{
	char buf[512];
	struct printk_capture capture = PRINTK_CAPTURE(buf), *old;

	REQUIRE_EQ(map(BASE, PAGES(2), 0x5000, PAGE_KERNEL, 0), 0);
	REQUIRE_EQ(map(BASE + PAGES(2), PAGES(1), 0, PAGE_KERNEL_ROX, 0), 0);
	REQUIRE_EQ(
		map(BASE + PAGES(3), PAGES(3), 0x9000, PAGE_KERNEL_NOCACHE, 0),
		0);
	old = printk_set_capture(&capture);
	pgtable_dump(root, BASE, BASE + GB1);
	printk_set_capture(old);
	EXPECT_STREQ(
		buf,
		"0xffffc90000000000-0xffffc90000002000         8K rw- 4K\n"
		"0xffffc90000002000-0xffffc90000003000         4K r-x 4K\n"
		"0xffffc90000003000-0xffffc90000006000        12K rw- uncached "
		"4K\n");
	unmap(BASE, PAGES(6));
}

/* ---- against a model ---------------------------------------------------- */

#define MODEL_PAGES 1536 /* three tables */

static struct {
	pa_t pa; /* 0: not mapped */
	pgprot_t prot;
} model[MODEL_PAGES];

static bool model_occupied(size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++)
		if (model[i].pa)
			return true;
	return false;
}

static void model_map(va_t base, size_t first, size_t n, pa_t pa, pgprot_t prot)
{
	va_t va = base + PAGES(first);
	int err = 0;

	if (model_occupied(first, n)) {
		EXPECT_ONE_LINE(err = map(va, PAGES(n), pa, prot, 0),
				"mapped already");
		EXPECT_EQ(err, -EEXIST);
		return;
	}
	EXPECT_EQ(map(va, PAGES(n), pa, prot, 0), 0);
	for (size_t i = 0; i < n; i++) {
		model[first + i].pa = pa + PAGES(i);
		model[first + i].prot = prot;
	}
}

static void model_unmap(va_t base, size_t first, size_t n)
{
	unmap(base + PAGES(first), PAGES(n));
	for (size_t i = first; i < first + n; i++)
		model[i].pa = 0;
}

static void model_protect(va_t base, size_t first, size_t n, pgprot_t prot)
{
	EXPECT_EQ(pgtable_protect(root, base + PAGES(first),
				  base + PAGES(first + n), prot, GFP_KERNEL),
		  0);
	for (size_t i = first; i < first + n; i++)
		model[i].prot = prot;
}

static void model_compare(va_t base)
{
	for (size_t i = 0; i < MODEL_PAGES; i++) {
		struct pgtable_range leaf;
		bool mapped = pgtable_walk(root, base + PAGES(i), &leaf);

		REQUIRE_EQ(mapped, model[i].pa != 0);
		if (!mapped)
			continue;
		REQUIRE_EQ(leaf.pa, model[i].pa);
		REQUIRE_EQ(leaf.prot, model[i].prot);
	}
}

TEST(pgtable, random_operations_against_a_model)
{
	static const pgprot_t prots[] = {PAGE_KERNEL, PAGE_KERNEL_RO,
					 PAGE_KERNEL_ROX};
	va_t base = BASE + 48 * GB1;
	struct rng rng;

	rng_seed(&rng, test_seed());
	memset(model, 0, sizeof(model));
	for (unsigned int step = 0; step < 1000; step++) {
		size_t first = rng_below(&rng, MODEL_PAGES);
		size_t most = rng_below(&rng, 8) ? 40 : MODEL_PAGES;
		size_t n = 1 + rng_below(&rng, min(most, MODEL_PAGES - first));
		pgprot_t prot = prots[rng_below(&rng, ARRAY_SIZE(prots))];

		switch (rng_below(&rng, 4)) {
		case 0:
			model_unmap(base, first, n);
			break;
		case 1:
			model_protect(base, first, n, prot);
			break;
		default:
			model_map(base, first, n,
				  PAGES(1 + rng_below(&rng, 1000)), prot);
		}
		if (step % 50 == 0)
			model_compare(base);
	}
	model_compare(base);
	unmap(base, PAGES(MODEL_PAGES));
	EXPECT_EQ(ranges().nr, 0);
}
