/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lazy freeing, in private spaces with a flush that takes notes. */
#include <arch/cpu.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <mm/slab.h>
#include <mm/vmap_purge.h>
#include <tests/unit/one_line.h>

#define BASE     ((va_t)0x40000000)
#define PAGES(n) ((n)*PAGE_SIZE)

static struct vmap_space space;

static struct {
	unsigned int nr;
	va_t start, end;   /* of the last one */
	size_t free_bytes; /* when it ran */
} flushed;

static void note_flush(va_t start, va_t end)
{
	flushed.nr++;
	flushed.start = start;
	flushed.end = end;
	flushed.free_bytes = space.free_bytes;
}

static bool open_space(size_t pages)
{
	flushed.nr = 0;
	if (vmap_space_init(&space, "test", BASE, BASE + PAGES(pages), NULL))
		return false;
	space.flush = note_flush;
	return true;
}

static struct vmap_area *get(size_t pages, gfp_t gfp)
{
	const struct vmap_request req = {PAGES(pages), PAGE_SIZE, space.start,
					 space.end};
	struct vmap_area *va = NULL;
	int err = alloc_vmap_area(&space, &req, gfp, &va);

	EXPECT_EQ(err, va ? 0 : -ENOSPC);
	return va;
}

TEST(vmap_purge, addresses_come_back_after_the_flush)
{
	struct vmap_area *a;

	REQUIRE(open_space(8));
	a = get(4, GFP_KERNEL);
	REQUIRE_NOT_NULL(a);
	free_vmap_area_lazy(&space, a);
	EXPECT_EQ(va_flags(a), VA_LAZY);
	EXPECT_EQ(space.free_bytes, PAGES(4));
	EXPECT_EQ(vmap_space_stats(&space).lazy_pages, 4);
	EXPECT_EQ(flushed.nr, 0);
	EXPECT_EQ(purge_vmap_area_lazy(&space), 4);
	EXPECT_EQ(flushed.nr, 1);
	EXPECT_EQ(flushed.start, BASE);
	EXPECT_EQ(flushed.end, BASE + PAGES(4));
	EXPECT_EQ(flushed.free_bytes, PAGES(4));
	EXPECT_EQ(space.free_bytes, PAGES(8));
	EXPECT_EQ(vmap_space_stats(&space).lazy_pages, 0);
	EXPECT(vmap_space_verify(&space));
	vmap_space_destroy(&space);
}

TEST(vmap_purge, nothing_lazy_nothing_flushed)
{
	REQUIRE(open_space(8));
	EXPECT_EQ(purge_vmap_area_lazy(&space), 0);
	EXPECT_EQ(flushed.nr, 0);
	EXPECT_EQ(vmap_space_stats(&space).nr_purges, 0);
	vmap_space_destroy(&space);
}

TEST(vmap_purge, one_flush_for_twenty_thousand_areas)
{
	const unsigned int nr = 20000;
	struct vmap_area *va, *kept = NULL;

	/* Every second one, so that no two touch, and all of them lazy at
	 * once. */
	REQUIRE_LT(nr, lazy_max_pages() * 4);
	REQUIRE(open_space(2 * nr));
	for (unsigned int i = 0; i < nr; i++) {
		va = get(1, GFP_KERNEL);
		REQUIRE_NOT_NULL(va);
		if (i % 4 == 0) {
			free_vmap_area_lazy(&space, va);
			continue;
		}
		va->purge_list.next = kept ? &kept->purge_list : NULL;
		kept = va;
	}
	EXPECT_EQ(flushed.nr, 0);
	EXPECT_EQ(purge_vmap_area_lazy(&space), nr / 4);
	EXPECT_EQ(flushed.nr, 1);
	EXPECT(vmap_space_verify(&space));
	while (kept) {
		va = kept;
		kept = llist_entry_or_null(va->purge_list.next,
					   struct vmap_area, purge_list);
		free_vmap_area_lazy(&space, va);
	}
	purge_vmap_area_lazy(&space);
	EXPECT_LE(flushed.nr, 2 + nr / lazy_max_pages());
	EXPECT_EQ(space.nr_free, 1);
	vmap_space_destroy(&space);
}

TEST(vmap_purge, neighbours_are_joined_in_any_order)
{
	static const unsigned int orders[][4] = {
		{0, 1, 2, 3}, {3, 2, 1, 0}, {0, 2, 1, 3}, {1, 3, 0, 2}};

	REQUIRE(open_space(12));
	for (unsigned int i = 0; i < ARRAY_SIZE(orders); i++) {
		struct vmap_area *va[4];

		for (unsigned int k = 0; k < 4; k++) {
			va[k] = get(3, GFP_KERNEL);
			REQUIRE_NOT_NULL(va[k]);
		}
		for (unsigned int k = 0; k < 4; k++)
			free_vmap_area_lazy(&space, va[orders[i][k]]);
		EXPECT_EQ(purge_vmap_area_lazy(&space), 12);
		EXPECT_EQ(space.nr_free, 1);
		EXPECT(vmap_space_verify(&space));
	}
	vmap_space_destroy(&space);
}

TEST(vmap_purge, too_much_lazy_is_purged)
{
	size_t half = lazy_max_pages() / 2;
	struct vmap_area *va[3];

	EXPECT_EQ(lazy_max_pages(), fls(cpus_online()) * 8192);
	REQUIRE(open_space(4 * half));
	for (unsigned int i = 0; i < 3; i++) {
		va[i] = get(half, GFP_KERNEL);
		REQUIRE_NOT_NULL(va[i]);
	}
	free_vmap_area_lazy(&space, va[0]);
	free_vmap_area_lazy(&space, va[1]);
	EXPECT_EQ(flushed.nr, 0);
	free_vmap_area_lazy(&space, va[2]);
	EXPECT_EQ(flushed.nr, 1);
	EXPECT_EQ(vmap_space_stats(&space).lazy_pages, 0);
	EXPECT_EQ(space.nr_free, 1);
	vmap_space_destroy(&space);
}

TEST(vmap_purge, no_room_purges_and_tries_once_more)
{
	struct vmap_area *a, *b;

	REQUIRE(open_space(4));
	a = get(3, GFP_KERNEL);
	REQUIRE_NOT_NULL(a);
	free_vmap_area_lazy(&space, a);
	b = get(4, GFP_KERNEL);
	REQUIRE_NOT_NULL(b);
	EXPECT_EQ(flushed.nr, 1);
	EXPECT_NULL(get(1, GFP_KERNEL));
	EXPECT_EQ(flushed.nr, 1);
	free_vmap_area(&space, b);
	vmap_space_destroy(&space);
}

TEST(vmap_purge, who_may_not_wait_never_purges)
{
	struct vmap_area *a;

	REQUIRE(open_space(4));
	a = get(4, GFP_KERNEL);
	REQUIRE_NOT_NULL(a);
	free_vmap_area_lazy(&space, a);
	EXPECT_NULL(get(1, GFP_NOWAIT));
	EXPECT_NULL(get(1, GFP_ATOMIC));
	EXPECT_EQ(flushed.nr, 0);
	EXPECT_EQ(vmap_space_stats(&space).lazy_pages, 4);
	purge_vmap_area_lazy(&space);
	vmap_space_destroy(&space);
}

TEST(vmap_purge, freeing_needs_no_memory)
{
	struct vmap_area *a, *b;

	REQUIRE(open_space(8));
	a = get(2, GFP_KERNEL);
	b = get(2, GFP_KERNEL);
	REQUIRE_NOT_NULL(a);
	REQUIRE_NOT_NULL(b);
	fault_inject_arm(&failslab, 1);
	free_vmap_area_lazy(&space, b);
	free_vmap_area_lazy(&space, a);
	purge_vmap_area_lazy(&space);
	fault_inject_disarm(&failslab);
	EXPECT_EQ(failslab.calls, 0);
	EXPECT_EQ(space.nr_free, 1);
	vmap_space_destroy(&space);
}
