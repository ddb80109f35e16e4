/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schedule shaker: random short delays where CPUs meet, so that rare
 * interleavings come up. Debug build, boot word shake=SEED; nothing in the
 * release build.
 */
#ifndef LIB_SHAKE_H
#define LIB_SHAKE_H

#include <lib/compiler.h>
#include <lib/random.h>

enum shake_point {
	SHAKE_LOCK, /* before a lock is taken or tried */
	SHAKE_IPI,  /* before an interrupt is sent to another CPU */
	SHAKE_PTE,  /* before a page table entry is written */
	SHAKE_NR_POINTS,
};

#ifdef QUIRE_DEBUG

/* 0: no delays. */
extern uint64_t shake_seed;

void shake_now(enum shake_point point);

/* Wait a little, or not. Any context. */
static inline void shake(enum shake_point point)
{
	if (unlikely(shake_seed))
		shake_now(point);
}

/* One CPU's delays, which follow from the seed alone. */
struct shaker {
	uint64_t seed; /* that rng was started for */
	struct rng rng;
};

/* The next delay of @cpu, whose shaker it is, in turns of cpu_relax(). */
unsigned int shaker_delay(struct shaker *shaker, uint64_t seed,
			  unsigned int cpu, enum shake_point point);

#else

static inline void shake(enum shake_point point)
{
	(void)point;
}

#endif
#endif
