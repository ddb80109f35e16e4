/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graph of lock orders, without locks. */
#include <lib/compiler.h>
#include <lib/debug/lock_graph.h>
#include <lib/math.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test.h>

static struct lock_graph graph;
static const char keys[LOCK_MAX_CLASSES + 1];
static const struct lock_site site = {"lock", "file.c", "function", 7};

/* A graph with the classes 1 to @nr, of keys[1] to keys[nr]. */
static void make_classes(unsigned int nr)
{
	memset(&graph, 0, sizeof(graph));
	for (unsigned int i = 1; i <= nr; i++)
		REQUIRE_EQ(lock_graph_class(&graph, &keys[i], 0, &site), i);
}

static bool add_edge(unsigned int from, unsigned int to)
{
	struct lock_witness witness = {.site = &site, .cpu = from};

	return lock_graph_add_edge(&graph, from, to, &site, &witness);
}

static void add_use(unsigned int class, enum lock_use use)
{
	struct lock_witness witness = {.site = &site};

	lock_graph_add_use(&graph, class, use, &witness);
}

static unsigned int path_length(unsigned int from, unsigned int to)
{
	struct lock_path path;

	lock_graph_path(&graph, from, to, &path);
	return path.nr;
}

TEST(lock_graph, classes)
{
	unsigned int a, b, nested;

	make_classes(0);
	a = lock_graph_class(&graph, &keys[1], 0, &site);
	b = lock_graph_class(&graph, &keys[2], 0, &site);
	nested = lock_graph_class(&graph, &keys[1], 1, &site);
	EXPECT(a && b && nested);
	EXPECT(a != b && b != nested && nested != a);
	EXPECT_EQ(lock_graph_class(&graph, &keys[1], 0, NULL), a);
	EXPECT_EQ(lock_graph_class(&graph, &keys[1], 1, NULL), nested);
	EXPECT_EQ(graph.nr_classes, 3);
}

TEST(lock_graph, classes_overflow)
{
	make_classes(LOCK_MAX_CLASSES - 1);
	EXPECT_EQ(lock_graph_class(&graph, &keys[LOCK_MAX_CLASSES], 0, &site),
		  0);
	EXPECT_EQ(lock_graph_class(&graph, &keys[9], 0, &site), 9);
	lock_graph_forget(&graph, &keys[9]);
	EXPECT_EQ(lock_graph_class(&graph, &keys[LOCK_MAX_CLASSES], 0, &site),
		  9);
}

TEST(lock_graph, edge_and_witness)
{
	struct lock_witness witness = {&site, 3, 2, {11, 12}};
	const struct lock_edge *edge;

	make_classes(LOCK_MAX_CLASSES - 1);
	EXPECT(!lock_graph_has_edge(&graph, 200, 70));
	REQUIRE(add_edge(1, 2));
	REQUIRE(lock_graph_add_edge(&graph, 200, 70, &site, &witness));
	EXPECT(lock_graph_has_edge(&graph, 200, 70));
	EXPECT(!lock_graph_has_edge(&graph, 70, 200));
	edge = lock_graph_edge(&graph, 200, 70);
	EXPECT_EQ(edge->held, &site);
	EXPECT_EQ(edge->witness.cpu, 3);
	EXPECT_EQ(edge->witness.nr_pcs, 2);
	EXPECT_EQ(edge->witness.pcs[1], 12);
}

/* What is in the table when it is full stays of use. */
TEST(lock_graph, edges_overflow)
{
	unsigned int from = 1, to = 2;

	make_classes(LOCK_MAX_CLASSES - 1);
	for (unsigned int i = 0; i < LOCK_MAX_EDGES; i++) {
		REQUIRE(add_edge(from, to));
		if (++to == LOCK_MAX_CLASSES)
			to = ++from + 1;
	}
	EXPECT(!add_edge(from, to));
	EXPECT(!lock_graph_has_edge(&graph, from, to));
	EXPECT_EQ(path_length(1, to), 2);
	lock_graph_forget(&graph, &keys[1]);
	EXPECT(add_edge(from, to));
}

TEST(lock_graph, path_of_one_class)
{
	make_classes(2);
	EXPECT_EQ(path_length(1, 1), 1);
	EXPECT_EQ(path_length(1, 2), 0);
}

/* Of a path that is too long the beginning and the end are kept. */
TEST(lock_graph, long_path)
{
	const unsigned int nr = LOCK_MAX_CLASSES - 1;
	struct lock_path path;

	make_classes(nr);
	for (unsigned int i = 1; i < nr; i++)
		REQUIRE(add_edge(i, i + 1));
	lock_graph_path(&graph, 1, nr, &path);
	EXPECT_EQ(path.nr, nr);
	for (unsigned int i = 0; i < LOCK_MAX_PATH - 1; i++)
		EXPECT_EQ(path.classes[i], i + 1);
	EXPECT_EQ(path.classes[LOCK_MAX_PATH - 1], nr);
	EXPECT_EQ(lock_path_last(&path), nr);
	lock_graph_path(&graph, 3, LOCK_MAX_PATH + 2, &path);
	EXPECT_EQ(path.nr, LOCK_MAX_PATH);
	EXPECT_EQ(lock_path_last(&path), LOCK_MAX_PATH + 2);
}

TEST(lock_graph, joined_paths)
{
	struct lock_path path = {2, {1, 2}}, more = {3, {3, 4, 5}};
	struct lock_path none = {0, {0}};

	lock_path_append(&path, &none);
	EXPECT_EQ(path.nr, 2);
	for (unsigned int nr = 5; nr < 20; nr += 3) {
		lock_path_append(&path, &more);
		EXPECT_EQ(path.nr, nr);
		EXPECT_EQ(lock_path_last(&path), 5);
		EXPECT_EQ(path.classes[2], 3);
	}
}

/* --- against another way to find the same --------------------------------- */

#define NR 12

/* distance[a][b]: edges on a shortest path; FAR: there is none. */
#define FAR 1000
static unsigned int distance[NR + 1][NR + 1];

static void measure(void)
{
	for (unsigned int a = 1; a <= NR; a++)
		for (unsigned int b = 1; b <= NR; b++)
			distance[a][b] = a == b ? 0
					 : lock_graph_has_edge(&graph, a, b)
						 ? 1
						 : FAR;
	for (unsigned int via = 1; via <= NR; via++)
		for (unsigned int a = 1; a <= NR; a++)
			for (unsigned int b = 1; b <= NR; b++)
				distance[a][b] = min(distance[a][b],
						     distance[a][via] +
							     distance[via][b]);
}

static void expect_path(const struct lock_path *path, unsigned int edges)
{
	EXPECT_EQ(path->nr, edges == FAR ? 0 : edges + 1);
	for (unsigned int i = 1; i < path->nr; i++)
		EXPECT(lock_graph_has_edge(&graph, path->classes[i - 1],
					   path->classes[i]));
}

static void check_all_paths(void)
{
	struct lock_path path;

	measure();
	for (unsigned int a = 1; a <= NR; a++)
		for (unsigned int b = 1; b <= NR; b++) {
			lock_graph_path(&graph, a, b, &path);
			expect_path(&path, distance[a][b]);
			if (!path.nr)
				continue;
			EXPECT_EQ(path.classes[0], a);
			EXPECT_EQ(lock_path_last(&path), b);
		}
}

/* Edges in random order, cycles and all; sometimes a class goes. */
TEST(lock_graph, random_paths)
{
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (unsigned int round = 0; round < 20; round++) {
		make_classes(NR);
		for (unsigned int i = 0; i < 30; i++) {
			unsigned int a = 1 + rng_below(&rng, NR);
			unsigned int b = 1 + rng_below(&rng, NR);

			if (a != b && !lock_graph_has_edge(&graph, a, b))
				REQUIRE(add_edge(a, b));
			if (!rng_below(&rng, 20)) {
				lock_graph_forget(&graph, &keys[a]);
				lock_graph_class(&graph, &keys[a], 0, &site);
			}
		}
		check_all_paths();
	}
}

/* The edges of one order of all classes never close a cycle; turned round, each
 * one does if there is a way from its one end to the other. */
TEST(lock_graph, random_orders_have_no_cycle)
{
	unsigned int order[NR];
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (unsigned int round = 0; round < 20; round++) {
		make_classes(NR);
		for (unsigned int i = 0; i < NR; i++)
			order[i] = i + 1;
		rng_shuffle(&rng, order, NR, sizeof(order[0]));
		for (unsigned int i = 0; i < 40; i++) {
			unsigned int a = rng_below(&rng, NR - 1);
			unsigned int b = a + 1 + rng_below(&rng, NR - a - 1);

			a = order[a];
			b = order[b];
			EXPECT_EQ(path_length(b, a), 0);
			if (!lock_graph_has_edge(&graph, a, b))
				REQUIRE(add_edge(a, b));
			EXPECT_EQ(path_length(a, b), 2);
		}
	}
}

static unsigned int nearest(unsigned int class, enum lock_use use, bool back)
{
	unsigned int best = FAR;

	for (unsigned int i = 1; i <= NR; i++)
		if (lock_graph_used(&graph, i, use))
			best = min(best, back ? distance[i][class]
					      : distance[class][i]);
	return best;
}

TEST(lock_graph, random_uses)
{
	struct lock_path path;
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (unsigned int round = 0; round < 40; round++) {
		make_classes(NR);
		for (unsigned int i = 0; i < 14; i++) {
			unsigned int a = 1 + rng_below(&rng, NR);
			unsigned int b = 1 + rng_below(&rng, NR);

			if (a != b && !lock_graph_has_edge(&graph, a, b))
				REQUIRE(add_edge(a, b));
		}
		for (unsigned int i = 0; i < 3; i++)
			add_use(1 + rng_below(&rng, NR),
				rng_below(&rng, LOCK_NR_USES));
		measure();
		for (unsigned int i = 1; i <= NR; i++)
			for (unsigned int use = 0; use < LOCK_NR_USES; use++) {
				lock_graph_path_to_use(&graph, i, use, &path);
				expect_path(&path, nearest(i, use, false));
				lock_graph_path_from_use(&graph, i, use, &path);
				expect_path(&path, nearest(i, use, true));
			}
	}
}

TEST(lock_graph, forgotten_class)
{
	make_classes(4);
	REQUIRE(add_edge(1, 2));
	REQUIRE(add_edge(2, 3));
	REQUIRE(add_edge(3, 4));
	add_use(2, LOCK_USED_IN_INTERRUPT);
	REQUIRE_EQ(lock_graph_class(&graph, &keys[2], 1, &site), 5);
	lock_graph_forget(&graph, &keys[2]);
	EXPECT_EQ(path_length(1, 3), 0);
	EXPECT_EQ(path_length(3, 4), 2);
	EXPECT_EQ(lock_graph_class(&graph, &keys[9], 0, &site), 2);
	EXPECT(!lock_graph_used(&graph, 2, LOCK_USED_IN_INTERRUPT));
	EXPECT(!lock_graph_has_edge(&graph, 1, 2));
	EXPECT(!lock_graph_has_edge(&graph, 2, 3));
	EXPECT_EQ(lock_graph_class(&graph, &keys[2], 0, &site), 5);
}
