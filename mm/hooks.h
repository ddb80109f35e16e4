/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What mm needs of what stands above it: one table, filled in by the kernel's
 * threads, or by nobody. Then mm works alone: on one thread, nothing waits,
 * nothing is put off.
 */
#ifndef MM_HOOKS_H
#define MM_HOOKS_H

#include <lib/llist.h>
#include <stdbool.h>

/* Stands in an object that is to be freed after a grace period. */
struct grace_head {
	struct llist_node node;
	void (*fn)(struct grace_head *head);
};

/* Any may be NULL: the default. */
struct mm_hooks {
	/* Whether this context may wait: a thread, interrupts on. Default:
	 * false. Any context. */
	bool (*may_sleep)(void);

	/* Let other threads of this CPU run. Default: nothing. Context: where
	 * may_sleep() says so, no lock held. */
	void (*yield)(void);

	/* Have vm_unmap_aliases() called soon, by a thread that may wait.
	 * Default: nothing; who may wait purges when it must. Any context. */
	void (*wake_drain)(void);

	/* Call fn(head) once no CPU is any more where it was at the time of
	 * this call: each has been between two threads since. Default: at
	 * once, since a lone thread that calls this uses nothing else. Any
	 * context. */
	void (*call_after_grace)(struct grace_head *head,
				 void (*fn)(struct grace_head *head));
};

/*
 * Use @hooks, which stays valid, from now on; NULL: the defaults.
 * Context: boot, or a test: nobody else uses mm.
 * Return: the table before, NULL: the defaults.
 */
const struct mm_hooks *mm_hooks_register(const struct mm_hooks *hooks);

/* The hooks, or their defaults. Context: as said above. */
bool mm_may_sleep(void);
void mm_yield(void);
void mm_wake_drain(void);
void mm_call_after_grace(struct grace_head *head,
			 void (*fn)(struct grace_head *head));

#endif
