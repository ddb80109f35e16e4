/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions called later, from the timer interrupt. See timer.c. */
#ifndef KERNEL_TIMER_H
#define KERNEL_TIMER_H

#include <lib/list.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A timer. One thread or its own callback arms and cancels it at a time.
 * Lock letter b: the lock of the base it waits in.
 */
struct timer {
	struct list_head node; /* b */
	uint64_t expires;      /* b; nanoseconds of timer_now_ns() */
	_Atomic(struct timer_base *) base; /* the last that it was armed in */
	bool pending;                      /* b; in the base's list */
	void (*fn)(struct timer *);        /* constant */
};

#define TIMER_INIT(fn_)                                                        \
	{                                                                      \
		.fn = (fn_)                                                    \
	}

/* Make the tick of every CPU serve timers. Context: boot, once, on CPU 0. */
void timer_init(void);

/* Nanoseconds of the clock; never goes back. Any context. */
uint64_t timer_now_ns(void);

/*
 * Have timer->fn(timer) called once, on this CPU, @ns nanoseconds from now, or
 * up to a tick later. Armed already: the new time counts, on this CPU.
 * fn runs in interrupt context; it may arm its timer again, not cancel it.
 * Context: any. Needs no memory.
 */
void timer_arm(struct timer *timer, uint64_t ns);

/*
 * Have @timer not be called any more. Waits for a call that is under way on
 * another CPU: @timer may be freed afterwards.
 * Context: any, but not in @timer's own callback (asserted), and with no lock
 * that it takes.
 * Return: true when this kept it from being called.
 */
bool timer_cancel(struct timer *timer);

#endif
