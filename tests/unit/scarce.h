/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory runs out on command: all of it is taken, but for some single pages
 * that have no free neighbour.
 */
#ifndef TESTS_UNIT_SCARCE_H
#define TESTS_UNIT_SCARCE_H

#include <lib/list.h>
#include <mm/page_alloc.h>

struct scarce {
	struct list_head taken; /* struct page.list */
};

/* Give all back that was taken. */
static inline void scarce_end(struct scarce *s)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &s->taken, list)
		__free_pages(page, page->order);
}

/* Take all blocks of @order, @max at most. */
static inline void scarce_take(struct scarce *s, unsigned int order,
			       unsigned int max)
{
	struct page *page;

	while (max-- > 0 && (page = alloc_pages(GFP_NOWAIT, order)))
		list_add(&page->list, &s->taken);
}

/*
 * Leave @singles free pages. Return: false, with nothing taken: there are not
 * that many.
 */
static inline bool scarce_begin(struct scarce *s, unsigned int singles)
{
	struct page *page, *next;

	INIT_LIST_HEAD(&s->taken);
	scarce_take(s, 0, singles);
	for (unsigned int order = NR_ORDERS; order-- > 0;)
		scarce_take(s, order, ~0U);
	list_for_each_entry_safe(page, next, &s->taken, list) {
		if (page->order > 0 || singles == 0)
			continue;
		singles--;
		list_del(&page->list);
		__free_page(page);
	}
	if (singles > 0)
		scarce_end(s);
	return singles == 0;
}

#endif
