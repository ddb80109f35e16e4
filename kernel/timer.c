/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers and sleep.
 *
 * Structures
 *   Each CPU has a base: its timers, the next to expire first. The CPU's tick
 *   looks at the head of the list, TIMER_HZ times a second.
 *
 * Operations
 *   arm     O(timers of this CPU): they are few here
 *   cancel  O(1), and the wait for a callback under way
 *   tick    O(expired)
 *
 * A CPU without timers has no tick: the first timer starts it, the tick that
 * finds none left stops it. So work that uses no timer is never interrupted,
 * and counts the same instructions each time.
 *
 * Time is compared in nanoseconds of the clock, which all CPUs share. A timer
 * is never early; it is late by up to a tick, and by what the CPU spends with
 * interrupts off.
 *
 * Invariants
 *   E1  pending <=> the timer is in the list of its base
 *   E2  the list is in the order of .expires, equals in the order of arming
 *   E3  timers in the list => the CPU ticks
 *
 * Locking
 *   base->lock, interrupts off. It is dropped around a callback, which
 *   base->running names meanwhile; nothing touches the timer afterwards.
 */
#include <arch/clock.h>
#include <arch/cpu.h>
#include <arch/percpu.h>
#include <arch/timer.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <lib/panic.h>
#include <lib/spinlock.h>

struct timer_base {
	spinlock_t lock;
	struct list_head timers; /* lock; E2 */
	struct timer *running;   /* lock; whose callback runs */
	bool ready;              /* the list is set up */
	bool ticks;              /* this CPU's own */
};

static DEFINE_PER_CPU(struct timer_base, timer_base);

uint64_t timer_now_ns(void)
{
	return clock_ticks_to_ns(clock_ticks());
}

/* This CPU's base. Context: interrupts off. */
static struct timer_base *this_base(void)
{
	struct timer_base *base = this_cpu_ptr(&timer_base);

	if (unlikely(!base->ready)) {
		spin_lock_init(&base->lock);
		INIT_LIST_HEAD(&base->timers);
		base->ready = true;
	}
	return base;
}

/* Put @timer behind those that expire no later: E2. */
static void insert_locked(struct timer_base *base, struct timer *timer)
{
	struct timer *before;

	list_for_each_entry_reverse(before, &base->timers, node)
	{
		if (before->expires <= timer->expires)
			break;
	}
	list_add(&timer->node, &before->node);
	timer->pending = true;
}

static void remove_locked(struct timer *timer)
{
	list_del(&timer->node);
	timer->pending = false;
}

/* Take @timer out of whatever list it is in. Return: whether it was in one. */
static bool disarm(struct timer *timer)
{
	struct timer_base *base = atomic_load(&timer->base);
	unsigned long flags;
	bool pending;

	if (!base)
		return false;
	spin_lock_irqsave(&base->lock, flags);
	pending = timer->pending;
	if (pending)
		remove_locked(timer);
	spin_unlock_irqrestore(&base->lock, flags);
	return pending;
}

/* Is @timer's callback under way in the base that it was armed in? */
static bool is_running(struct timer *timer)
{
	struct timer_base *base = atomic_load(&timer->base);
	unsigned long flags;
	bool running;

	if (!base)
		return false;
	spin_lock_irqsave(&base->lock, flags);
	running = base->running == timer;
	spin_unlock_irqrestore(&base->lock, flags);
	return running;
}

/* Is this code part of @timer's callback? */
static bool is_own_callback(const struct timer *timer)
{
	return this_cpu_ptr(&timer_base)->running == timer;
}

bool timer_cancel(struct timer *timer)
{
	bool pending = disarm(timer);

	ASSERTF(!is_own_callback(timer), "timer %p is cancelled by itself",
		timer);
	while (is_running(timer)) {
		cpu_relax();
		pending |= disarm(timer);
	}
	return pending;
}

void timer_arm(struct timer *timer, uint64_t ns)
{
	uint64_t now = timer_now_ns();
	struct timer_base *base;
	unsigned long flags;

	if (is_own_callback(timer))
		disarm(timer);
	else
		timer_cancel(timer);
	flags = irq_save();
	base = this_base();
	spin_lock(&base->lock);
	if (__builtin_add_overflow(now, ns, &timer->expires))
		timer->expires = UINT64_MAX;
	atomic_store(&timer->base, base);
	insert_locked(base, timer);
	spin_unlock(&base->lock);
	if (!base->ticks) {
		base->ticks = true; /* E3 */
		timer_start();
	}
	irq_restore(flags);
}

/* Take the first timer out that has expired at @now. Return: NULL: none. */
static struct timer *next_expired_locked(struct timer_base *base, uint64_t now)
{
	struct timer *timer =
		list_first_entry_or_null(&base->timers, struct timer, node);

	if (!timer || timer->expires > now)
		return NULL;
	remove_locked(timer);
	return timer;
}

/* Context: interrupt. */
static void timer_tick(void)
{
	struct timer_base *base = this_base();
	uint64_t now = timer_now_ns();
	struct timer *timer;

	spin_lock(&base->lock);
	while ((timer = next_expired_locked(base, now))) {
		base->running = timer;
		spin_unlock(&base->lock);
		timer->fn(timer);
		spin_lock(&base->lock);
		base->running = NULL;
	}
	if (list_empty(&base->timers)) {
		base->ticks = false;
		timer_stop();
	}
	spin_unlock(&base->lock);
}

void timer_init(void)
{
	timer_set_handler(timer_tick);
}

struct sleeper {
	struct timer timer;
	struct thread *thread;
};

static void wake_sleeper(struct timer *timer)
{
	thread_wake(container_of(timer, struct sleeper, timer)->thread);
}

void thread_sleep_ns(uint64_t ns)
{
	struct sleeper sleeper = {
		.timer = TIMER_INIT(wake_sleeper),
		.thread = thread_current(),
	};
	uint64_t now = timer_now_ns(), until;

	if (__builtin_add_overflow(now, ns, &until))
		until = UINT64_MAX;
	for (; now < until; now = timer_now_ns()) {
		timer_arm(&sleeper.timer, until - now);
		thread_block();
	}
	timer_cancel(&sleeper.timer);
}
