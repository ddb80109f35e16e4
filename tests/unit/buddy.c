/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The buddy allocator, on private zones. */
#include <lib/bitmap.h>
#include <lib/math.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test.h>
#include <mm/buddy.h>
#include <mm/page_alloc.h>
#include <tests/unit/arena.h>
#include <tests/unit/one_line.h>

/* Are the descriptors of the arena outside [@start, @end) all untouched? */
static bool untouched_outside(unsigned long start, unsigned long end)
{
	static const struct page zero;

	for (unsigned long pfn = arena; pfn < arena + arena_size; pfn++)
		if ((pfn < start || pfn >= end) &&
		    memcmp(pfn_to_page(pfn), &zero, sizeof(zero)))
			return false;
	return true;
}

static struct zone zone;

/* An empty private zone over @n pages from the arena's page @first on. */
static unsigned long make_zone(size_t first, size_t n)
{
	zone_init(&zone, "test", ZONE_PRIVATE, arena + first,
		  arena + first + n);
	return arena + first;
}

static void fill_zone(size_t first, size_t n)
{
	unsigned long pfn = make_zone(first, n);

	zone_add_pages(&zone, pfn, pfn + n);
}

/* How many blocks [start, start + n) falls into when each is the largest. */
static void count_largest(unsigned long start, unsigned long n,
			  unsigned long nr[NR_ORDERS])
{
	unsigned long end = start + n;

	memset(nr, 0, NR_ORDERS * sizeof(*nr));
	while (start < end) {
		unsigned int o = 0;

		while (o < MAX_ORDER && start % (2UL << o) == 0 &&
		       start + (2UL << o) <= end)
			o++;
		nr[o]++;
		start += 1UL << o;
	}
}

/* Do the lists hold [start, start + n) as its largest blocks? */
static bool is_whole(unsigned long start, unsigned long n)
{
	unsigned long nr[NR_ORDERS];

	count_largest(start, n, nr);
	for (unsigned int o = 0; o < NR_ORDERS; o++)
		if (zone.free[o].nr != nr[o])
			return false;
	return zone.free_pages == n;
}

/* --- splitting and joining ------------------------------------------------ */

TEST(buddy, one_page_splits_all_the_way)
{
	struct page *page;

	REQUIRE_ARENA(1);
	fill_zone(0, MAX_BLOCK_PAGES);
	page = zone_alloc(&zone, 0);
	EXPECT_EQ(page_to_pfn(page), arena);
	EXPECT_EQ(page_ref_count(page), 1);
	for (unsigned int o = 0; o < MAX_ORDER; o++)
		EXPECT_EQ(zone.free[o].nr, 1);
	EXPECT_EQ(zone.free[MAX_ORDER].nr, 0);
	EXPECT_EQ(zone.nonempty, (1U << MAX_ORDER) - 1);
	EXPECT_EQ(zone.free_pages, MAX_BLOCK_PAGES - 1);
	EXPECT(zone_verify(&zone));
	EXPECT(zone_free(&zone, page, 0));
	EXPECT_EQ(zone.nonempty, 1U << MAX_ORDER);
	EXPECT(is_whole(arena, MAX_BLOCK_PAGES));
	EXPECT(zone_verify(&zone));
	arena_give_back();
}

TEST(buddy, blocks_are_aligned_and_of_the_least_order_that_will_do)
{
	REQUIRE_ARENA(1);
	fill_zone(1, MAX_BLOCK_PAGES - 1); /* one block of each order 0..9 */
	for (unsigned int o = 0; o < MAX_ORDER; o++) {
		struct page *page = zone_alloc(&zone, o);

		REQUIRE_NOT_NULL(page);
		EXPECT_EQ(page_to_pfn(page), arena + (1UL << o));
		EXPECT_EQ(page->order, o);
		EXPECT_EQ(page->type, PAGE_USED);
		EXPECT_EQ(zone.nonempty & (1U << o), 0);
	}
	EXPECT_EQ(zone.free_pages, 0);
	for (unsigned int o = 0; o < NR_ORDERS; o++)
		EXPECT_NULL(zone_alloc(&zone, o));
	EXPECT(zone_verify(&zone));
	arena_give_back();
}

TEST(buddy, holes_and_zone_edges_are_not_joined)
{
	static struct zone other;
	struct page *a, *b;

	REQUIRE_ARENA(1);
	/* A zone edge between two buddies, inside one map block. */
	zone_init(&zone, "low", ZONE_PRIVATE, arena, arena + 8);
	zone_init(&other, "high", ZONE_PRIVATE, arena + 8, arena + 16);
	zone_add_pages(&zone, arena, arena + 8);
	zone_add_pages(&other, arena + 8, arena + 16);
	EXPECT_EQ(zone.free[3].nr, 1);
	EXPECT_EQ(other.free[3].nr, 1);
	a = zone_alloc(&zone, 0);
	b = zone_alloc(&other, 0);
	EXPECT(zone_free(&zone, a, 0));
	EXPECT(zone_free(&other, b, 0));
	EXPECT_EQ(zone.free[3].nr, 1);
	EXPECT_EQ(other.free[3].nr, 1);
	EXPECT(zone_verify(&zone));
	EXPECT(zone_verify(&other));
	arena_forget();

	/* Pages 3 and 5 are holes. */
	zone_init(&zone, "holes", ZONE_PRIVATE, arena, arena + 8);
	zone_add_pages(&zone, arena, arena + 3);
	zone_add_pages(&zone, arena + 4, arena + 5);
	zone_add_pages(&zone, arena + 6, arena + 8);
	EXPECT_EQ(zone.free[0].nr, 2);
	EXPECT_EQ(zone.free[1].nr, 2);
	EXPECT(zone_verify(&zone));
	zone_add_pages(&zone, arena + 5, arena + 6);
	EXPECT_EQ(zone.free[2].nr, 1);
	zone_add_pages(&zone, arena + 3, arena + 4);
	EXPECT_EQ(zone.free[3].nr, 1);
	EXPECT_EQ(zone.free_pages, 8);
	EXPECT(zone_verify(&zone));
	arena_give_back();
}

/* --- any order of frees --------------------------------------------------- */

#define ODD_PAGES 1000

struct held {
	struct page *page;
	unsigned int order;
};

/* Exhaust the zone with blocks of random orders. Return: how many. */
static size_t take_all(struct rng *rng, struct held *held)
{
	size_t n = 0;

	while (zone.free_pages) {
		unsigned int order = rng_below(rng, NR_ORDERS);
		struct page *page = zone_alloc(&zone, order);

		if (page)
			held[n++] = (struct held){page, order};
	}
	return n;
}

TEST(buddy, odd_arena_freed_in_random_order)
{
	static struct held held[ODD_PAGES];
	unsigned long first;
	struct rng rng;

	REQUIRE_ARENA(1);
	rng_seed(&rng, test_seed());
	first = arena + 1;
	fill_zone(1, ODD_PAGES);
	EXPECT(is_whole(first, ODD_PAGES));
	for (unsigned int round = 0; round < 20; round++) {
		size_t n = take_all(&rng, held);

		for (unsigned int o = 0; o < NR_ORDERS; o++)
			EXPECT_NULL(zone_alloc(&zone, o));
		EXPECT(zone_verify(&zone));
		rng_shuffle(&rng, held, n, sizeof(*held));
		for (size_t i = 0; i < n; i++) {
			EXPECT(zone_free(&zone, held[i].page, held[i].order));
			if (i % 64 == 0)
				REQUIRE(zone_verify(&zone));
		}
		REQUIRE(is_whole(first, ODD_PAGES));
		REQUIRE(zone_verify(&zone));
		REQUIRE(untouched_outside(first, first + ODD_PAGES));
	}
	arena_give_back();
}

static void swap(unsigned int *a, unsigned int *b)
{
	unsigned int t = *a;

	*a = *b;
	*b = t;
}

/* Steps @order[] to the next permutation. Return: false after the last. */
static bool next_permutation(unsigned int *order, size_t n)
{
	size_t i = n - 1, j = n - 1;

	while (i > 0 && order[i - 1] > order[i])
		i--;
	if (i == 0)
		return false;
	while (order[j] < order[i - 1])
		j--;
	swap(&order[i - 1], &order[j]);
	for (j = n - 1; i < j; i++, j--)
		swap(&order[i], &order[j]);
	return true;
}

TEST(buddy, all_orders_of_freeing_five_blocks)
{
	static const unsigned int orders[5] = {2, 0, 0, 1, 3};
	unsigned int turn[5] = {0, 1, 2, 3, 4};
	unsigned int rounds = 0;

	REQUIRE_ARENA(1);
	fill_zone(3, 21);
	do {
		struct page *page[5];

		for (unsigned int i = 0; i < 5; i++) {
			page[i] = zone_alloc(&zone, orders[i]);
			REQUIRE_NOT_NULL(page[i]);
		}
		for (unsigned int i = 0; i < 5; i++)
			EXPECT(zone_free(&zone, page[turn[i]],
					 orders[turn[i]]));
		REQUIREF(is_whole(arena + 3, 21) && zone_verify(&zone),
			 "order of frees %u%u%u%u%u", turn[0], turn[1], turn[2],
			 turn[3], turn[4]);
		rounds++;
	} while (next_permutation(turn, 5));
	EXPECT_EQ(rounds, 120);
	arena_give_back();
}

/* --- sizes ---------------------------------------------------------------- */

#define MAX_SIZE 4096

static DECLARE_BITMAP(seen, MAX_SIZE);

/* Note the block; false when it is outside or was seen already. */
static bool note_block(unsigned long start, unsigned long n, struct page *page,
		       unsigned int order)
{
	unsigned long at = page_to_pfn(page) - start;

	if (at >= n || at + (1UL << order) > n || at + start < start)
		return false;
	if (find_next_bit(seen, at + (1UL << order), at) < at + (1UL << order))
		return false;
	bitmap_set(seen, at, 1UL << order);
	return true;
}

/* Exhaust the zone, largest blocks of at most @top first; does the set of
 * pages equal [start, start + n)? */
static bool exhaust_is_all(unsigned long start, unsigned long n,
			   unsigned int top)
{
	bool ok = true;

	bitmap_zero(seen, MAX_SIZE);
	for (unsigned int o = top + 1; o-- > 0;) {
		struct page *page;

		while ((page = zone_alloc(&zone, o)) && ok)
			ok = note_block(start, n, page, o);
	}
	return ok && !zone.free_pages && bitmap_weight(seen, MAX_SIZE) == n;
}

static void check_size(size_t first, size_t n, unsigned int top)
{
	fill_zone(first, n);
	EXPECTF(zone.free_pages == n && is_whole(arena + first, n),
		"%zu pages: %lu free", n, zone.free_pages);
	EXPECTF(exhaust_is_all(arena + first, n, top), "%zu pages, order %u", n,
		top);
	memset(pfn_to_page(arena + first), 0, n * sizeof(struct page));
}

TEST(buddy, every_size_up_to_4096)
{
	REQUIRE_ARENA(ARENA_BLOCKS);
	for (size_t n = 1; n <= MAX_SIZE; n++)
		check_size(n % 7, n, MAX_ORDER);
	EXPECT(untouched_outside(arena, arena));
	arena_give_back();
}

TEST(buddy, every_page_of_some_sizes)
{
	static const size_t sizes[] = {1,    2,    3,    5,    31,   32,   33,
				       224,  255,  256,  257,  1000, 1023, 1024,
				       1025, 2047, 2049, 4095, 4096};

	REQUIRE_ARENA(ARENA_BLOCKS);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		check_size(0, sizes[i], 0);
		check_size(1, sizes[i], 0);
		check_size(1023, sizes[i], 0);
	}
	EXPECT(untouched_outside(arena, arena));
	arena_give_back();
}

/* --- single pages in runs ------------------------------------------------- */

TEST(buddy, singles_come_in_runs_and_go_back_as_blocks)
{
	struct page *page;
	size_t got = 0;

	REQUIRE_ARENA(1);
	fill_zone(0, MAX_BLOCK_PAGES);
	page = zone_alloc_run(&zone, 0, 100, &got);
	REQUIRE_NOT_NULL(page);
	EXPECT_EQ(got, 64);
	for (size_t i = 0; i < got; i++) {
		EXPECT_EQ(page[i].type, PAGE_USED);
		EXPECT_EQ(page[i].order, 0);
		EXPECT_EQ(page_ref_count(&page[i]), 1);
	}
	EXPECT_EQ(zone.free_pages, MAX_BLOCK_PAGES - 64);
	EXPECT(zone_verify(&zone));
	/* One has another user, one is free already. */
	get_page(&page[5]);
	EXPECT(zone_free(&zone, &page[9], 0));
	EXPECT_ONE_LINE(zone_free_singles(&zone, page, got), "cannot free pfn");
	EXPECT_EQ(zone.free_pages, MAX_BLOCK_PAGES - 1);
	EXPECT(zone_verify(&zone));
	EXPECT(zone_free(&zone, &page[5], 0));
	EXPECT(is_whole(arena, MAX_BLOCK_PAGES));
	arena_give_back();
}

TEST(buddy, singles_take_what_there_is)
{
	size_t got = 0, sum = 0;

	REQUIRE_ARENA(1);
	fill_zone(1, 12); /* blocks of 1, 2, 4, 4 and 1 */
	while (zone_alloc_run(&zone, 0, 100, &got))
		sum += got;
	EXPECT_EQ(sum, 12);
	EXPECT_EQ(zone.free_pages, 0);
	zone_free_singles(&zone, pfn_to_page(arena + 1), 12);
	EXPECT(is_whole(arena + 1, 12));
	EXPECT(zone_verify(&zone));
	arena_give_back();
}

/* --- bad input ------------------------------------------------------------ */

/* Freeing is refused with one line that has @part in it, and changes nothing.
 */
static void expect_refused(struct page *page, unsigned int order,
			   const char *part)
{
	struct page before[16];
	unsigned long free = zone.free_pages;

	memcpy(before, pfn_to_page(arena), sizeof(before));
	EXPECT_ONE_LINE(EXPECT(!zone_free(&zone, page, order)), part);
	EXPECT(!memcmp(before, pfn_to_page(arena), sizeof(before)));
	EXPECT_EQ(zone.free_pages, free);
	EXPECT(zone_verify(&zone));
}

TEST(buddy, what_can_not_be_freed)
{
	static struct zone other;
	struct page *page, *foreign;

	REQUIRE_ARENA(1);
	fill_zone(0, 16);
	zone_init(&other, "other", ZONE_PRIVATE, arena + 32, arena + 40);
	zone_add_pages(&other, arena + 32, arena + 40);
	foreign = zone_alloc(&other, 0);
	page = zone_alloc(&zone, 2);
	REQUIRE_NOT_NULL(page);

	page->zone = ZONE_PRIVATE + 1;
	expect_refused(page, 2, "used, order 2, zone 255");
	page->zone = ZONE_PRIVATE;
	expect_refused(page, 1, "order 1: it is used, order 2");
	expect_refused(page, 3, "order 3: it is used, order 2");
	expect_refused(page, MAX_ORDER + 1, "order 11");
	expect_refused(page, ~0U, "order 4294967295");
	expect_refused(page + 1, 0, "inside the block of pfn");
	expect_refused(page + 2, 1, "used, order 2");
	expect_refused(page + 4, 2, "it is free");
	expect_refused(page + 5, 0, "free, order 2");
	expect_refused(pfn_to_page(arena + 20), 0, "it is none");
	expect_refused(foreign, 0, "it is used, order 0");
	expect_refused((struct page *)((char *)page + 8), 2, "no such page");
	expect_refused(NULL, 0, "no such page");
	expect_refused((struct page *)~0xfUL, 0, "no such page");
	expect_refused(page_address(page), 2, "no such page");
	EXPECT(zone_free(&zone, page, 2));
	expect_refused(page, 2, "free, order 4");
	EXPECT(is_whole(arena, 16));
	EXPECT(zone_free(&other, foreign, 0));
	EXPECT(zone_verify(&other));
	arena_give_back();
}

TEST(buddy, freed_twice_after_joining)
{
	struct page *low, *high;

	REQUIRE_ARENA(1);
	fill_zone(0, 2);
	low = zone_alloc(&zone, 0);
	high = zone_alloc(&zone, 0);
	EXPECT_EQ(high, low + 1);
	EXPECT(zone_free(&zone, low, 0));
	expect_refused(low, 0, "free, order 0");
	EXPECT(zone_free(&zone, high, 0));
	expect_refused(high, 0, "inside the block of pfn");
	expect_refused(low, 0, "free, order 1");
	EXPECT(is_whole(arena, 2));
	arena_give_back();
}

/* The two halves of a block are joined; the head of the upper one is no more,
 * whatever way it was freed. */
TEST(buddy, nothing_stale_inside_a_free_block)
{
	struct page *low, *high;

	REQUIRE_ARENA(1);
	fill_zone(0, 8);
	for (unsigned int way = 0; way < 3; way++) {
		low = zone_alloc(&zone, 2);
		high = zone_alloc(&zone, 2);
		REQUIRE_EQ(high, low + 4);
		EXPECT(zone_free(&zone, low, 2));
		if (way == 1)
			get_page(high);
		if (way == 2) {
			high->flags = PAGE_COMPOUND;
			high[3].head = page_head(PAGE_TAIL, 2, zone.id, 0);
		}
		EXPECT(zone_free(&zone, high, 2));
		if (way == 1)
			EXPECT(zone_free(&zone, high, 2));
		EXPECT(is_whole(arena, 8));
		for (unsigned int i = 1; i < 8; i++)
			EXPECT_EQ(low[i].head, 0);
	}
	arena_give_back();
}

/* --- the walker ----------------------------------------------------------- */

TEST(buddy, verify_sees_what_is_broken)
{
	struct page *page, *a, *b;

	REQUIRE_ARENA(1);
	fill_zone(0, 16);
	page = zone_alloc(&zone, 0);
	a = page + 1; /* free: 1 (order 0), 2 (order 1), 4 and 8 */
	b = page + 2;
	EXPECT(zone_verify(&zone));

	zone.free_pages++;
	EXPECT_ONE_LINE(EXPECT(!zone_verify(&zone)), "B3");
	zone.free_pages--;
	zone.nonempty ^= 1U << 1;
	EXPECT_ONE_LINE(EXPECT(!zone_verify(&zone)), "B2");
	zone.nonempty ^= 1U << 1;
	zone.free[2].nr++;
	EXPECT_ONE_LINE(EXPECT(!zone_verify(&zone)), "B2");
	zone.free[2].nr--;
	b->order = 2;
	EXPECT_ONE_LINE(EXPECT(!zone_verify(&zone)), "B1");
	b->order = 1;
	a->type = PAGE_NONE;
	EXPECT_ONE_LINE(EXPECT(!zone_verify(&zone)), "B1");
	a->type = PAGE_FREE;
	b->refcount = 1;
	EXPECT_ONE_LINE(EXPECT(!zone_verify(&zone)), "P4");
	b->refcount = 0;
	zone.end_pfn = arena + 15;
	EXPECT_ONE_LINE(EXPECT(!zone_verify(&zone)), "B5");
	zone.end_pfn = arena + 16;
	page->refcount = 0;
	EXPECT_ONE_LINE(EXPECT(!zone_verify(&zone)), "P4");
	page->refcount = 1;
	page->order = 1; /* hides page 1 */
	EXPECT_ONE_LINE(EXPECT(!zone_verify(&zone)), "B1");
	page->order = 0;
	page->head = page_head(PAGE_FREE, 0, ZONE_PRIVATE, 0);
	EXPECT_ONE_LINE(EXPECT(!zone_verify(&zone)), "B4");
	page->head = page_head(PAGE_TAIL, 0, ZONE_PRIVATE, 1);
	EXPECT_ONE_LINE(EXPECT(!zone_verify(&zone)), "P2");
	page->head = page_head(PAGE_USED, 0, ZONE_PRIVATE, 1);
	EXPECT(zone_verify(&zone));
	EXPECT(zone_free(&zone, page, 0));
	arena_give_back();
}
