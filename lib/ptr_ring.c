/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of pointers, one producer, one consumer.
 *
 * Rings are mostly built with two counters that both parties read: the
 * producer looks at the consumer's to see whether there is room, the consumer
 * at the producer's to see whether there is something. Each look fetches a
 * cache line that the other CPU has just written. Here the slots themselves
 * tell: NULL is free, all else is full. Each party keeps its place to itself,
 * on a cache line of its own, and only slots change hands:
 *
 *             consumer       producer
 *                 v              v
 *     slots  | 0 | p | q | r | s | 0 | 0 | 0 |
 *
 * Operations
 *   produce, consume   O(1): look at one slot, write it, step
 *   full, empty        O(1): look at one slot
 *
 * Invariants
 *   R1  producer < size, consumer < size
 *   R2  the full slots are [consumer, producer), round the end; all of them
 *       or none if both are equal
 *
 * Ordering
 *   The release of the producer's store and the acquire of the consumer's load
 *   pass on what the pointer leads to; those of the way back, that the
 *   consumer is done with the slot.
 *
 * Departures from Linux
 *   Its ptr_ring takes a lock on each side, so that there may be several
 *   producers and consumers, and can be resized.
 */
#include <lib/panic.h>
#include <lib/printk.h>
#include <lib/ptr_ring.h>

void ptr_ring_init(struct ptr_ring *ring, void *_Atomic *slots,
		   unsigned int size)
{
	ASSERTF(size > 0, "ring of %u slots", size);
	for (unsigned int i = 0; i < size; i++)
		atomic_init(&slots[i], NULL);
	ring->slots = slots;
	ring->size = size;
	ring->producer = 0;
	ring->consumer = 0;
}

static bool broken(const char *which, const struct ptr_ring *ring,
		   unsigned int slot)
{
	printk("ptr_ring: %s: slot %u of %u, producer %u, consumer %u\n", which,
	       slot, ring->size, ring->producer, ring->consumer);
	return false;
}

bool ptr_ring_verify(struct ptr_ring *ring)
{
	unsigned int i = ring->consumer;
	bool full;

	if (ring->producer >= ring->size || i >= ring->size)
		return broken("R1", ring, i);
	full = i != ring->producer || !ptr_ring_empty(ring);
	do {
		if (i == ring->producer && i != ring->consumer)
			full = false;
		if (!!ring->slots[i] != full)
			return broken("R2", ring, i);
		i = ptr_ring_next(ring, i);
	} while (i != ring->consumer);
	return true;
}
