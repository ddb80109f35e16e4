/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions called later, by a thread. See workqueue.c. */
#ifndef KERNEL_WORKQUEUE_H
#define KERNEL_WORKQUEUE_H

#include <lib/list.h>
#include <stdbool.h>

/* Something to be done. Lock letter w: work_lock of workqueue.c. */
struct work {
	struct list_head node;     /* w; in the queue of .cpu */
	bool pending;              /* w; it is queued, and not begun */
	unsigned int cancellers;   /* w; who keep it from being queued */
	unsigned int cpu;          /* w; that it was last queued for */
	void (*fn)(struct work *); /* constant */
};

#define WORK_INIT(name, fn_)                                                   \
	{                                                                      \
		.node = LIST_HEAD_INIT((name).node), .fn = (fn_)               \
	}

/* Make @work one that calls @fn(@work). Context: it is not in use. */
void work_init(struct work *work, void (*fn)(struct work *));

/*
 * Start the worker thread of every CPU that is online.
 * Context: boot, once, after thread_init().
 * Return: false when there is no memory, after one line.
 */
bool workqueue_init(void);

/*
 * Have work->fn(work) called once, by the worker of this CPU, soon; by the
 * worker of @cpu with the second form. It may wait, which holds up what is
 * queued behind it; it may queue or free @work. What was written before is seen
 * by it. A work that runs is queued behind itself, on the CPU where it runs,
 * whatever @cpu says: it never runs twice at once.
 * Context: any. Needs no memory.
 * Return: true; false: it is queued already, or, after one line, @cpu has no
 * worker.
 */
bool queue_work(struct work *work);
bool queue_work_on(unsigned int cpu, struct work *work);

/*
 * Wait until @work, if it was queued, has run.
 * Context: thread, waits; not the worker that it is queued for (asserted).
 */
void flush_work(struct work *work);

/*
 * Have @work not run any more: take it out of its queue, and wait until it does
 * not run. What queues it meanwhile, itself too, is told that it was not. It
 * may be freed afterwards.
 * Context: as flush_work().
 * Return: true when this kept it from running.
 */
bool cancel_work(struct work *work);

/* Wait until all that was queued up to now on any CPU has run. Context: as
 * flush_work(). */
void flush_all_work(void);

#endif
