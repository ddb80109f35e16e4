/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for something to be done. See completion.c. */
#ifndef KERNEL_COMPLETION_H
#define KERNEL_COMPLETION_H

#include <lib/list.h>
#include <lib/spinlock.h>
#include <stdbool.h>

/* Counts what was done and not waited for yet. */
struct completion {
	spinlock_t lock;
	unsigned int done;        /* lock; COMPLETION_ALL: for good */
	struct list_head waiters; /* lock; first come, first served */
};

#define COMPLETION_ALL (~0U)

#define COMPLETION_INIT(name)                                                  \
	{                                                                      \
		.lock = SPINLOCK_INIT,                                         \
		.waiters = LIST_HEAD_INIT((name).waiters),                     \
	}
#define DEFINE_COMPLETION(name) struct completion name = COMPLETION_INIT(name)

/* Nothing is done yet. Context: nobody else uses @c. */
void completion_init(struct completion *c);

/*
 * Let one thread go on that waits for @c, or will. What was written before is
 * seen by it. @c may be gone as soon as that thread goes on.
 * Context: any. Needs no memory.
 */
void complete(struct completion *c);

/* Let every thread go on that waits for @c, or ever will. Context: any. */
void complete_all(struct completion *c);

/* Wait for a complete(). Context: as thread_block(). */
void wait_for_completion(struct completion *c);

/* Take a complete() that is there already. Context: any. Return: false when
 * there is none. */
bool try_wait_for_completion(struct completion *c);

#endif
