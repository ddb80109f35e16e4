/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Free memory that other CPUs may still look at. See kvfree.c. */
#ifndef MM_KVFREE_H
#define MM_KVFREE_H

#include <mm/hooks.h>

/* Free what vmalloc() or kmalloc() and their kin gave. NULL does nothing.
 * Context: any. */
void kvfree(const void *p);

/* Stands in an object that kvfree_rcu() is to free. */
struct kvfree_head {
	struct grace_head grace;
	const void *object; /* first byte of the allocation */
};

/*
 * kvfree(@object) once no CPU is any more where it was at the time of this
 * call. @head stands in @object.
 * Context: any; needs no memory.
 */
void kvfree_rcu(const void *object, struct kvfree_head *head);

/*
 * The same without a head.
 * Context: may wait: for memory or, without any, for the others.
 */
void kvfree_rcu_mightsleep(const void *object);

#endif
