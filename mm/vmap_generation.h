/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reuse of addresses by TLB generation: no CPU is interrupted, each flushes
 * when its timer ticks anyway. See vmap_generation.c. */
#ifndef MM_VMAP_GENERATION_H
#define MM_VMAP_GENERATION_H

#include <stdbool.h>
#include <stdint.h>

/* Boot parameter purge=ipi|generation. */
enum purge_policy {
	PURGE_IPI,        /* a purge interrupts every CPU */
	PURGE_GENERATION, /* and only when too much is lazy */
};

/* C but for tests. */
extern enum purge_policy purge_policy;

/*
 * A new generation, begun now: entries cleared before are seen as cleared by
 * every CPU that flushes in it. Context: any.
 */
uint64_t vmap_generation_new(void);

/* Has every CPU flushed in generation @g or a later one? Any context. */
bool vmap_generation_done(uint64_t g);

/*
 * Flush this CPU if there is a generation in which it did not.
 * Context: interrupts off: the timer's tick.
 */
void vmap_generation_tick(void);

#endif
