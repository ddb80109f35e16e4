/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spinlocks, fair: each comer draws a ticket and waits until it is served, so
 * CPUs get the lock in the order in which they asked.
 *
 *   held  <=>  serving != next
 *   next - serving = the holder and those who wait, at most MAX_CPUS
 *
 * A lock that an interrupt handler takes must be taken with interrupts off
 * everywhere (_irqsave): else the handler would wait for the very code that it
 * interrupted.
 */
#ifndef LIB_SPINLOCK_H
#define LIB_SPINLOCK_H

#include <arch/cpu.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	_Atomic uint32_t next;    /* the ticket of the next comer */
	_Atomic uint32_t serving; /* the ticket that holds the lock */
} spinlock_t;

#define SPINLOCK_INIT                                                          \
	{                                                                      \
		0, 0                                                           \
	}

/* Make @lock free. Context: nobody else uses it yet. */
static inline void spin_lock_init(spinlock_t *lock)
{
	atomic_init(&lock->next, 0);
	atomic_init(&lock->serving, 0);
}

/* Wait for @lock and take it. Any context; never twice on one CPU. */
static inline void spin_lock(spinlock_t *lock)
{
	uint32_t ticket =
		atomic_fetch_add_explicit(&lock->next, 1, memory_order_relaxed);

	while (atomic_load_explicit(&lock->serving, memory_order_acquire) !=
	       ticket)
		cpu_relax();
}

/* Give @lock, which this CPU holds, to the next who waits. */
static inline void spin_unlock(spinlock_t *lock)
{
	/* Only the holder writes this field: no atomic addition is needed. */
	uint32_t ticket =
		atomic_load_explicit(&lock->serving, memory_order_relaxed);

	atomic_store_explicit(&lock->serving, ticket + 1, memory_order_release);
}

/* Take @lock if it is free. Return: true when this CPU holds it now. */
static inline bool spin_trylock(spinlock_t *lock)
{
	uint32_t ticket =
		atomic_load_explicit(&lock->serving, memory_order_acquire);

	/* `serving` never passes `next`: where they are equal still, the lock
	 * was not taken since. */
	return atomic_compare_exchange_strong_explicit(
		&lock->next, &ticket, ticket + 1, memory_order_acquire,
		memory_order_relaxed);
}

/* Return: true when some CPU holds @lock. */
static inline bool spin_is_locked(spinlock_t *lock)
{
	return atomic_load_explicit(&lock->next, memory_order_relaxed) !=
	       atomic_load_explicit(&lock->serving, memory_order_relaxed);
}

/* Interrupts off, their state before into @flags, an unsigned long; then take
 * @lock. */
#define spin_lock_irqsave(lock, flags)                                         \
	do {                                                                   \
		(flags) = irq_save();                                          \
		spin_lock(lock);                                               \
	} while (0)

/* Give up @lock, then interrupts as @flags says. */
static inline void spin_unlock_irqrestore(spinlock_t *lock, unsigned long flags)
{
	spin_unlock(lock);
	irq_restore(flags);
}

#endif
