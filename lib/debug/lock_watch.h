/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watchdog: no CPU waits for a lock, or sits with interrupts off, for long.
 * Boot word watchdog=SECONDS.
 *
 * Two things are watched:
 *   - a CPU that waits for a lock looks at the clock as it spins, so it needs
 *     no interrupt, and no other CPU, to notice;
 *   - each CPU beats, once a second from its timer, and counts how often in
 *     turn its neighbour did not.
 * Time that the machine stood still, in a debugger for instance, does not
 * count: between two looks at most WATCH_MAX_STEP passes.
 *
 * In a panic each CPU's line says what it waits for and what it holds.
 */
#ifndef LIB_DEBUG_LOCK_WATCH_H
#define LIB_DEBUG_LOCK_WATCH_H

#include <lib/spinlock.h>

#define WATCH_SECOND   1000000000UL /* ns */
#define WATCH_MAX_STEP (WATCH_SECOND / 10)

/* What is known of a CPU. */
struct watch_state {
	bool waits;          /* for a lock, since: */
	uint64_t waited;     /* ns */
	unsigned int missed; /* beats, one after the other */
};

enum watch_trouble {
	WATCH_FINE,
	WATCH_WAITS,  /* for a lock, too long */
	WATCH_SILENT, /* no beat, though others come */
};

struct watch_verdict {
	enum watch_trouble trouble;
	unsigned int cpu;
};

/*
 * Of @nr CPUs with the states @cpus, which one has made no progress for
 * @seconds? One that waits before one that is silent, since it says more; of
 * several the one that has waited longest, or missed most. @seconds 0: all is
 * fine.
 */
struct watch_verdict watch_decide(const struct watch_state cpus[],
				  unsigned int nr, unsigned int seconds);

/* Wait until @ticket is served by @lock; @site is for the report. */
void lock_watch_wait(spinlock_t *lock, uint32_t ticket,
		     const struct lock_site *site);

/* The boot word; 0: the watchdog is off. */
unsigned int lock_watch_seconds(void);

/* This CPU is alive; is the next one? Context: interrupt; once a second, on
 * each CPU or on none. */
void lock_watch_beat(void);

#endif
