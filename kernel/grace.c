/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Grace periods.
 *
 * Terms
 *   section          code that follows pointers which others may take out of
 *                    their structures meanwhile; it neither yields nor waits
 *   quiescent point  where a CPU goes from thread to thread, or idles: no
 *                    section can be under way there
 *   grace period     a time in which every CPU passes such a point
 *
 * Use
 *   Whoever frees an object takes it out of all structures, then asks for a
 *   callback after a grace period. A section that began before may still see
 *   the object; it is over when the period is. One that begins later can't find
 *   it. Readers pay nothing, since threads are cooperative: all code between
 *   two quiescent points is a section, that of interrupts too.
 *
 * Structures
 *   Each CPU has a list of callbacks that wait. One thread takes all lists,
 *   waits for one grace period for all of them, and calls them. Callbacks
 *   that come meanwhile wait for the next round.
 *
 *   grace_waited_for has a bit for each CPU that has to pass. The scheduler
 *   looks at it at each quiescent point; who clears the last bit wakes the
 *   thread. The CPU where the thread itself runs has passed already. The others
 *   are kicked, so that one that idles passes as well: that it idles is not
 *   enough, an interrupt may have begun a section there.
 *
 * Invariants
 *   G1  a callback runs only after each CPU that was online when it was asked
 *       for has cleared its bit, set after that
 *   G2  callbacks of one CPU run in the order in which they were asked for
 *
 * Order of memory
 *   call -> list (release) -> thread (acquire) -> bit set (release) -> CPU sees
 *   it at a quiescent point (acquire): what that CPU reads from now on was
 *   changed before the call. Its clearing the bit (release) -> thread (acquire)
 *   -> callback: what it read before, it read before the callback.
 *
 * Locking: none. Any context may call, interrupts included.
 */
#include <arch/percpu.h>
#include <arch/smp.h>
#include <kernel/completion.h>
#include <kernel/grace.h>
#include <kernel/thread.h>
#include <lib/panic.h>

static DEFINE_PER_CPU(struct llist_head, grace_calls);
static struct thread *grace_thread;
static _Atomic unsigned long nr_periods;

_Atomic uint64_t grace_waited_for;

unsigned long grace_periods(void)
{
	return atomic_load(&nr_periods);
}

void call_after_grace(struct grace_head *head,
		      void (*fn)(struct grace_head *head))
{
	ASSERTF(grace_thread, "call_after_grace before grace_init");
	head->fn = fn;
	if (llist_add(&head->node, this_cpu_ptr(&grace_calls)))
		thread_wake(grace_thread);
}

void grace_pass(void)
{
	uint64_t self = 1UL << cpu_id();

	if (atomic_fetch_and(&grace_waited_for, ~self) == self)
		thread_wake(grace_thread);
}

static void wait_for_grace_period(void)
{
	cpumask_t others = cpu_online_mask();
	unsigned int cpu;

	others.bits &= ~cpumask_of(cpu_id()).bits;
	atomic_store(&grace_waited_for, others.bits); /* G1 */
	for_each_cpu(cpu, others)
		cpu_kick(cpu);
	while (atomic_load(&grace_waited_for))
		thread_block();
	atomic_fetch_add(&nr_periods, 1);
}

/* Append the callbacks of @cpu to the chain whose last link is @end. Return:
 * the last link then. */
static struct llist_node **take_calls(unsigned int cpu, struct llist_node **end)
{
	struct llist_head *calls = per_cpu_ptr(&grace_calls, cpu);

	if (llist_empty(calls))
		return end;
	*end = llist_reverse_order(llist_del_all(calls)); /* G2 */
	while (*end)
		end = &(*end)->next;
	return end;
}

static struct llist_node *take_all_calls(void)
{
	struct llist_node *first = NULL, **end = &first;
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask())
		end = take_calls(cpu, end);
	return first;
}

static void run_calls(struct llist_node *first)
{
	struct grace_head *head, *tmp;

	llist_for_each_entry_safe(head, tmp, first, node) {
		head->fn(head);
		thread_yield();
	}
}

static void grace_main(void *arg)
{
	for (;;) {
		struct llist_node *first = take_all_calls();

		if (first) {
			wait_for_grace_period();
			run_calls(first);
		} else {
			thread_block();
		}
	}
}

struct grace_wait {
	struct grace_head head;
	struct completion over;
};

static void end_wait(struct grace_head *head)
{
	complete(&container_of(head, struct grace_wait, head)->over);
}

void synchronize_grace(void)
{
	struct grace_wait wait;

	ASSERTF(thread_current() != grace_thread,
		"a callback waits for itself");
	completion_init(&wait.over);
	call_after_grace(&wait.head, end_wait);
	wait_for_completion(&wait.over);
}

/* A callback of another CPU that was asked for before may come in the same
 * round, and then after ours: the second wait is for a later round. */
void grace_barrier(void)
{
	synchronize_grace();
	synchronize_grace();
}

bool grace_init(void)
{
	grace_thread = thread_create("grace", grace_main, NULL, THREAD_ANY_CPU);
	return grace_thread != NULL;
}
