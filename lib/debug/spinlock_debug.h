/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spinlocks of the debug build. Each lock knows which CPU holds it and where it
 * was taken; each CPU knows what it holds and what it waits for:
 *
 *   lock_check.h  the order in which locks are taken, and whether interrupt
 *                 handlers may take them; a lock taken twice, or given up by
 *                 a CPU that does not hold it
 *   lock_watch.h  who has waited too long
 *   ../shake.h    random delays before a lock is taken
 *
 * Included by lib/spinlock.h only.
 */
#ifndef LIB_DEBUG_SPINLOCK_DEBUG_H
#define LIB_DEBUG_SPINLOCK_DEBUG_H

#include <lib/ticket_lock.h>

/* A statement about a lock. */
struct lock_site {
	const char *lock; /* as it is written there */
	const char *file, *function;
	int line;
};

typedef struct spinlock {
	struct ticket_lock ticket;
	_Atomic uint16_t class;       /* lock_graph.h; 0: not known yet */
	_Atomic uint16_t holder;      /* the CPU, plus 1; 0: nobody */
	const struct lock_site *init; /* of its class; NULL: its own class */
	const struct lock_site *_Atomic taken; /* by the holder */
} spinlock_t;

/* The lock of @site as it is written there, without the operator in front. */
static inline const char *lock_text(const struct lock_site *site)
{
	return site->lock + (*site->lock == '&');
}

/* What @lock is called where it was made, or else at @site. */
static inline const char *lock_name(const spinlock_t *lock,
				    const struct lock_site *site)
{
	return lock_text(lock->init ? lock->init : site);
}

#define LOCK_SITE(lock_)                                                       \
	({                                                                     \
		static const struct lock_site lock_site_ = {                   \
			lock_, __FILE__, __func__, __LINE__};                  \
		&lock_site_;                                                   \
	})

/* What the macros call. */
void spin_debug_init(spinlock_t *lock, const struct lock_site *site);
void spin_debug_lock(spinlock_t *lock, unsigned int subclass,
		     const struct lock_site *site);
bool spin_debug_trylock(spinlock_t *lock, const struct lock_site *site);
void spin_debug_unlock(spinlock_t *lock, const struct lock_site *site);

/* See lib/spinlock.h. */
unsigned int spin_locks_held(void);
void spin_print_cpu(unsigned int cpu);

#define spin_lock_init(lock) spin_debug_init(lock, LOCK_SITE(#lock))
#define spin_lock(lock)      spin_debug_lock(lock, 0, LOCK_SITE(#lock))
#define spin_lock_nested(lock, subclass)                                       \
	spin_debug_lock(lock, subclass, LOCK_SITE(#lock))
#define spin_trylock(lock) spin_debug_trylock(lock, LOCK_SITE(#lock))
#define spin_unlock(lock)  spin_debug_unlock(lock, LOCK_SITE(#lock))

#define spin_lock_irqsave(lock, flags)                                         \
	do {                                                                   \
		(flags) = irq_save();                                          \
		spin_debug_lock(lock, 0, LOCK_SITE(#lock));                    \
	} while (0)

#define spin_unlock_irqrestore(lock, flags)                                    \
	do {                                                                   \
		unsigned long lock_flags_ = (flags);                           \
                                                                               \
		spin_debug_unlock(lock, LOCK_SITE(#lock));                     \
		irq_restore(lock_flags_);                                      \
	} while (0)

#endif
