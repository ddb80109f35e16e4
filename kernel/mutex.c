/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutexes: locks for threads. Who finds one taken leaves the CPU to other
 * threads; who owns one may wait, yield, and be another CPU's thread then. An
 * interrupt handler has no thread and can't take one.
 *
 * The lock is handed over: the owner makes the first who waits the next owner
 * and wakes it. Nobody comes in between, so nobody starves; and a mutex
 * is never free while somebody waits.
 *
 * Invariants
 *   X1  somebody waits => owner != NULL
 *   X2  the owner, and it alone, unlocks
 *
 * Locking: mutex->lock, interrupts off because a run queue's lock, taken
 * inside, wants it so.
 *
 * Departure from Linux: no spinning while the owner runs on another CPU, and
 * no stealing of the lock from those who wait.
 */
#include <kernel/mutex.h>
#include <kernel/thread.h>

struct mutex_waiter {
	struct list_head node;
	struct thread *thread;
};

void mutex_init(struct mutex *mutex)
{
	spin_lock_init(&mutex->lock);
	mutex->owner = NULL;
	INIT_LIST_HEAD(&mutex->waiters);
}

static bool take_locked(struct mutex *mutex, struct thread *self)
{
	ASSERTF(mutex->owner != self, "mutex %p: thread %u \"%s\" owns it",
		mutex, self->id, self->name);
	if (mutex->owner)
		return false;
	mutex->owner = self;
	return true;
}

bool mutex_trylock(struct mutex *mutex)
{
	unsigned long flags;
	bool taken;

	assert_may_block();
	spin_lock_irqsave(&mutex->lock, flags);
	taken = take_locked(mutex, thread_current());
	spin_unlock_irqrestore(&mutex->lock, flags);
	return taken;
}

void mutex_lock(struct mutex *mutex)
{
	struct mutex_waiter waiter = {.thread = thread_current()};
	unsigned long flags;

	assert_may_block();
	spin_lock_irqsave(&mutex->lock, flags);
	if (!take_locked(mutex, waiter.thread)) {
		list_add_tail(&waiter.node, &mutex->waiters);
		while (mutex->owner != waiter.thread) {
			spin_unlock_irqrestore(&mutex->lock, flags);
			thread_block();
			spin_lock_irqsave(&mutex->lock, flags);
		}
	}
	spin_unlock_irqrestore(&mutex->lock, flags);
}

static void hand_over_locked(struct mutex *mutex)
{
	struct mutex_waiter *next = list_first_entry_or_null(
		&mutex->waiters, struct mutex_waiter, node);

	mutex->owner = next ? next->thread : NULL;
	if (!next)
		return;
	list_del(&next->node);
	thread_wake(next->thread);
}

void mutex_unlock(struct mutex *mutex)
{
	struct thread *self = thread_current();
	unsigned long flags;

	assert_may_block();
	spin_lock_irqsave(&mutex->lock, flags);
	ASSERTF(mutex->owner == self,
		"X2: mutex %p of thread \"%s\" unlocked by \"%s\"", mutex,
		mutex->owner ? mutex->owner->name : "nobody", self->name);
	hand_over_locked(mutex);
	spin_unlock_irqrestore(&mutex->lock, flags);
}

bool mutex_is_mine(struct mutex *mutex)
{
	unsigned long flags;
	bool mine;

	spin_lock_irqsave(&mutex->lock, flags);
	mine = mutex->owner == thread_current();
	spin_unlock_irqrestore(&mutex->lock, flags);
	return mine;
}
