/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lock itself, without what the debug build knows about it. Fair: each
 * comer draws a ticket and waits until it is served, so CPUs get the lock in
 * the order in which they asked.
 *
 *   held  <=>  serving != next
 *   next - serving = the holder and those who wait, at most MAX_CPUS
 *
 * Everybody but lib/debug/ uses lib/spinlock.h.
 */
#ifndef LIB_TICKET_LOCK_H
#define LIB_TICKET_LOCK_H

#include <arch/cpu.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ticket_lock {
	_Atomic uint32_t next;    /* the ticket of the next comer */
	_Atomic uint32_t serving; /* the ticket that holds the lock */
};

/* Take a place in the queue of @lock. Return: the ticket. */
static inline uint32_t ticket_draw(struct ticket_lock *lock)
{
	return atomic_fetch_add_explicit(&lock->next, 1, memory_order_relaxed);
}

/* Return: true when who drew @ticket holds @lock now. */
static inline bool ticket_served(struct ticket_lock *lock, uint32_t ticket)
{
	return atomic_load_explicit(&lock->serving, memory_order_acquire) ==
	       ticket;
}

static inline void ticket_lock(struct ticket_lock *lock)
{
	uint32_t ticket = ticket_draw(lock);

	while (!ticket_served(lock, ticket))
		cpu_relax();
}

static inline void ticket_unlock(struct ticket_lock *lock)
{
	/* Only the holder writes this field: no atomic addition is needed. */
	uint32_t ticket =
		atomic_load_explicit(&lock->serving, memory_order_relaxed);

	atomic_store_explicit(&lock->serving, ticket + 1, memory_order_release);
}

static inline bool ticket_trylock(struct ticket_lock *lock)
{
	uint32_t ticket =
		atomic_load_explicit(&lock->serving, memory_order_acquire);

	/* `serving` never passes `next`: where they are equal still, the lock
	 * was not taken since. */
	return atomic_compare_exchange_strong_explicit(
		&lock->next, &ticket, ticket + 1, memory_order_acquire,
		memory_order_relaxed);
}

static inline bool ticket_is_locked(struct ticket_lock *lock)
{
	return atomic_load_explicit(&lock->next, memory_order_relaxed) !=
	       atomic_load_explicit(&lock->serving, memory_order_relaxed);
}

#endif
