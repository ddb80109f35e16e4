/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/list.h>
#include <lib/printf.h>
#include <lib/random.h>
#include <lib/test.h>

struct item {
	int value;
	struct list_head link;
};

#define NR_ITEMS 6

static struct item items[NR_ITEMS];

/* Make @head a list of the items 0 up to @nr - 1. */
static void fill(struct list_head *head, int nr)
{
	INIT_LIST_HEAD(head);
	for (int i = 0; i < nr; i++) {
		items[i].value = i;
		list_add_tail(&items[i].link, head);
	}
}

/* The values in @head as text, after a check of the links both ways. */
static const char *text(const struct list_head *head)
{
	static char buf[64];
	const struct list_head *pos;
	const struct item *item;
	int len = 0;

	buf[0] = '\0';
	list_for_each(pos, head) {
		if (pos->next->prev != pos || pos->prev->next != pos)
			return "broken links";
		item = list_entry(pos, const struct item, link);
		len += scnprintf(buf + len, sizeof(buf) - (size_t)len, "%d ",
				 item->value);
	}
	return buf;
}

TEST(list, empty)
{
	LIST_HEAD(head);

	EXPECT(list_empty(&head));
	EXPECT(!list_is_singular(&head));
	EXPECT_NULL(list_first_entry_or_null(&head, struct item, link));
	EXPECT_STREQ(text(&head), "");
}

TEST(list, add_front_and_tail)
{
	LIST_HEAD(head);

	fill(&head, 2);
	EXPECT_STREQ(text(&head), "0 1 ");
	items[2].value = 2;
	list_add(&items[2].link, &head);
	EXPECT_STREQ(text(&head), "2 0 1 ");
	items[3].value = 3;
	list_add(&items[3].link, &items[0].link);
	EXPECT_STREQ(text(&head), "2 0 3 1 ");
	items[4].value = 4;
	list_add_tail(&items[4].link, &items[0].link);
	EXPECT_STREQ(text(&head), "2 4 0 3 1 ");
	EXPECT_EQ(list_first_entry(&head, struct item, link)->value, 2);
	EXPECT_EQ(list_last_entry(&head, struct item, link)->value, 1);
	EXPECT_EQ(list_next_entry(&items[2], link), &items[4]);
	EXPECT_EQ(list_prev_entry(&items[4], link), &items[2]);
	EXPECT(list_is_last(&items[1].link, &head));
	EXPECT(!list_is_last(&items[2].link, &head));
}

TEST(list, del)
{
	LIST_HEAD(head);

	fill(&head, 3);
	list_del(&items[1].link);
	EXPECT_STREQ(text(&head), "0 2 ");
	EXPECT_NULL(items[1].link.next);
	EXPECT_NULL(items[1].link.prev);
	list_del_init(&items[0].link);
	EXPECT(list_empty(&items[0].link));
	EXPECT_STREQ(text(&head), "2 ");
	EXPECT(list_is_singular(&head));
	list_del(&items[2].link);
	EXPECT(list_empty(&head));
}

TEST(list, move_and_replace)
{
	LIST_HEAD(head);
	LIST_HEAD(other);

	fill(&head, 4);
	list_move(&items[2].link, &head);
	EXPECT_STREQ(text(&head), "2 0 1 3 ");
	list_move_tail(&items[0].link, &head);
	EXPECT_STREQ(text(&head), "2 1 3 0 ");
	list_move(&items[1].link, &other);
	EXPECT_STREQ(text(&head), "2 3 0 ");
	EXPECT_STREQ(text(&other), "1 ");
	items[5].value = 5;
	list_replace(&items[3].link, &items[5].link);
	EXPECT_STREQ(text(&head), "2 5 0 ");
	EXPECT_NULL(items[3].link.next);
}

TEST(list, splice)
{
	LIST_HEAD(head);
	LIST_HEAD(list);

	fill(&head, 2);
	list_splice_init(&list, &head);
	EXPECT_STREQ(text(&head), "0 1 ");

	for (int i = 2; i < 4; i++) {
		items[i].value = i;
		list_add_tail(&items[i].link, &list);
	}
	list_splice_init(&list, &head);
	EXPECT_STREQ(text(&head), "2 3 0 1 ");
	EXPECT(list_empty(&list));

	fill(&head, 2);
	items[2].value = 2;
	list_add(&items[2].link, &list);
	list_splice_tail_init(&list, &head);
	EXPECT_STREQ(text(&head), "0 1 2 ");
	EXPECT(list_empty(&list));
}

TEST(list, walks)
{
	LIST_HEAD(head);
	struct item *item, *tmp;
	int sum = 0;

	fill(&head, 4);
	list_for_each_entry(item, &head, link)
		sum = 10 * sum + item->value;
	EXPECT_EQ(sum, 123);
	sum = 0;
	list_for_each_entry_reverse(item, &head, link) sum =
		10 * sum + item->value;
	EXPECT_EQ(sum, 3210);
	list_for_each_entry_safe(item, tmp, &head, link) {
		if (item->value % 2)
			list_del(&item->link);
	}
	EXPECT_STREQ(text(&head), "0 2 ");
}
