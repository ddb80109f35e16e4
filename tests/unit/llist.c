/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/llist.h>
#include <lib/test.h>

struct item {
	int value;
	struct llist_node link;
};

TEST(llist, add_tells_the_first)
{
	LLIST_HEAD(head);
	struct item a = {.value = 1}, b = {.value = 2};

	EXPECT(llist_empty(&head));
	EXPECT_EQ(llist_add(&a.link, &head), true);
	EXPECT_EQ(llist_add(&b.link, &head), false);
	EXPECT(!llist_empty(&head));
	EXPECT_EQ(llist_del_all(&head), &b.link);
	EXPECT_EQ(b.link.next, &a.link);
	EXPECT_NULL(a.link.next);
	EXPECT(llist_empty(&head));
	EXPECT_NULL(llist_del_all(&head));
	EXPECT_EQ(llist_add(&a.link, &head), true);
}

TEST(llist, add_batch)
{
	LLIST_HEAD(head);
	struct item a, b, c;

	llist_add(&a.link, &head);
	c.link.next = &b.link;
	EXPECT_EQ(llist_add_batch(&c.link, &b.link, &head), false);
	EXPECT_EQ(llist_del_all(&head), &c.link);
	EXPECT_EQ(c.link.next, &b.link);
	EXPECT_EQ(b.link.next, &a.link);
}

TEST(llist, reverse_and_walk)
{
	LLIST_HEAD(head);
	struct item items[4], *pos, *tmp;
	struct llist_node *taken;
	int sum = 0;

	for (int i = 0; i < 4; i++) {
		items[i].value = i + 1;
		llist_add(&items[i].link, &head);
	}
	taken = llist_reverse_order(llist_del_all(&head));
	llist_for_each_entry_safe(pos, tmp, taken, link) {
		sum = 10 * sum + pos->value;
		pos->link.next = NULL; /* the walk must have passed it */
	}
	EXPECT_EQ(sum, 1234);
	EXPECT_NULL(llist_reverse_order(NULL));
}
