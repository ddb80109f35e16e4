/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lock-free singly linked lists: any number of CPUs add, any number take the
 * whole list at once. Nobody takes a single node, so a node can't go and come
 * back between another CPU's read and its exchange (the ABA problem).
 *
 * Adding is a release, taking an acquire: what was written to a node before it
 * was added is seen by whoever takes it. Nodes come out last in, first out.
 * Any context, interrupts included.
 */
#ifndef LIB_LLIST_H
#define LIB_LLIST_H

#include <lib/compiler.h>
#include <stdatomic.h>
#include <stdbool.h>

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	_Atomic(struct llist_node *) first;
};

#define LLIST_HEAD_INIT                                                        \
	{                                                                      \
		NULL                                                           \
	}
#define LLIST_HEAD(name) struct llist_head name = LLIST_HEAD_INIT

/* Make @head an empty list. Context: nobody else uses it yet. */
static inline void init_llist_head(struct llist_head *head)
{
	atomic_init(&head->first, NULL);
}

/* Return: true when nothing was in @head a moment ago. */
static inline bool llist_empty(struct llist_head *head)
{
	return !atomic_load_explicit(&head->first, memory_order_relaxed);
}

/*
 * Add the chain @first..@last, linked through next.
 * Return: true when the list was empty.
 */
static inline bool llist_add_batch(struct llist_node *first,
				   struct llist_node *last,
				   struct llist_head *head)
{
	struct llist_node *old =
		atomic_load_explicit(&head->first, memory_order_relaxed);

	do {
		last->next = old;
	} while (!atomic_compare_exchange_weak_explicit(
		&head->first, &old, first, memory_order_release,
		memory_order_relaxed));
	return !old;
}

/* Add @node. Return: true when the list was empty, i.e. @node is the first. */
static inline bool llist_add(struct llist_node *node, struct llist_head *head)
{
	return llist_add_batch(node, node, head);
}

/* Take everything. Return: the node added last, or NULL. */
static inline struct llist_node *llist_del_all(struct llist_head *head)
{
	return atomic_exchange_explicit(&head->first, NULL,
					memory_order_acquire);
}

/* Turn a taken chain round. Return: the node that was added first. */
static inline struct llist_node *llist_reverse_order(struct llist_node *node)
{
	struct llist_node *reversed = NULL;

	while (node) {
		struct llist_node *next = node->next;

		node->next = reversed;
		reversed = node;
		node = next;
	}
	return reversed;
}

#define llist_entry(ptr, type, member) container_of(ptr, type, member)

/* The object around @ptr, NULL for NULL. */
#define llist_entry_or_null(ptr, type, member)                                 \
	({                                                                     \
		__typeof__(ptr) llist_ptr_ = (ptr);                            \
		llist_ptr_ ? llist_entry(llist_ptr_, type, member) : NULL;     \
	})

/* Walk a taken chain from the node @first; the body may free @pos. */
#define llist_for_each_entry_safe(pos, tmp, first, member)                     \
	for (pos = llist_entry_or_null(first, __typeof__(*pos), member);       \
	     pos && (tmp = llist_entry_or_null(pos->member.next,               \
					       __typeof__(*pos), member),      \
		    true);                                                     \
	     pos = tmp)

#endif
