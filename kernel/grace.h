/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grace periods: free what other CPUs may still look at. See grace.c. */
#ifndef KERNEL_GRACE_H
#define KERNEL_GRACE_H

#include <arch/cpu.h>
#include <mm/hooks.h>

/*
 * Start the thread that waits for grace periods.
 * Context: boot, once, after thread_init().
 * Return: false when there is no memory, after one line.
 */
bool grace_init(void);

/*
 * Call @fn(@head) in a thread, which may wait, once every CPU has passed a
 * quiescent point since this call. Until then @head belongs to grace.c.
 * Context: any, after grace_init(). Needs no memory.
 */
void call_after_grace(struct grace_head *head,
		      void (*fn)(struct grace_head *head));

/* Wait until every CPU has passed a quiescent point. Context: as
 * thread_block(), not in a callback. */
void synchronize_grace(void);

/* Wait until every callback asked for up to now, on any CPU, has run. Context:
 * as above. */
void grace_barrier(void);

/* Grace periods that have ended. Any context. */
unsigned long grace_periods(void);

/* CPUs that have to pass a quiescent point, one bit each. */
extern _Atomic uint64_t grace_waited_for;

/* grace_quiescent()'s slow part. */
void grace_pass(void);

/* This CPU uses nothing that a thread found before. Context: the scheduler,
 * interrupts off. */
static inline void grace_quiescent(void)
{
	uint64_t mask =
		atomic_load_explicit(&grace_waited_for, memory_order_acquire);

	if (unlikely(mask >> cpu_id() & 1))
		grace_pass();
}

#endif
