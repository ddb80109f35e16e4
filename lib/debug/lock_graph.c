/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The orders in which locks were seen to be taken: theory in lock_graph.h. */
#include <lib/compiler.h>
#include <lib/debug/lock_graph.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/string.h>

/* --- classes -------------------------------------------------------------- */

unsigned int lock_graph_class(struct lock_graph *graph, const void *key,
			      unsigned int subclass,
			      const struct lock_site *name)
{
	unsigned int free = 0;

	for (unsigned int i = graph->nr_classes; i > 0; i--) {
		const struct lock_class *class = &graph->classes[i];

		if (class->key == key && class->subclass == subclass)
			return i;
		if (!class->key)
			free = i;
	}
	if (!free && graph->nr_classes < LOCK_MAX_CLASSES - 1)
		free = ++graph->nr_classes;
	if (!free)
		return 0;
	graph->classes[free].key = key;
	graph->classes[free].subclass = subclass;
	graph->classes[free].name = name;
	return free;
}

static void forget_edges(struct lock_graph *graph, unsigned int class)
{
	for (unsigned int i = 0; i < graph->nr_edges; i++) {
		struct lock_edge *edge = &graph->edges[i];

		if (edge->from == class || edge->to == class)
			edge->from = edge->to = 0;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(graph->bits[class]); i++)
		graph->bits[class][i] = 0;
	for (unsigned int i = 1; i <= graph->nr_classes; i++)
		graph->bits[i][class / 64] &= ~(1UL << class % 64);
}

void lock_graph_forget(struct lock_graph *graph, const void *key)
{
	for (unsigned int i = 1; i <= graph->nr_classes; i++) {
		struct lock_class *class = &graph->classes[i];

		if (class->key != key)
			continue;
		forget_edges(graph, i);
		class->key = NULL;
		class->used[LOCK_USED_IN_INTERRUPT] = false;
		class->used[LOCK_USED_INTERRUPTS_ON] = false;
	}
}

/* --- edges ---------------------------------------------------------------- */

bool lock_graph_has_edge(struct lock_graph *graph, unsigned int from,
			 unsigned int to)
{
	uint64_t row = atomic_load_explicit(&graph->bits[from][to / 64],
					    memory_order_relaxed);

	return row >> to % 64 & 1;
}

bool lock_graph_add_edge(struct lock_graph *graph, unsigned int from,
			 unsigned int to, const struct lock_site *held,
			 const struct lock_witness *witness)
{
	unsigned int i = 0;

	while (i < graph->nr_edges && graph->edges[i].from)
		i++;
	if (i == LOCK_MAX_EDGES)
		return false;
	if (i == graph->nr_edges)
		graph->nr_edges++;
	graph->edges[i] = (struct lock_edge){from, to, held, *witness};
	graph->bits[from][to / 64] |= 1UL << to % 64;
	return true;
}

const struct lock_edge *lock_graph_edge(const struct lock_graph *graph,
					unsigned int from, unsigned int to)
{
	const struct lock_edge *edge = graph->edges;

	while (edge->from != from || edge->to != to) {
		edge++;
		ASSERTF(edge < graph->edges + graph->nr_edges,
			"no edge from class %u to %u", from, to);
	}
	return edge;
}

/* --- uses ----------------------------------------------------------------- */

bool lock_graph_used(struct lock_graph *graph, unsigned int class,
		     enum lock_use use)
{
	return atomic_load_explicit(&graph->classes[class].used[use],
				    memory_order_relaxed);
}

void lock_graph_add_use(struct lock_graph *graph, unsigned int class,
			enum lock_use use, const struct lock_witness *witness)
{
	graph->classes[class].use[use] = *witness;
	graph->classes[class].used[use] = true;
}

/* --- paths ---------------------------------------------------------------- */

/* A search under way; before[c] is the class that c was reached from, itself
 * where it began, 0 when it was not reached. */
struct search {
	struct lock_graph *graph;
	bool backward;
	unsigned int nr_reached, nr_expanded;
	uint8_t reached[LOCK_MAX_CLASSES]; /* in this order */
	uint8_t before[LOCK_MAX_CLASSES];
};

static_assert(LOCK_MAX_CLASSES - 1 <= UINT8_MAX, "a class fits a byte");

static void reach(struct search *search, unsigned int class, unsigned int from)
{
	if (search->before[class])
		return;
	search->before[class] = from;
	search->reached[search->nr_reached++] = class;
}

static void expand_forward(struct search *search, unsigned int class)
{
	for (unsigned int i = 0; i < LOCK_MAX_CLASSES / 64; i++) {
		uint64_t row = search->graph->bits[class][i];

		for (; row; row &= row - 1)
			reach(search, i * 64 + __builtin_ctzll(row), class);
	}
}

static void expand_backward(struct search *search, unsigned int class)
{
	for (unsigned int i = 1; i <= search->graph->nr_classes; i++)
		if (lock_graph_has_edge(search->graph, i, class))
			reach(search, i, class);
}

static void search_begin(struct search *search, struct lock_graph *graph,
			 unsigned int class, bool backward)
{
	memset(search, 0, sizeof(*search));
	search->graph = graph;
	search->backward = backward;
	reach(search, class, class);
}

/* The classes that are reached, the nearest first. Return: 0 at the end. */
static unsigned int search_next(struct search *search)
{
	unsigned int class;

	if (search->nr_expanded == search->nr_reached)
		return 0;
	class = search->reached[search->nr_expanded++];
	if (search->backward)
		expand_backward(search, class);
	else
		expand_forward(search, class);
	return class;
}

/* Keep @class as number @place of @path, whose length is known: the first ones
 * and the last one. */
static void path_put(struct lock_path *path, unsigned int place,
		     unsigned int class)
{
	if (place < LOCK_MAX_PATH - 1)
		path->classes[place] = class;
	else if (place == path->nr - 1)
		path->classes[LOCK_MAX_PATH - 1] = class;
}

/* The way from where the search began to @class, or back if it went backward;
 * none for 0. */
static void search_path(const struct search *search, unsigned int class,
			struct lock_path *path)
{
	unsigned int nr = 1;

	path->nr = 0;
	if (!class)
		return;
	for (unsigned int c = class; search->before[c] != c;
	     c = search->before[c])
		nr++;
	path->nr = nr;
	for (unsigned int i = 0; i < nr; i++, class = search->before[class])
		path_put(path, search->backward ? i : nr - 1 - i, class);
}

void lock_path_append(struct lock_path *path, const struct lock_path *more)
{
	unsigned int nr = path->nr;
	unsigned int kept = min(more->nr, LOCK_MAX_PATH);

	path->nr += more->nr;
	for (unsigned int i = 0; i + 1 < kept; i++)
		path_put(path, nr + i, more->classes[i]);
	if (more->nr)
		path_put(path, path->nr - 1, more->classes[kept - 1]);
}

unsigned int lock_path_last(const struct lock_path *path)
{
	return path->classes[min(path->nr, LOCK_MAX_PATH) - 1];
}

void lock_graph_path(struct lock_graph *graph, unsigned int from,
		     unsigned int to, struct lock_path *path)
{
	struct search search;
	unsigned int class;

	search_begin(&search, graph, from, false);
	do {
		class = search_next(&search);
	} while (class && class != to);
	search_path(&search, class, path);
}

static void path_of_use(struct lock_graph *graph, unsigned int class,
			bool backward, enum lock_use use,
			struct lock_path *path)
{
	struct search search;
	unsigned int end;

	search_begin(&search, graph, class, backward);
	do {
		end = search_next(&search);
	} while (end && !lock_graph_used(graph, end, use));
	search_path(&search, end, path);
}

void lock_graph_path_to_use(struct lock_graph *graph, unsigned int class,
			    enum lock_use use, struct lock_path *path)
{
	path_of_use(graph, class, false, use, path);
}

void lock_graph_path_from_use(struct lock_graph *graph, unsigned int class,
			      enum lock_use use, struct lock_path *path)
{
	path_of_use(graph, class, true, use, path);
}
