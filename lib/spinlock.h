/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spinlocks, fair: CPUs get a lock in the order in which they asked for it.
 *
 * A lock that an interrupt handler takes must be taken with interrupts off
 * everywhere (_irqsave): else the handler would wait for the very code that it
 * interrupted.
 *
 * Zeroed memory is a free lock. In the debug build spin_lock_init() also gives
 * a lock its class: locks that are made free by the same statement are of one
 * class, any other lock is its own. The checks there are told in
 * lib/debug/spinlock_debug.h; all names below are macros then, so that they
 * know where they stand.
 */
#ifndef LIB_SPINLOCK_H
#define LIB_SPINLOCK_H

#include <lib/ticket_lock.h>

#ifdef QUIRE_DEBUG
#	include <lib/debug/spinlock_debug.h>
#else

typedef struct spinlock {
	struct ticket_lock ticket;
} spinlock_t;

_Static_assert(sizeof(spinlock_t) == 8, "small enough to stand anywhere");

/* Make @lock free. Context: nobody else uses it yet. */
static inline void spin_lock_init(spinlock_t *lock)
{
	*lock = (spinlock_t){0};
}

/* Wait for @lock and take it. Any context; never twice on one CPU. */
static inline void spin_lock(spinlock_t *lock)
{
	ticket_lock(&lock->ticket);
}

/*
 * The same, where a lock of the same class is held already; @subclass, 1 or
 * more and below LOCK_SUBCLASSES, numbers the locks of a class in the order in
 * which they may be taken.
 */
static inline void spin_lock_nested(spinlock_t *lock, unsigned int subclass)
{
	(void)subclass;
	ticket_lock(&lock->ticket);
}

/* Take @lock if it is free. Return: true when this CPU holds it now. */
static inline bool spin_trylock(spinlock_t *lock)
{
	return ticket_trylock(&lock->ticket);
}

/* Give @lock, which this CPU holds, to the next who waits. */
static inline void spin_unlock(spinlock_t *lock)
{
	ticket_unlock(&lock->ticket);
}

/* Interrupts off, their state before into @flags, an unsigned long; then take
 * @lock. */
#	define spin_lock_irqsave(lock, flags)                                 \
		do {                                                           \
			(flags) = irq_save();                                  \
			spin_lock(lock);                                       \
		} while (0)

/* Give up @lock, then interrupts as @flags says. */
static inline void spin_unlock_irqrestore(spinlock_t *lock, unsigned long flags)
{
	spin_unlock(lock);
	irq_restore(flags);
}

/* How many spinlocks this CPU holds; 0 in the release build, which does not
 * know. Any context. */
static inline unsigned int spin_locks_held(void)
{
	return 0;
}

/* Print a line for each spinlock that @cpu holds or waits for; nothing in the
 * release build. Context: panic. */
static inline void spin_print_cpu(unsigned int cpu)
{
	(void)cpu;
}

#endif

#define SPINLOCK_INIT                                                          \
	{                                                                      \
		.ticket = { 0 }                                                \
	}

/* Return: true when some CPU holds @lock. */
static inline bool spin_is_locked(spinlock_t *lock)
{
	return ticket_is_locked(&lock->ticket);
}

#endif
