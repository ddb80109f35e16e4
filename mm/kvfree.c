/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Freeing after a grace period, many objects for one call.
 *
 * Terms
 *	grace period	from a call until every CPU has been between two
 *			threads: whoever held a pointer then holds it no more
 *	block		a list of objects to be freed
 *	open		of this CPU: objects added since the grace period under
 *			way began
 *	waiting		of this CPU: objects for which it began in time
 *
 * Why
 *	A callback for each object costs more than the free. The objects of a
 *	grace period can share one.
 *
 * Structures
 *	Each CPU has a chain of open blocks, a chain of waiting ones, and one
 *	callback that is under way while either is not empty.
 *
 * Operations
 *	add	O(1): a slot of the first open block. The callback is asked for
 *		if it is not under way.
 *	callback	frees what waited, lets what is open wait, and asks for
 *		the next one if there is anything.
 *	So an object waits for two grace periods at most. Where there is no
 *	memory for a block, the object's own head is used, one callback each;
 *	without a head the caller waits.
 *
 * Invariants
 *	G1	.armed if and only if the callback is under way
 *	G2	open or waiting objects: .armed
 *	G3	a waiting object was added before the call that the callback
 *		under way belongs to
 *
 * Locking
 *	Each CPU's .lock, interrupts off; nothing is called under it.
 *
 * Departures from Linux
 *	No timer and no work: the callback itself asks for the next one.
 */
#include <arch/percpu.h>
#include <arch/va.h>
#include <lib/compiler.h>
#include <lib/spinlock.h>
#include <mm/kvfree.h>
#include <mm/slab.h>
#include <mm/vmalloc.h>

/* A block is 512 bytes. */
#define BLOCK_OBJECTS 62

struct block {
	struct block *next;
	size_t nr;
	const void *object[BLOCK_OBJECTS];
};

/* L: .lock held. */
struct kvfree_cpu {
	spinlock_t lock;
	struct block *open, *waiting; /* L */
	bool armed;                   /* L */
	struct grace_head callback;
};

static DEFINE_PER_CPU(struct kvfree_cpu, kvfree_cpu) __aligned(64);

void kvfree(const void *p)
{
	if (is_vmalloc_addr(p))
		vfree(p);
	else
		kfree((void *)p);
}

static void free_blocks(struct block *block)
{
	while (block) {
		struct block *next = block->next;

		for (size_t i = 0; i < block->nr; i++)
			kvfree(block->object[i]);
		kfree(block);
		block = next;
	}
}

static void grace_is_over(struct grace_head *head)
{
	struct kvfree_cpu *c = container_of(head, struct kvfree_cpu, callback);
	struct block *done;
	unsigned long flags;
	bool more;

	spin_lock_irqsave(&c->lock, flags);
	done = c->waiting;
	c->waiting = c->open;
	c->open = NULL;
	more = c->armed = c->waiting;
	spin_unlock_irqrestore(&c->lock, flags);
	if (more)
		mm_call_after_grace(&c->callback, grace_is_over);
	free_blocks(done);
}

/* Add @object, with the block @fresh if one is needed. Return: false: it was
 * needed, and @fresh is NULL. */
static __always_inline bool add(const void *object, struct block **fresh)
{
	unsigned long flags = irq_save();
	struct kvfree_cpu *c = this_cpu_ptr(&kvfree_cpu);
	bool arm;

	spin_lock(&c->lock);
	if (unlikely(!c->open || c->open->nr == BLOCK_OBJECTS)) {
		if (!*fresh) {
			spin_unlock_irqrestore(&c->lock, flags);
			return false;
		}
		(*fresh)->nr = 0;
		(*fresh)->next = c->open;
		c->open = *fresh;
		*fresh = NULL;
	}
	c->open->object[c->open->nr++] = object;
	arm = !c->armed;
	c->armed = true;
	spin_unlock_irqrestore(&c->lock, flags);
	if (unlikely(arm))
		mm_call_after_grace(&c->callback, grace_is_over);
	return true;
}

/* add() with a block that @gfp can get. */
static noinline bool add_slowly(const void *object, gfp_t gfp)
{
	struct block *fresh = kmalloc(sizeof(*fresh), gfp | __GFP_NOWARN);
	bool added = add(object, &fresh);

	kfree(fresh);
	return added;
}

static bool add_any(const void *object, gfp_t gfp)
{
	struct block *none = NULL;

	return likely(add(object, &none)) || add_slowly(object, gfp);
}

/* ---- with a head -------------------------------------------------------- */

/* The head lies in the object, which may be mapped memory. */
static void free_by_head(struct grace_head *head)
{
	struct kvfree_head *h = container_of(head, struct kvfree_head, grace);

	kvfree(is_vmalloc_addr(h) ? (void *)va_load64((va_t)&h->object)
				  : h->object);
}

void kvfree_rcu(const void *object, struct kvfree_head *head)
{
	if (!object || likely(add_any(object, GFP_NOWAIT)))
		return;
	if (is_vmalloc_addr(head))
		va_store64((va_t)&head->object, (va_t)object);
	else
		head->object = object;
	mm_call_after_grace(&head->grace, free_by_head);
}

/* ---- without ------------------------------------------------------------ */

struct waiter {
	struct grace_head head;
	_Atomic bool over;
};

static void stop_waiting(struct grace_head *head)
{
	struct waiter *w = container_of(head, struct waiter, head);

	atomic_store_explicit(&w->over, true, memory_order_release);
}

void kvfree_rcu_mightsleep(const void *object)
{
	struct waiter w = {.over = false};

	if (!object || likely(add_any(object, GFP_KERNEL)))
		return;
	mm_call_after_grace(&w.head, stop_waiting);
	while (!atomic_load_explicit(&w.over, memory_order_acquire))
		mm_yield();
	kvfree(object);
}
