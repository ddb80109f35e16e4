/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree against a plain array: what is in it, in which order, and the
 * greatest weight in each subtree, after every single step.
 */
#include <lib/printk.h>
#include <lib/random.h>
#include <lib/rbtree.h>
#include <lib/string.h>
#include <lib/test.h>

#define NR_KEYS  96
#define NR_STEPS 10000

struct item {
	unsigned int key, weight;
	unsigned int heaviest; /* in the subtree */
	bool in_tree;
	struct rb_node rb;
};

static struct item items[NR_KEYS];

static unsigned int weight(struct item *item)
{
	return item->weight;
}

RB_DECLARE_CALLBACKS_MAX(heaviest_cb, struct item, rb, unsigned int, heaviest,
			 weight);

static struct item *item_of(struct rb_node *node)
{
	return rb_entry_safe(node, struct item, rb);
}

static void reset_items(void)
{
	memset(items, 0, sizeof(items));
	for (unsigned int i = 0; i < NR_KEYS; i++)
		items[i].key = i;
}

/* Link @item where its key belongs; not balanced yet. */
static void link_item(struct item *item, struct rb_root *root)
{
	struct rb_node **link = &root->rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = &parent->child[item->key > item_of(parent)->key];
	}
	rb_link_node(&item->rb, parent, link);
	item->in_tree = true;
}

static void insert(struct item *item, struct rb_root *root)
{
	link_item(item, root);
	rb_insert_color(&item->rb, root);
}

static void insert_augmented(struct item *item, struct rb_root *root)
{
	link_item(item, root);
	item->heaviest = item->weight;
	heaviest_cb.propagate(rb_parent(&item->rb), NULL);
	rb_insert_augmented(&item->rb, root, &heaviest_cb);
}

/* Return: true when the tree holds exactly the items marked so, in order. */
static bool matches_array(const struct rb_root *root)
{
	struct rb_node *node = rb_first(root);

	for (unsigned int i = 0; i < NR_KEYS; i++) {
		if (!items[i].in_tree)
			continue;
		if (node != &items[i].rb)
			return false;
		node = rb_next(node);
	}
	return !node;
}

/* Return: the greatest weight of the subtree of @node, found by hand: by its
 * least and greatest key. */
static unsigned int heaviest_by_hand(struct rb_node *node)
{
	struct rb_node *least = node, *greatest = node;
	unsigned int heaviest = 0;

	while (least->rb_left)
		least = least->rb_left;
	while (greatest->rb_right)
		greatest = greatest->rb_right;
	for (unsigned int i = item_of(least)->key; i <= item_of(greatest)->key;
	     i++) {
		if (items[i].in_tree && items[i].weight > heaviest)
			heaviest = items[i].weight;
	}
	return heaviest;
}

static bool augmented_right(const struct rb_root *root)
{
	for (struct rb_node *node = rb_first(root); node;
	     node = rb_next(node)) {
		if (item_of(node)->heaviest != heaviest_by_hand(node))
			return false;
	}
	return true;
}

TEST(rbtree, empty)
{
	struct rb_root root = RB_ROOT;
	struct rb_node node;

	EXPECT(RB_EMPTY_ROOT(&root));
	EXPECT_NULL(rb_first(&root));
	EXPECT_NULL(rb_last(&root));
	EXPECT(rb_verify(&root));
	RB_CLEAR_NODE(&node);
	EXPECT(RB_EMPTY_NODE(&node));
}

TEST(rbtree, ascending_and_descending)
{
	struct rb_root root = RB_ROOT;

	reset_items();
	for (unsigned int i = 0; i < NR_KEYS / 2; i++) {
		insert(&items[i], &root);
		insert(&items[NR_KEYS - 1 - i], &root);
		REQUIRE(rb_verify(&root));
		REQUIRE(matches_array(&root));
	}
	EXPECT(!RB_EMPTY_NODE(&items[0].rb));
	EXPECT_EQ(rb_first(&root), &items[0].rb);
	EXPECT_EQ(rb_last(&root), &items[NR_KEYS - 1].rb);
	EXPECT_NULL(rb_prev(&items[0].rb));
	EXPECT_NULL(rb_next(&items[NR_KEYS - 1].rb));
	for (unsigned int i = NR_KEYS - 1; i > 0; i--)
		EXPECT_EQ(rb_prev(&items[i].rb), &items[i - 1].rb);
	for (unsigned int i = 0; i < NR_KEYS; i++) {
		rb_erase(&items[i].rb, &root);
		items[i].in_tree = false;
		REQUIRE(rb_verify(&root));
		REQUIRE(matches_array(&root));
	}
	EXPECT(RB_EMPTY_ROOT(&root));
}

/* Insert or erase @item, whichever it is due. */
static void toggle(struct item *item, struct rb_root *root, struct rng *rng)
{
	if (item->in_tree) {
		rb_erase_augmented(&item->rb, root, &heaviest_cb);
		item->in_tree = false;
	} else {
		item->weight = (unsigned int)rng_below(rng, 50);
		insert_augmented(item, root);
	}
}

TEST(rbtree, random_steps_against_an_array)
{
	struct rb_root root = RB_ROOT;
	struct rng rng;

	reset_items();
	rng_seed(&rng, test_seed());
	for (int step = 0; step < NR_STEPS; step++) {
		/* Few keys for a while, then many: small trees have shapes of
		 * their own. */
		uint64_t keys = step % 1000 < 500 ? 12 : NR_KEYS;

		toggle(&items[rng_below(&rng, keys)], &root, &rng);
		REQUIREF(rb_verify(&root), "step %d", step);
		REQUIREF(matches_array(&root), "step %d", step);
		REQUIREF(augmented_right(&root), "step %d", step);
	}
}

TEST(rbtree, every_order_of_six)
{
	unsigned int order[6];

	/* Each number in base 6 that has six different digits. */
	for (unsigned int n = 0; n < 46656; n++) {
		struct rb_root root = RB_ROOT;
		unsigned int seen = 0;

		for (unsigned int i = 0, rest = n; i < 6; i++, rest /= 6) {
			order[i] = rest % 6;
			seen |= 1U << order[i];
		}
		if (seen != 63)
			continue;
		reset_items();
		for (unsigned int i = 0; i < 6; i++)
			insert(&items[i], &root);
		for (unsigned int i = 0; i < 6; i++) {
			rb_erase(&items[order[i]].rb, &root);
			items[order[i]].in_tree = false;
			REQUIREF(rb_verify(&root) && matches_array(&root),
				 "order %u, erasure %u", n, i);
		}
	}
}

TEST(rbtree, replace_node)
{
	struct rb_root root = RB_ROOT;
	struct item other;

	reset_items();
	for (unsigned int i = 0; i < 7; i++)
		insert(&items[i], &root);
	for (unsigned int i = 0; i < 7; i++) {
		rb_replace_node(&items[i].rb, &other.rb, &root);
		EXPECT(rb_verify(&root));
		EXPECT_EQ(rb_next(&other.rb), i < 6 ? &items[i + 1].rb : NULL);
		rb_replace_node(&other.rb, &items[i].rb, &root);
	}
	EXPECT(matches_array(&root));
}

/* Run rb_verify, which has to find a fault and say @what. */
static void expect_fault(const struct rb_root *root, const char *what)
{
	char text[128];
	struct printk_capture capture = PRINTK_CAPTURE(text);
	struct printk_capture *before = printk_set_capture(&capture);
	bool fine = rb_verify(root);

	printk_set_capture(before);
	EXPECT(!fine);
	EXPECT_CONTAINS(text, what);
}

TEST(rbtree, verify_finds_faults)
{
	struct rb_root root = RB_ROOT;
	struct rb_node *top;
	uintptr_t before;

	reset_items();
	for (unsigned int i = 0; i < 4; i++)
		insert(&items[i], &root);
	top = root.rb_node;
	REQUIRE(rb_verify(&root));

	before = top->parent_color;
	top->parent_color ^= 1;
	expect_fault(&root, "the root is red");
	top->parent_color = before | (uintptr_t)&items[0].rb;
	expect_fault(&root, "the root has a parent");
	top->parent_color = before;

	/* Item 3 hangs red below the black item 2. */
	before = items[2].rb.parent_color;
	items[2].rb.parent_color ^= 1;
	expect_fault(&root, "red below red");
	items[2].rb.parent_color = before;

	before = items[3].rb.parent_color;
	items[3].rb.parent_color ^= 1;
	expect_fault(&root, "black heights differ");
	items[3].rb.parent_color = before;

	before = items[3].rb.parent_color;
	items[3].rb.parent_color = (uintptr_t)top | (before & 1);
	expect_fault(&root, "wrong parent");
	items[3].rb.parent_color = before;
	EXPECT(rb_verify(&root));
}
