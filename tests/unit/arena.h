/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: pages for private zones. They come from the machine's zones as one
 * arena; while it is in use its descriptors say "nobody's".
 */
#ifndef TESTS_UNIT_ARENA_H
#define TESTS_UNIT_ARENA_H

#include <lib/string.h>
#include <lib/test.h>
#include <mm/page_alloc.h>

/* Of MAX_ORDER, so that 4096 pages fit off their grid. */
#define ARENA_BLOCKS 5
#define ARENA_PAGES  (ARENA_BLOCKS * MAX_BLOCK_PAGES)
#define ARENA_TRIES  64

static unsigned long arena;                 /* its first pfn */
static size_t arena_size;                   /* pages */
static uint8_t arena_zone_id[ARENA_BLOCKS]; /* where each block came from */

/* Position in @block[0..n) of @want blocks that follow each other; n: none. */
static inline size_t find_run(struct page **block, size_t n, size_t want)
{
	for (size_t i = 0; i + want <= n; i++) {
		size_t len = 1;

		while (len < want &&
		       block[i + len] == block[i] + len * MAX_BLOCK_PAGES &&
		       block[i + len]->zone == block[i]->zone)
			len++;
		if (len == want)
			return i;
	}
	return n;
}

/* Insert into the ascending @block[0..n). */
static inline void insert_sorted(struct page **block, size_t n,
				 struct page *page)
{
	for (; n && block[n - 1] > page; n--)
		block[n] = block[n - 1];
	block[n] = page;
}

/* Get @blocks of the largest blocks in a row, all of one zone. Return: whether
 * there are. */
static inline bool arena_take(size_t blocks)
{
	struct page *block[ARENA_TRIES];
	size_t n = 0, at = 0;

	arena_size = 0;
	while (n < ARENA_TRIES && at == n) {
		struct page *page =
			alloc_pages(GFP_KERNEL | __GFP_NOWARN, MAX_ORDER);

		if (!page)
			break;
		insert_sorted(block, n++, page);
		at = find_run(block, n, blocks);
	}
	for (size_t i = 0; i < n; i++)
		if (at == n || i < at || i >= at + blocks)
			__free_pages(block[i], MAX_ORDER);
	if (at == n)
		return false;
	arena = page_to_pfn(block[at]);
	arena_size = blocks * MAX_BLOCK_PAGES;
	for (size_t i = 0; i < blocks; i++)
		arena_zone_id[i] = block[at + i]->zone;
	memset(block[at], 0, arena_size * sizeof(struct page));
	return true;
}

/* Forget every block in the arena. */
static inline void arena_forget(void)
{
	memset(pfn_to_page(arena), 0, arena_size * sizeof(struct page));
}

static inline void arena_give_back(void)
{
	arena_forget();
	for (size_t i = 0; i < arena_size; i += MAX_BLOCK_PAGES) {
		struct page *page = pfn_to_page(arena + i);

		page->head = page_head(PAGE_USED, MAX_ORDER,
				       arena_zone_id[i / MAX_BLOCK_PAGES], 1);
		__free_pages(page, MAX_ORDER);
	}
}

#define REQUIRE_ARENA(blocks)                                                  \
	do {                                                                   \
		if (!arena_take(blocks))                                       \
			SKIP("needs %zu MiB in a row", (size_t)(blocks)*4);    \
	} while (0)

#endif
