/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Red-black trees, intrusive: the node is a field of the objects, and the
 * caller walks down by its own keys. lib/rbtree.c has the theory.
 *
 * To insert, find the empty place (a parent and the link in it), rb_link_node
 * there, then rb_insert_color. All operations are O(log n), need no memory, and
 * may be used in any context; the caller keeps others away.
 */
#ifndef LIB_RBTREE_H
#define LIB_RBTREE_H

#include <lib/compiler.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rb_node {
	uintptr_t parent_color; /* the parent, its low bit 1 if we are black */
	union {
		struct {
			struct rb_node *rb_left, *rb_right;
		};
		struct rb_node *child[2]; /* the same, by direction */
	};
};

static_assert(sizeof(struct rb_node) == 3 * sizeof(void *), "3 words");

struct rb_root {
	struct rb_node *rb_node;
};

#define RB_ROOT                                                                \
	(struct rb_root)                                                       \
	{                                                                      \
		NULL                                                           \
	}
#define RB_EMPTY_ROOT(root) (!(root)->rb_node)

/* A node marked as standing in no tree. */
#define RB_CLEAR_NODE(node) ((node)->parent_color = (uintptr_t)(node))
#define RB_EMPTY_NODE(node) ((node)->parent_color == (uintptr_t)(node))

#define rb_entry(ptr, type, member) container_of(ptr, type, member)

/* The object around @ptr, NULL for NULL. */
#define rb_entry_safe(ptr, type, member)                                       \
	({                                                                     \
		__typeof__(ptr) rb_ptr_ = (ptr);                               \
		rb_ptr_ ? rb_entry(rb_ptr_, type, member) : NULL;              \
	})

/* Return: the node above, NULL for the root. */
static inline struct rb_node *rb_parent(const struct rb_node *node)
{
	return (struct rb_node *)(node->parent_color & ~(uintptr_t)1);
}

/* Put @node, a red leaf, at @link, which is empty and a link of @parent (or the
 * root's, then @parent is NULL). The tree is not balanced yet. */
static inline void rb_link_node(struct rb_node *node, struct rb_node *parent,
				struct rb_node **link)
{
	node->parent_color = (uintptr_t)parent;
	node->rb_left = NULL;
	node->rb_right = NULL;
	*link = node;
}

/* Balance after rb_link_node of @node. */
void rb_insert_color(struct rb_node *node, struct rb_root *root);

/* Take @node out of @root. Its own fields are stale then. */
void rb_erase(struct rb_node *node, struct rb_root *root);

/* Put @node in the place of @old; both have the same position by key. */
void rb_replace_node(struct rb_node *old, struct rb_node *node,
		     struct rb_root *root);

/* Return: the first, last, next, previous node in order, or NULL. */
struct rb_node *rb_first(const struct rb_root *root);
struct rb_node *rb_last(const struct rb_root *root);
struct rb_node *rb_next(const struct rb_node *node);
struct rb_node *rb_prev(const struct rb_node *node);

/*
 * An augmented tree keeps in each object a value computed from the object and
 * its two children. The callbacks bring it up to date:
 */
struct rb_augment_callbacks {
	/* Compute anew from @node up to, not including, @stop (NULL: the root);
	 * may end early where nothing changed. */
	void (*propagate)(struct rb_node *node, struct rb_node *stop);
	/* @to takes @from's place: it takes its value too. */
	void (*copy)(struct rb_node *from, struct rb_node *to);
	/* @top took the place of @old above it, and @old is its child now:
	 * @top takes @old's value, and @old's is computed anew. */
	void (*rotate)(struct rb_node *old, struct rb_node *top);
};

/*
 * Balance after rb_link_node of @node. Before, the caller gives @node the value
 * of a leaf and propagates it from @node's parent up.
 */
void rb_insert_augmented(struct rb_node *node, struct rb_root *root,
			 const struct rb_augment_callbacks *cb);

/* Take @node out of @root; every value is right afterwards. */
void rb_erase_augmented(struct rb_node *node, struct rb_root *root,
			const struct rb_augment_callbacks *cb);

/*
 * Define the callbacks @name (static const) for a value that is the maximum of
 * @compute(object) over the object's subtree, kept in @field:
 *
 *   RB_DECLARE_CALLBACKS_MAX(free_cb, struct area, rb, unsigned long,
 *                            subtree_max_size, area_size);
 */
#define RB_DECLARE_CALLBACKS_MAX(name, type, member, value_t, field, compute)  \
	/* Compute the value of @object anew. Return: true when it changed. */ \
	static inline bool name##_update(type *object)                         \
	{                                                                      \
		value_t top = compute(object);                                 \
		type *child;                                                   \
                                                                               \
		child = rb_entry_safe(object->member.rb_left, type, member);   \
		if (child && child->field > top)                               \
			top = child->field;                                    \
		child = rb_entry_safe(object->member.rb_right, type, member);  \
		if (child && child->field > top)                               \
			top = child->field;                                    \
		if (object->field == top)                                      \
			return false;                                          \
		object->field = top;                                           \
		return true;                                                   \
	}                                                                      \
	static void name##_propagate(struct rb_node *node,                     \
				     struct rb_node *stop)                     \
	{                                                                      \
		while (node != stop &&                                         \
		       name##_update(rb_entry(node, type, member)))            \
			node = rb_parent(node);                                \
	}                                                                      \
	static void name##_copy(struct rb_node *from, struct rb_node *to)      \
	{                                                                      \
		rb_entry(to, type, member)->field =                            \
			rb_entry(from, type, member)->field;                   \
	}                                                                      \
	static void name##_rotate(struct rb_node *old, struct rb_node *top)    \
	{                                                                      \
		name##_copy(old, top);                                         \
		name##_update(rb_entry(old, type, member));                    \
	}                                                                      \
	static const struct rb_augment_callbacks name = {                      \
		.propagate = name##_propagate,                                 \
		.copy = name##_copy,                                           \
		.rotate = name##_rotate,                                       \
	}

/* Walk the whole tree, O(n log n), and check colours, black heights and parent
 * links; each fault is one printed line. Return: true when all is well. */
bool rb_verify(const struct rb_root *root);

#endif
