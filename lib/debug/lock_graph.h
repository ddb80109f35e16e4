/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The orders in which locks were seen to be taken.
 *
 * Terms
 *   class    locks that follow the same rules: all that one statement made
 *            free, or a single lock. Numbered from 1; 0: not known.
 *   edge     from -> to: a lock of class `to` was taken while one of class
 *            `from` was held
 *   witness  where and how something was seen for the first time
 *   use      how a class was taken: in an interrupt handler, or with interrupts
 *            on
 *
 * Two CPUs can wait for each other when
 *   G1  the edges have a cycle: each CPU holds one lock of it and wants the
 *       next; or
 *   G2  a class that interrupt handlers take leads, over any number of edges,
 *       none too, to one that is taken with interrupts on: its holder is
 *       interrupted by a handler that waits for the former, which is held by
 *       a CPU that waits for the latter.
 * So who adds an edge or a use first asks for the path that it would close.
 *
 * Structures
 *   Tables of fixed size: classes, edges with their witness, and a square of
 *   bits that tells which edges are there. Nothing is allocated.
 *
 * Operations
 *   is an edge there   O(1)
 *   path               breadth first over the bits, O(classes^2 / 64): the
 *                      shortest there is
 *   forget             O(edges)
 *
 * Locking: none here, one caller at a time; but lock_graph_has_edge() and
 * lock_graph_used() may be asked at any time.
 */
#ifndef LIB_DEBUG_LOCK_GRAPH_H
#define LIB_DEBUG_LOCK_GRAPH_H

#include <lib/spinlock.h>

#define LOCK_MAX_CLASSES 256
#define LOCK_MAX_EDGES   1024
#define LOCK_MAX_TRACE   12
#define LOCK_MAX_PATH    16U /* classes of a path that are kept */

struct lock_witness {
	const struct lock_site *site;
	unsigned int cpu;
	unsigned int nr_pcs;
	uintptr_t pcs[LOCK_MAX_TRACE];
};

enum lock_use {
	LOCK_USED_IN_INTERRUPT,
	LOCK_USED_INTERRUPTS_ON,
	LOCK_NR_USES,
};

struct lock_class {
	const void *key;              /* NULL: free */
	unsigned int subclass;        /* 0, but for nested locks */
	const struct lock_site *name; /* where it was made, or first taken */
	atomic_bool used[LOCK_NR_USES];
	struct lock_witness use[LOCK_NR_USES];
};

struct lock_edge {
	uint16_t from, to;            /* 0: free */
	const struct lock_site *held; /* where `from` had been taken */
	struct lock_witness witness;  /* taking `to` */
};

struct lock_graph {
	unsigned int nr_classes; /* numbers given so far, 1 to this one */
	unsigned int nr_edges;   /* places used so far */
	struct lock_class classes[LOCK_MAX_CLASSES];
	struct lock_edge edges[LOCK_MAX_EDGES];
	_Atomic uint64_t bits[LOCK_MAX_CLASSES][LOCK_MAX_CLASSES / 64];
};

/* Classes, each with an edge to the next. Of more than LOCK_MAX_PATH the first
 * ones are kept, and the last one in the last place. */
struct lock_path {
	unsigned int nr; /* 0: there is none */
	uint16_t classes[LOCK_MAX_PATH];
};

/*
 * The class of @key and @subclass, made when it is new; @name is kept then.
 * Return: its number; 0 when the table is full.
 */
unsigned int lock_graph_class(struct lock_graph *graph, const void *key,
			      unsigned int subclass,
			      const struct lock_site *name);

/* Drop the classes of @key with all that was seen of them: there is another
 * lock in its place. */
void lock_graph_forget(struct lock_graph *graph, const void *key);

bool lock_graph_has_edge(struct lock_graph *graph, unsigned int from,
			 unsigned int to);

/* Return: false when the table is full. @from and @to are not 0, and there is
 * no such edge yet. */
bool lock_graph_add_edge(struct lock_graph *graph, unsigned int from,
			 unsigned int to, const struct lock_site *held,
			 const struct lock_witness *witness);

/* The edge, which is there. */
const struct lock_edge *lock_graph_edge(const struct lock_graph *graph,
					unsigned int from, unsigned int to);

bool lock_graph_used(struct lock_graph *graph, unsigned int class,
		     enum lock_use use);
void lock_graph_add_use(struct lock_graph *graph, unsigned int class,
			enum lock_use use, const struct lock_witness *witness);

/* Go on from the last class of @path with @more. */
void lock_path_append(struct lock_path *path, const struct lock_path *more);

/* The last class of @path, which has one. */
unsigned int lock_path_last(const struct lock_path *path);

/* A shortest path from @from to @to; only the class itself when they are the
 * same. */
void lock_graph_path(struct lock_graph *graph, unsigned int from,
		     unsigned int to, struct lock_path *path);

/* A shortest path from @class to one that was used as @use says. */
void lock_graph_path_to_use(struct lock_graph *graph, unsigned int class,
			    enum lock_use use, struct lock_path *path);

/* A shortest path to @class from one that was used as @use says. */
void lock_graph_path_from_use(struct lock_graph *graph, unsigned int class,
			      enum lock_use use, struct lock_path *path);

#endif
