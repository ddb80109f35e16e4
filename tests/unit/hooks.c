/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The doors from mm upwards: a table, or its defaults. */
#include <lib/test.h>
#include <mm/hooks.h>

static int yields, drains;
static struct grace_head *kept;

static bool yes(void)
{
	return true;
}

static void count_yield(void)
{
	yields++;
}

static void count_drain(void)
{
	drains++;
}

static void keep(struct grace_head *head, void (*fn)(struct grace_head *))
{
	head->fn = fn;
	kept = head;
}

static int called;

static void count_call(struct grace_head *head)
{
	called++;
}

TEST(hooks, without_a_table_all_is_done_at_once)
{
	const struct mm_hooks *before = mm_hooks_register(NULL);
	struct grace_head head;

	called = 0;
	EXPECT(!mm_may_sleep());
	mm_yield();
	mm_wake_drain();
	mm_call_after_grace(&head, count_call);
	EXPECT_EQ(called, 1);
	EXPECT_NULL(mm_hooks_register(before));
}

TEST(hooks, an_empty_table_is_as_good_as_none)
{
	static const struct mm_hooks none;
	const struct mm_hooks *before = mm_hooks_register(&none);
	struct grace_head head;

	called = 0;
	EXPECT(!mm_may_sleep());
	mm_yield();
	mm_wake_drain();
	mm_call_after_grace(&head, count_call);
	EXPECT_EQ(called, 1);
	EXPECT_EQ(mm_hooks_register(before), &none);
}

TEST(hooks, a_table_is_used)
{
	static const struct mm_hooks all = {
		.may_sleep = yes,
		.yield = count_yield,
		.wake_drain = count_drain,
		.call_after_grace = keep,
	};
	const struct mm_hooks *before = mm_hooks_register(&all);
	struct grace_head head;

	called = yields = drains = 0;
	EXPECT(mm_may_sleep());
	mm_yield();
	EXPECT_EQ(yields, 1);
	mm_wake_drain();
	EXPECT_EQ(drains, 1);
	mm_call_after_grace(&head, count_call);
	EXPECT_EQ(called, 0);
	EXPECT_EQ(kept, &head);
	kept->fn(kept);
	EXPECT_EQ(called, 1);
	EXPECT_EQ(mm_hooks_register(before), &all);
}
