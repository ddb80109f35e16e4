/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the threads do for mm, through its table. */
#include <kernel/grace.h>
#include <kernel/thread.h>
#include <kernel/workqueue.h>
#include <lib/test.h>
#include <mm/hooks.h>
#include <mm/vmalloc.h>
#include <mm/vmap_purge.h>

TEST(mm_hooks, threads_may_sleep)
{
	unsigned long flags;

	EXPECT(mm_may_sleep());
	flags = irq_save();
	EXPECT(!mm_may_sleep());
	irq_restore(flags);
}

static void set_flag(void *arg)
{
	*(bool *)arg = true;
}

TEST(mm_hooks, yield_runs_others)
{
	bool ran = false;
	struct thread *thread = thread_create("other", set_flag, &ran, 0);

	REQUIRE_NOT_NULL(thread);
	EXPECT(!ran);
	mm_yield();
	EXPECT(ran);
	thread_join(thread);
}

TEST(mm_hooks, drain_purges_soon)
{
	void *area;

	vm_unmap_aliases();
	area = vmalloc(PAGE_SIZE);
	REQUIRE_NOT_NULL(area);
	vfree(area);
	EXPECT_GT(vmap_stats().lazy_pages, 0);
	mm_wake_drain();
	mm_wake_drain();
	flush_all_work();
	EXPECT_EQ(vmap_stats().lazy_pages, 0);
}

struct flagged {
	struct grace_head head;
	bool set;
};

static void set_after_grace(struct grace_head *head)
{
	container_of(head, struct flagged, head)->set = true;
}

TEST(mm_hooks, grace_is_waited_for)
{
	struct flagged flagged = {.set = false};

	mm_call_after_grace(&flagged.head, set_after_grace);
	EXPECT(!flagged.set);
	grace_barrier();
	EXPECT(flagged.set);
}
