/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Area trees and placement, in private spaces where nothing is mapped. */
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/random.h>
#include <lib/string.h>
#include <mm/slab.h>
#include <mm/vmap_index.h>
#include <tests/unit/one_line.h>

#define BASE     ((va_t)0x40000000)
#define PAGES(n) ((n)*PAGE_SIZE)

static struct vmap_space space;

static bool open_space(size_t pages)
{
	return vmap_space_init(&space, "test", BASE, BASE + PAGES(pages),
			       NULL) == 0;
}

static int place(size_t pages, size_t align, size_t from, size_t to,
		 struct vmap_area **va)
{
	const struct vmap_request req = {PAGES(pages), PAGES(align),
					 BASE + PAGES(from), BASE + PAGES(to)};

	*va = NULL;
	return place_vmap_area(&space, &req, GFP_KERNEL, va);
}

/* Page number of an area in the space. */
static size_t page_of(const struct vmap_area *va)
{
	return (get_va_start(va) - BASE) >> PAGE_SHIFT;
}

/* Take exactly the pages [from, to). */
static struct vmap_area *take(size_t from, size_t to)
{
	struct vmap_area *va;

	EXPECT_EQ(place(to - from, 1, from, to, &va), 0);
	return va;
}

TEST(vmap_area, descriptor_keeps_flags_below_its_start)
{
	struct vmap_area va = {.va_start = BASE, .va_end = BASE + PAGES(3)};

	EXPECT_EQ(sizeof(va), VMAP_AREA_WORDS * sizeof(void *));
	EXPECT_EQ(va_flags(&va), 0);
	set_va_flags(&va, VA_LAZY);
	EXPECT_EQ(va_flags(&va), VA_LAZY);
	EXPECT_EQ(get_va_start(&va), BASE);
	EXPECT_EQ(va_size(&va), PAGES(3));
	set_va_flags(&va, VA_VM);
	EXPECT_EQ(va_flags(&va), VA_VM);
	set_va_flags(&va, 0);
	EXPECT_EQ(va.va_start, BASE);
}

TEST(vmap_area, spaces_are_whole_pages)
{
	int err = 0;

	EXPECT_ONE_LINE(err = vmap_space_init(&space, "bad", BASE, BASE, NULL),
			"not whole pages");
	EXPECT_EQ(err, -EINVAL);
	EXPECT_ONE_LINE(err = vmap_space_init(&space, "bad", BASE + PAGES(1),
					      BASE, NULL),
			"not whole pages");
	EXPECT_EQ(err, -EINVAL);
	EXPECT_ONE_LINE(err = vmap_space_init(&space, "bad", BASE + 1,
					      BASE + PAGES(1), NULL),
			"not whole pages");
	EXPECT_EQ(err, -EINVAL);
	fault_inject_arm(&failslab, 1);
	EXPECT_ONE_LINE(err = vmap_space_init(&space, "bad", BASE,
					      BASE + PAGES(1), NULL),
			"vmap_area");
	fault_inject_disarm(&failslab);
	EXPECT_EQ(err, -ENOMEM);
}

TEST(vmap_area, lowest_fit)
{
	struct vmap_area *a, *b, *c, *d;

	REQUIRE(open_space(16));
	a = take(0, 4);
	b = take(4, 6);
	c = take(6, 12);
	free_vmap_area(&space, a);
	free_vmap_area(&space, c);
	EXPECT_EQ(space.nr_free, 2);
	EXPECT_EQ(place(5, 1, 0, 16, &a), 0);
	EXPECT_EQ(page_of(a), 6);
	EXPECT_EQ(place(4, 1, 0, 16, &c), 0);
	EXPECT_EQ(page_of(c), 0);
	EXPECT_EQ(place(6, 1, 0, 16, &d), -ENOSPC);
	EXPECT_NULL(d);
	EXPECT(vmap_space_verify(&space));
	free_vmap_area(&space, a);
	free_vmap_area(&space, b);
	free_vmap_area(&space, c);
	EXPECT_EQ(space.nr_free, 1);
	EXPECT_EQ(space.free_bytes, PAGES(16));
	vmap_space_destroy(&space);
}

TEST(vmap_area, exact_aligned_window)
{
	struct vmap_area *va;

	REQUIRE(open_space(256));
	EXPECT_EQ(place(5, 32, 64, 69, &va), 0);
	REQUIRE_NOT_NULL(va);
	EXPECT_EQ(page_of(va), 64);
	EXPECT_EQ(space.nr_free, 2);
	EXPECT(vmap_space_verify(&space));
	free_vmap_area(&space, va);
	EXPECT_EQ(place(5, 32, 65, 69, &va), -ENOSPC);
	EXPECT_EQ(place(5, 32, 64, 68, &va), -ENOSPC);
	EXPECT_EQ(place(5, 32, 65, 101, &va), 0);
	EXPECT_EQ(page_of(va), 96);
	free_vmap_area(&space, va);
	vmap_space_destroy(&space);
}

TEST(vmap_area, only_aligned_hole_of_exactly_the_size)
{
	struct vmap_area *all, *low, *high, *va;

	REQUIRE(open_space(256));
	low = take(0, 96);
	all = take(96, 101);
	high = take(101, 256);
	free_vmap_area(&space, all);
	EXPECT_EQ(place(5, 32, 0, 256, &va), 0);
	REQUIRE_NOT_NULL(va);
	EXPECT_EQ(page_of(va), 96);
	EXPECT_EQ(space.nr_free, 0);
	EXPECT_EQ(place(1, 1, 0, 256, &all), -ENOSPC);
	free_vmap_area(&space, low);
	free_vmap_area(&space, high);
	free_vmap_area(&space, va);
	vmap_space_destroy(&space);
}

TEST(vmap_area, alignment_that_wraps)
{
	struct vmap_area *va;
	const struct vmap_request req = {PAGE_SIZE, 1UL << 63, BASE,
					 BASE + PAGES(16)};

	REQUIRE(open_space(16));
	EXPECT_EQ(place_vmap_area(&space, &req, GFP_KERNEL, &va), -ENOSPC);
	EXPECT_EQ(space.free_bytes, PAGES(16));
	vmap_space_destroy(&space);
}

static void give_in_order(struct vmap_area *va[5], const unsigned int order[5])
{
	for (unsigned int i = 0; i < 5; i++) {
		free_vmap_area(&space, va[order[i]]);
		EXPECT(vmap_space_verify(&space));
	}
	EXPECT_EQ(space.nr_free, 1);
}

/* The @index-th of the 120 orders of five things. */
static void permutation(unsigned int index, unsigned int order[5])
{
	unsigned int left[5] = {0, 1, 2, 3, 4};

	for (unsigned int n = 5; n > 0; n--) {
		unsigned int i = index % n;

		index /= n;
		order[5 - n] = left[i];
		memmove(&left[i], &left[i + 1], (n - i - 1) * sizeof(*left));
	}
}

TEST(vmap_area, any_order_of_frees_ends_in_one_area)
{
	unsigned int order[5];

	REQUIRE(open_space(10));
	for (unsigned int index = 0; index < 120; index++) {
		struct vmap_area *va[5];

		for (unsigned int i = 0; i < 5; i++)
			REQUIRE_EQ(place(2, 1, 0, 10, &va[i]), 0);
		permutation(index, order);
		give_in_order(va, order);
	}
	vmap_space_destroy(&space);
}

TEST(vmap_area, placing_out_of_memory)
{
	static const struct {
		size_t pages, from, to;
		unsigned int needs;
	} cases[] = {{4, 0, 16, 1}, {4, 4, 8, 2}, {16, 0, 16, 1}};

	REQUIRE(open_space(16));
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vmap_area *va = NULL;
		unsigned int nth = 0;
		int err;

		do {
			const struct vmap_request req = {
				PAGES(cases[i].pages), PAGE_SIZE,
				BASE + PAGES(cases[i].from),
				BASE + PAGES(cases[i].to)};

			fault_inject_arm(&failslab, ++nth);
			err = place_vmap_area(&space, &req, GFP_NOWAIT, &va);
			fault_inject_disarm(&failslab);
			if (err) {
				EXPECT_EQ(err, -ENOMEM);
				EXPECT_EQ(space.free_bytes, PAGES(16));
				EXPECT(vmap_space_verify(&space));
			}
		} while (err && nth < 5);
		EXPECT_EQ(nth, cases[i].needs + 1);
		REQUIRE_EQ(err, 0);
		free_vmap_area(&space, va);
	}
	vmap_space_destroy(&space);
}

/* ---- the verifier itself ------------------------------------------------ */

static void expect_broken(const char *what)
{
	bool ok = true;

	EXPECT_ONE_LINE(ok = vmap_space_verify(&space), what);
	EXPECT(!ok);
}

TEST(vmap_area, verify_sees_what_is_broken)
{
	struct vmap_area *free, *va, *busy;

	REQUIRE(open_space(16));
	va = take(4, 8);
	busy = take(10, 12);
	REQUIRE_EQ(vmap_index_insert(&space, busy, GFP_KERNEL), 0);
	va_vm(busy)->addr = (void *)get_va_start(busy);
	insert_vmap_area(busy, va_vm(busy));
	free = list_first_entry(&space.free_list, struct vmap_area, list);
	EXPECT(vmap_space_verify(&space));

	free->subtree_max_size += PAGE_SIZE;
	expect_broken("A3");
	free->subtree_max_size -= PAGE_SIZE;

	free->va_end += PAGES(4);
	expect_broken("A");
	free->va_end -= PAGES(4);

	set_va_flags(free, VA_LAZY);
	expect_broken("A6");
	set_va_flags(free, 0);

	space.free_bytes += 1;
	expect_broken("A4");
	space.free_bytes -= 1;

	busy->va_end += PAGES(1);
	expect_broken("I1: 0x4000a000 leads to");
	busy->va_end -= PAGES(1);

	set_va_flags(busy, 0);
	expect_broken("I1: 0x4000a000 leads to");
	set_va_flags(busy, VA_VM | VA_LAZY | VA_INDEXED);
	expect_broken("A5: flags");
	set_va_flags(busy, VA_INDEXED);

	EXPECT(vmap_space_verify(&space));
	vmap_index_remove(&space, busy);
	free_vmap_area(&space, busy);
	free_vmap_area(&space, va);
	vmap_space_destroy(&space);
}

/* ---- against a model ---------------------------------------------------- */

#define MODEL_PAGES 192
#define MODEL_AREAS 48

static bool used[MODEL_PAGES];
static struct vmap_area *areas[MODEL_AREAS];

static void mark(const struct vmap_area *va, bool value)
{
	for (size_t i = 0; i < va_size(va) >> PAGE_SHIFT; i++) {
		EXPECT_EQ(used[page_of(va) + i], !value);
		used[page_of(va) + i] = value;
	}
}

/* Page number of the lowest fit, or MODEL_PAGES. @base is what alignment is
 * counted from: the page number of the space. */
static size_t brute_force(size_t pages, size_t align, size_t from, size_t to)
{
	for (size_t at = from; at + pages <= to; at++) {
		size_t i = 0;

		if (((BASE >> PAGE_SHIFT) + at) % align)
			continue;
		while (i < pages && !used[at + i])
			i++;
		if (i == pages)
			return at;
	}
	return MODEL_PAGES;
}

static void random_place(struct rng *rng, struct vmap_area **slot)
{
	size_t pages = 1 + rng_below(rng, rng_below(rng, 4) ? 6 : 40);
	size_t align = 1UL << rng_below(rng, 7);
	size_t from = 0, to = MODEL_PAGES, expected;
	int err;

	if (rng_below(rng, 2)) {
		from = rng_below(rng, MODEL_PAGES - pages);
		to = from + pages +
		     rng_below(rng, MODEL_PAGES - from - pages + 1);
		if (rng_below(rng, 3) == 0)
			to = from + pages;
	}
	expected = brute_force(pages, align, from, to);
	err = place(pages, align, from, to, slot);
	if (expected == MODEL_PAGES) {
		EXPECT_EQ(err, -ENOSPC);
		return;
	}
	REQUIRE_EQ(err, 0);
	EXPECTF(page_of(*slot) == expected,
		"%zu pages, align %zu, in [%zu, %zu): at %zu, lowest is %zu",
		pages, align, from, to, page_of(*slot), expected);
	mark(*slot, true);
}

static void give(struct vmap_area **slot)
{
	mark(*slot, false);
	free_vmap_area(&space, *slot);
	*slot = NULL;
}

TEST(vmap_area, ten_thousand_layouts_against_brute_force)
{
	struct rng rng;

	rng_seed(&rng, test_seed());
	memset(used, 0, sizeof(used));
	memset(areas, 0, sizeof(areas));
	REQUIRE(open_space(MODEL_PAGES));
	for (unsigned int step = 0; step < 20000; step++) {
		struct vmap_area **slot = &areas[rng_below(&rng, MODEL_AREAS)];

		if (*slot)
			give(slot);
		else
			random_place(&rng, slot);
		if (step % 64 == 0)
			REQUIRE(vmap_space_verify(&space));
	}
	for (unsigned int i = 0; i < MODEL_AREAS; i++)
		if (areas[i])
			give(&areas[i]);
	EXPECT(vmap_space_verify(&space));
	EXPECT_EQ(space.nr_free, 1);
	EXPECT_EQ(space.free_bytes, PAGES(MODEL_PAGES));
	vmap_space_destroy(&space);
}
