/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of pointers between two parties, without a lock: one produces, one
 * consumes, each on any CPU. See ptr_ring.c.
 */
#ifndef LIB_PTR_RING_H
#define LIB_PTR_RING_H

#include <lib/compiler.h>
#include <lib/errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define PTR_RING_LINE 64 /* bytes: what CPUs pass to each other at a time */

/*
 * Who may touch a field: P the producer, C the consumer, PC both atomically;
 * the rest is constant.
 */
struct ptr_ring {
	void *_Atomic *slots;                           /* PC; NULL: free */
	unsigned int size;                              /* slots */
	unsigned int producer __aligned(PTR_RING_LINE); /* P: slot to fill */
	unsigned int consumer __aligned(PTR_RING_LINE); /* C: slot to empty */
};

/*
 * Make @ring an empty ring over the @size > 0 pointers at @slots.
 * Context: nobody uses it.
 */
void ptr_ring_init(struct ptr_ring *ring, void *_Atomic *slots,
		   unsigned int size);

/* The slot behind slot @i. */
static inline unsigned int ptr_ring_next(const struct ptr_ring *ring,
					 unsigned int i)
{
	return unlikely(++i == ring->size) ? 0 : i;
}

/*
 * Put @ptr, not NULL, into @ring. What was written before is seen by whoever
 * consumes it.
 * Context: the producer.
 * Return: 0; -ENOSPC: it is full.
 */
static inline int ptr_ring_produce(struct ptr_ring *ring, void *ptr)
{
	void *_Atomic *slot = &ring->slots[ring->producer];

	if (unlikely(atomic_load_explicit(slot, memory_order_acquire)))
		return -ENOSPC;
	atomic_store_explicit(slot, ptr, memory_order_release);
	ring->producer = ptr_ring_next(ring, ring->producer);
	return 0;
}

/*
 * Take the pointer that was put in first.
 * Context: the consumer.
 * Return: NULL: it is empty.
 */
static inline void *ptr_ring_consume(struct ptr_ring *ring)
{
	void *_Atomic *slot = &ring->slots[ring->consumer];
	void *ptr = atomic_load_explicit(slot, memory_order_acquire);

	if (unlikely(!ptr))
		return NULL;
	atomic_store_explicit(slot, NULL, memory_order_release);
	ring->consumer = ptr_ring_next(ring, ring->consumer);
	return ptr;
}

/* Is there a place in @ring? Context: the producer. */
static inline bool ptr_ring_full(struct ptr_ring *ring)
{
	return atomic_load_explicit(&ring->slots[ring->producer],
				    memory_order_relaxed);
}

/* Is there a pointer in @ring? Context: the consumer. */
static inline bool ptr_ring_empty(struct ptr_ring *ring)
{
	return !atomic_load_explicit(&ring->slots[ring->consumer],
				     memory_order_relaxed);
}

/*
 * Check the invariants of ptr_ring.c.
 * Context: neither party uses @ring. Return: true; false after one line.
 */
bool ptr_ring_verify(struct ptr_ring *ring);

#endif
