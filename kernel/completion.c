/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completions: one side says that something is done, the other waits for it.
 *
 * A complete() serves the thread that has waited longest, or is kept for the
 * next one to come. The waiter's entry stands on its own stack: it leaves
 * wait_for_completion() only after it has taken the lock again, so the side
 * that served it, under the lock, is through with the entry, the thread and
 * the completion itself but for the unlock.
 *
 * Invariants
 *   C1  done > 0 => nobody waits
 *   C2  complete()s = waits that ended + done, unless complete_all()
 *
 * Locking: c->lock, interrupts off, since an interrupt may complete; a run
 * queue's lock is taken inside.
 */
#include <kernel/completion.h>
#include <kernel/thread.h>

struct completion_waiter {
	struct list_head node;
	struct thread *thread;
	bool served;
};

void completion_init(struct completion *c)
{
	spin_lock_init(&c->lock);
	c->done = 0;
	INIT_LIST_HEAD(&c->waiters);
}

static void serve_first_locked(struct completion *c)
{
	struct completion_waiter *waiter =
		list_first_entry(&c->waiters, struct completion_waiter, node);

	list_del(&waiter->node);
	waiter->served = true;
	thread_wake(waiter->thread);
}

void complete(struct completion *c)
{
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	if (!list_empty(&c->waiters))
		serve_first_locked(c);
	else if (c->done < COMPLETION_ALL - 1)
		c->done++;
	spin_unlock_irqrestore(&c->lock, flags);
}

void complete_all(struct completion *c)
{
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	c->done = COMPLETION_ALL;
	while (!list_empty(&c->waiters))
		serve_first_locked(c);
	spin_unlock_irqrestore(&c->lock, flags);
}

static bool take_done_locked(struct completion *c)
{
	if (!c->done)
		return false;
	if (c->done != COMPLETION_ALL)
		c->done--;
	return true;
}

bool try_wait_for_completion(struct completion *c)
{
	unsigned long flags;
	bool taken;

	spin_lock_irqsave(&c->lock, flags);
	taken = take_done_locked(c);
	spin_unlock_irqrestore(&c->lock, flags);
	return taken;
}

void wait_for_completion(struct completion *c)
{
	struct completion_waiter waiter = {.thread = thread_current()};
	unsigned long flags;

	assert_may_block();
	spin_lock_irqsave(&c->lock, flags);
	if (!take_done_locked(c)) {
		list_add_tail(&waiter.node, &c->waiters);
		while (!waiter.served) {
			spin_unlock_irqrestore(&c->lock, flags);
			thread_block();
			spin_lock_irqsave(&c->lock, flags);
		}
	}
	spin_unlock_irqrestore(&c->lock, flags);
}
