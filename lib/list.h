/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Doubly linked circular lists, intrusive: the links are a field of the
 * objects, and a list is a head whose own links close the circle. Every
 * operation but the walks is O(1), needs no memory, and may be used in any
 * context; the caller keeps others away.
 *
 * Invariant: for every node n of a list, n->next->prev == n and
 * n->prev->next == n. The debug build checks it where nodes come and go.
 */
#ifndef LIB_LIST_H
#define LIB_LIST_H

#include <lib/compiler.h>
#include <lib/panic.h>
#include <stdbool.h>

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name)                                                   \
	{                                                                      \
		&(name), &(name)                                               \
	}
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)

/* Make @head an empty list, or a node that stands in no list. */
static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

/* Put @node between the neighbours @prev and @next. */
static inline void __list_add(struct list_head *node, struct list_head *prev,
			      struct list_head *next)
{
	DEBUG_ASSERT(prev->next == next && next->prev == prev);
	DEBUG_ASSERT(node != prev && node != next);
	next->prev = node;
	node->next = next;
	node->prev = prev;
	prev->next = node;
}

/* Add @node behind @head: first in the list, or next after a node. */
static inline void list_add(struct list_head *node, struct list_head *head)
{
	__list_add(node, head, head->next);
}

/* Add @node before @head: last in the list, or just before a node. */
static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	__list_add(node, head->prev, head);
}

/* Close the gap between @prev and @next. */
static inline void __list_del(struct list_head *prev, struct list_head *next)
{
	next->prev = prev;
	prev->next = next;
}

/* Take @node out of its list; its links are NULL then. */
static inline void list_del(struct list_head *node)
{
	DEBUG_ASSERT(node->next->prev == node && node->prev->next == node);
	__list_del(node->prev, node->next);
	node->next = NULL;
	node->prev = NULL;
}

/* Take @node out of its list and leave it as an empty list of its own. */
static inline void list_del_init(struct list_head *node)
{
	list_del(node);
	INIT_LIST_HEAD(node);
}

/* Move @node, from whichever list, to the front of @head. */
static inline void list_move(struct list_head *node, struct list_head *head)
{
	list_del(node);
	list_add(node, head);
}

/* Move @node, from whichever list, to the end of @head. */
static inline void list_move_tail(struct list_head *node,
				  struct list_head *head)
{
	list_del(node);
	list_add_tail(node, head);
}

/* Put @node in the place of @old, which stands in no list afterwards. */
static inline void list_replace(struct list_head *old, struct list_head *node)
{
	node->next = old->next;
	node->next->prev = node;
	node->prev = old->prev;
	node->prev->next = node;
	old->next = NULL;
	old->prev = NULL;
}

/* Return: true when nothing is in @head. */
static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

/* Return: true when exactly one node is in @head. */
static inline bool list_is_singular(const struct list_head *head)
{
	return !list_empty(head) && head->next == head->prev;
}

/* Return: true when @node is the last of @head. */
static inline bool list_is_last(const struct list_head *node,
				const struct list_head *head)
{
	return node->next == head;
}

/* Put the nodes of @list, which is not empty, between @prev and @next. */
static inline void __list_splice(const struct list_head *list,
				 struct list_head *prev, struct list_head *next)
{
	struct list_head *first = list->next;
	struct list_head *last = list->prev;

	first->prev = prev;
	prev->next = first;
	last->next = next;
	next->prev = last;
}

/* Put all of @list in front of @head's nodes; @list itself is stale then. */
static inline void list_splice(const struct list_head *list,
			       struct list_head *head)
{
	if (!list_empty(list))
		__list_splice(list, head, head->next);
}

/* Put all of @list behind @head's nodes; @list itself is stale then. */
static inline void list_splice_tail(const struct list_head *list,
				    struct list_head *head)
{
	if (!list_empty(list))
		__list_splice(list, head->prev, head);
}

/* list_splice, and @list is an empty list afterwards. */
static inline void list_splice_init(struct list_head *list,
				    struct list_head *head)
{
	list_splice(list, head);
	INIT_LIST_HEAD(list);
}

/* list_splice_tail, and @list is an empty list afterwards. */
static inline void list_splice_tail_init(struct list_head *list,
					 struct list_head *head)
{
	list_splice_tail(list, head);
	INIT_LIST_HEAD(list);
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)

/* Of a list that is not empty. */
#define list_first_entry(head, type, member)                                   \
	list_entry((head)->next, type, member)
#define list_last_entry(head, type, member)                                    \
	list_entry((head)->prev, type, member)

/* Return: NULL when the list is empty. */
#define list_first_entry_or_null(head, type, member)                           \
	(list_empty(head) ? NULL : list_first_entry(head, type, member))

#define list_next_entry(pos, member)                                           \
	list_entry((pos)->member.next, __typeof__(*(pos)), member)
#define list_prev_entry(pos, member)                                           \
	list_entry((pos)->member.prev, __typeof__(*(pos)), member)

#define list_for_each(pos, head)                                               \
	for (pos = (head)->next; pos != (head); pos = pos->next)

/* Walk the objects; the body must not take out @pos. */
#define list_for_each_entry(pos, head, member)                                 \
	for (pos = list_first_entry(head, __typeof__(*pos), member);           \
	     &pos->member != (head); pos = list_next_entry(pos, member))

#define list_for_each_entry_reverse(pos, head, member)                         \
	for (pos = list_last_entry(head, __typeof__(*pos), member);            \
	     &pos->member != (head); pos = list_prev_entry(pos, member))

/* Walk the objects; the body may take out and free @pos. */
#define list_for_each_entry_safe(pos, tmp, head, member)                       \
	for (pos = list_first_entry(head, __typeof__(*pos), member),           \
	    tmp = list_next_entry(pos, member);                                \
	     &pos->member != (head);                                           \
	     pos = tmp, tmp = list_next_entry(tmp, member))

#endif
