/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Red-black trees.
 *
 * TERMS
 * A node is red or black. An empty link counts as a black leaf. A node's black
 * height is the number of black nodes on any way from it down to an empty link.
 *
 * INVARIANTS
 *   1. the root is black
 *   2. a red node has no red child
 *   3. both subtrees of a node have one black height
 *   4. for each child c of a node n: parent(c) == n
 * From 2 and 3 the longest way down is at most twice the shortest, so a tree of
 * n nodes is at most 2 * log2(n + 1) high.
 *
 * OPERATIONS
 * A new node is red, which keeps 3; if its parent is red too, 2 is broken there
 * and nowhere else. Painting moves the fault two levels up, at most log2(n)
 * times; two rotations at most end it. Taking out a black node leaves a way
 * with one black too few; painting moves that fault one level up, three
 * rotations at most end it. Both directions are one code: child[dir] is the
 * child on the side in question, child[!dir] the other.
 *
 * AUGMENTED TREES
 * A rotation changes the subtrees of exactly two nodes, and the upper one has
 * afterwards the very nodes below it that the lower one had before. So one
 * callback, told both, keeps the values right, and nothing above changes. The
 * plain tree is the same code with the callbacks left out by the compiler.
 */
#include <lib/panic.h>
#include <lib/printk.h>
#include <lib/rbtree.h>

#define RB_BLACK 1u

/* Twice the logarithm of all nodes that memory could hold. */
#define RB_MAX_HEIGHT 128

static inline bool is_black(const struct rb_node *node)
{
	return !node || (node->parent_color & RB_BLACK);
}

static inline void paint_black(struct rb_node *node)
{
	node->parent_color |= RB_BLACK;
}

static inline void paint_red(struct rb_node *node)
{
	node->parent_color &= ~(uintptr_t)RB_BLACK;
}

static inline void set_parent(struct rb_node *node, struct rb_node *parent)
{
	node->parent_color =
		(uintptr_t)parent | (node->parent_color & RB_BLACK);
}

/* Which child of @parent @node is: an index of child[]. */
static inline bool side(const struct rb_node *parent,
			const struct rb_node *node)
{
	return parent->child[1] == node;
}

/* Let the link that leads to @old, a child of @parent, lead to @node. */
static inline void relink(struct rb_node *parent, struct rb_node *old,
			  struct rb_node *node, struct rb_root *root)
{
	if (parent)
		parent->child[side(parent, old)] = node;
	else
		root->rb_node = node;
}

/*
 * Rotate @node down to side @dir; the child on its other side takes its place.
 * Colours stay with their nodes. Return: that child.
 */
static __always_inline struct rb_node *
rotate(struct rb_node *node, bool dir, struct rb_root *root,
       const struct rb_augment_callbacks *cb)
{
	struct rb_node *top = node->child[!dir];
	struct rb_node *middle = top->child[dir];
	struct rb_node *parent = rb_parent(node);

	node->child[!dir] = middle;
	if (middle)
		set_parent(middle, node);
	top->child[dir] = node;
	set_parent(top, parent);
	relink(parent, node, top, root);
	set_parent(node, top);
	if (cb)
		cb->rotate(node, top);
	return top;
}

/* @node is red; restore invariants 1 and 2, which may be broken there only. */
static __always_inline void
balance_inserted(struct rb_node *node, struct rb_root *root,
		 const struct rb_augment_callbacks *cb)
{
	struct rb_node *parent, *grandparent, *uncle;
	bool dir;

	while ((parent = rb_parent(node)) && !is_black(parent)) {
		grandparent = rb_parent(parent);
		dir = side(grandparent, parent);
		uncle = grandparent->child[!dir];
		if (!is_black(uncle)) {
			paint_black(uncle);
			paint_black(parent);
			paint_red(grandparent);
			node = grandparent;
			continue;
		}
		if (side(parent, node) != dir)
			parent = rotate(parent, dir, root, cb);
		paint_black(parent);
		paint_red(grandparent);
		rotate(grandparent, !dir, root, cb);
		return;
	}
	if (!parent)
		paint_black(node);
}

/*
 * Every way through @node, a child of @parent and maybe empty, has one black
 * node too few; restore invariant 3.
 */
static __always_inline void
balance_erased(struct rb_node *node, struct rb_node *parent,
	       struct rb_root *root, const struct rb_augment_callbacks *cb)
{
	struct rb_node *sibling;
	bool dir;

	while (parent && is_black(node)) {
		dir = side(parent, node);
		sibling = parent->child[!dir];
		if (!is_black(sibling)) {
			paint_black(sibling);
			paint_red(parent);
			rotate(parent, dir, root, cb);
			sibling = parent->child[!dir];
		}
		if (is_black(sibling->child[0]) &&
		    is_black(sibling->child[1])) {
			paint_red(sibling);
			node = parent;
			parent = rb_parent(node);
			continue;
		}
		if (is_black(sibling->child[!dir])) {
			paint_black(sibling->child[dir]);
			paint_red(sibling);
			sibling = rotate(sibling, !dir, root, cb);
		}
		if (is_black(parent))
			paint_black(sibling);
		else
			paint_red(sibling);
		paint_black(parent);
		paint_black(sibling->child[!dir]);
		rotate(parent, dir, root, cb);
		return;
	}
	if (node)
		paint_black(node);
}

/* The node in the subtree of @node that is farthest to side @dir. */
static inline struct rb_node *outermost(struct rb_node *node, bool dir)
{
	while (node->child[dir])
		node = node->child[dir];
	return node;
}

/* Take out @node, which has at most one child. */
static __always_inline void erase_simple(struct rb_node *node,
					 struct rb_root *root,
					 const struct rb_augment_callbacks *cb)
{
	struct rb_node *parent = rb_parent(node);
	struct rb_node *child = node->rb_left ? node->rb_left : node->rb_right;

	relink(parent, node, child, root);
	if (child)
		set_parent(child, parent);
	if (cb)
		cb->propagate(parent, NULL);
	if (is_black(node))
		balance_erased(child, parent, root, cb);
}

/* Take out @node, which has two children: its successor takes its place and
 * its colour, so that the gap is where the successor was. */
static __always_inline void
erase_replaced(struct rb_node *node, struct rb_root *root,
	       const struct rb_augment_callbacks *cb)
{
	struct rb_node *next = outermost(node->rb_right, 0);
	struct rb_node *child = next->rb_right;
	struct rb_node *gap = rb_parent(next);
	bool gap_black = is_black(next);

	if (gap == node) {
		gap = next;
	} else {
		gap->rb_left = child;
		if (child)
			set_parent(child, gap);
		next->rb_right = node->rb_right;
		set_parent(next->rb_right, next);
	}
	next->rb_left = node->rb_left;
	set_parent(next->rb_left, next);
	next->parent_color = node->parent_color;
	relink(rb_parent(node), node, next, root);
	if (cb) {
		cb->copy(node, next);
		/* Two steps: where nothing changes below @next the first one
		 * ends early, and @next itself still has to be computed. */
		if (gap != next)
			cb->propagate(gap, next);
		cb->propagate(next, NULL);
	}
	if (gap_black)
		balance_erased(child, gap, root, cb);
}

static __always_inline void erase(struct rb_node *node, struct rb_root *root,
				  const struct rb_augment_callbacks *cb)
{
	if (node->rb_left && node->rb_right)
		erase_replaced(node, root, cb);
	else
		erase_simple(node, root, cb);
}

void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
	balance_inserted(node, root, NULL);
}

void rb_insert_augmented(struct rb_node *node, struct rb_root *root,
			 const struct rb_augment_callbacks *cb)
{
	balance_inserted(node, root, cb);
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
	erase(node, root, NULL);
}

void rb_erase_augmented(struct rb_node *node, struct rb_root *root,
			const struct rb_augment_callbacks *cb)
{
	erase(node, root, cb);
}

void rb_replace_node(struct rb_node *old, struct rb_node *node,
		     struct rb_root *root)
{
	*node = *old;
	if (node->rb_left)
		set_parent(node->rb_left, node);
	if (node->rb_right)
		set_parent(node->rb_right, node);
	relink(rb_parent(old), old, node, root);
}

struct rb_node *rb_first(const struct rb_root *root)
{
	return root->rb_node ? outermost(root->rb_node, 0) : NULL;
}

struct rb_node *rb_last(const struct rb_root *root)
{
	return root->rb_node ? outermost(root->rb_node, 1) : NULL;
}

/* The neighbour of @node in order, to side @dir. */
static inline struct rb_node *neighbour(const struct rb_node *node, bool dir)
{
	struct rb_node *parent;

	if (node->child[dir])
		return outermost(node->child[dir], !dir);
	while ((parent = rb_parent(node)) && parent->child[dir] == node)
		node = parent;
	return parent;
}

struct rb_node *rb_next(const struct rb_node *node)
{
	return neighbour(node, 1);
}

struct rb_node *rb_prev(const struct rb_node *node)
{
	return neighbour(node, 0);
}

static bool fault(const struct rb_node *node, const char *what)
{
	printk("rbtree: node %p: %s\n", node, what);
	return false;
}

/* Black nodes from @node up to the root; -1 when the way up does not end. */
static int black_depth(const struct rb_node *node)
{
	int depth = 0;

	for (int height = 0; height < RB_MAX_HEIGHT; height++) {
		if (!node)
			return depth;
		depth += is_black(node);
		node = rb_parent(node);
	}
	return -1;
}

/* Check @node and its links down; @depth is the black depth of all nodes with
 * an empty link, or -1 before the first of them. */
static bool verify_node(const struct rb_node *node, int *depth)
{
	int here;

	for (int dir = 0; dir < 2; dir++) {
		const struct rb_node *child = node->child[dir];

		if (child && rb_parent(child) != node)
			return fault(child, "wrong parent (invariant 4)");
		if (!is_black(node) && !is_black(child))
			return fault(child, "red below red (invariant 2)");
	}
	if (node->rb_left && node->rb_right)
		return true;
	here = black_depth(node);
	if (*depth < 0)
		*depth = here;
	if (here != *depth || here < 0)
		return fault(node, "black heights differ (invariant 3)");
	return true;
}

bool rb_verify(const struct rb_root *root)
{
	const struct rb_node *node = root->rb_node;
	int depth = -1;

	if (node && rb_parent(node))
		return fault(node, "the root has a parent (invariant 4)");
	if (!is_black(node))
		return fault(node, "the root is red (invariant 1)");
	for (node = rb_first(root); node; node = rb_next(node)) {
		if (!verify_node(node, &depth))
			return false;
	}
	return true;
}
