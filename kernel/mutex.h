/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks that a thread may hold while it waits. See mutex.c. */
#ifndef KERNEL_MUTEX_H
#define KERNEL_MUTEX_H

#include <lib/list.h>
#include <lib/spinlock.h>
#include <stdbool.h>

struct thread;

struct mutex {
	spinlock_t lock;
	struct thread *owner;     /* lock; NULL: free */
	struct list_head waiters; /* lock; first come, first served */
};

#define MUTEX_INIT(name)                                                       \
	{                                                                      \
		.lock = SPINLOCK_INIT,                                         \
		.waiters = LIST_HEAD_INIT((name).waiters),                     \
	}
#define DEFINE_MUTEX(name) struct mutex name = MUTEX_INIT(name)

/* Make @mutex free. Context: nobody else uses it yet. */
void mutex_init(struct mutex *mutex);

/*
 * Take @mutex, waiting for those who came before.
 * Context: as thread_block() (asserted, also where it need not wait); the
 * running thread does not own @mutex (asserted).
 */
void mutex_lock(struct mutex *mutex);

/* Take @mutex if it is free. Context: as mutex_lock(), but does not wait.
 * Return: true when the running thread owns it now. */
bool mutex_trylock(struct mutex *mutex);

/* Hand @mutex to who waits first. Context: as mutex_lock(), but does not wait;
 * the running thread owns it (asserted). */
void mutex_unlock(struct mutex *mutex);

/* Does the running thread own @mutex? Context: thread. */
bool mutex_is_mine(struct mutex *mutex);

#endif
