/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of every use of a spinlock, in the debug build:
 *
 *   - a CPU takes no lock twice, and gives up only what it holds;
 *   - locks are taken in one order, and interrupt handlers wait for no lock
 *     that is held with interrupts on (lock_graph.h). A mistake is found the
 *     first time that both halves of it have run, at whatever time and on
 *     whatever CPU: it need not come to a deadlock.
 *
 * A lock that is only tried waits for nothing: no edge leads to it, and a
 * handler may do so. It is held all the same.
 *
 * What is found is printed, each half with its place and backtrace, and ends in
 * a panic.
 */
#ifndef LIB_DEBUG_LOCK_CHECK_H
#define LIB_DEBUG_LOCK_CHECK_H

#include <lib/debug/lock_graph.h>

#define LOCK_MAX_HELD 16 /* by a CPU at once */

enum lock_fault {
	LOCK_FAULT_TWICE,
	LOCK_FAULT_NOT_HELD,
	LOCK_FAULT_SAME_CLASS, /* as one that is held */
	LOCK_FAULT_ORDER,
	LOCK_FAULT_INTERRUPT,
};

struct lock_report {
	enum lock_fault fault;
	struct lock_graph *graph;
	struct lock_witness now;

	/* Of the first three: the lock; its holder, the CPU plus 1, and where
	 * it was taken; or where the other one of its class was taken. */
	const char *name;
	unsigned int holder;
	const struct lock_site *taken;

	/* Of the last two: G1, from `held` over the new edge and back to it; or
	 * G2, from a class taken in interrupts to one taken with them on. */
	struct lock_path path;
};

/* What @report is about, in one line, without its end, into @buf. */
void lock_report_headline(char *buf, size_t size,
			  const struct lock_report *report);

/* Print what belongs to it: places and backtraces. Context: as printk. */
void lock_report_print(const struct lock_report *report);

/* What had no more place in one of the tables. */
struct lock_table {
	const char *what;
	unsigned int size;
	atomic_bool full, told;
};

#define LOCK_TABLE(what_, size_)                                               \
	{                                                                      \
		.what = (what_), .size = (size_)                               \
	}

/* Say so, once, if @table is full. Context: no lock held. */
void lock_table_tell(struct lock_table *table);

/* Print what is in @graph. Context: as printk; what is added meanwhile may be
 * missing. */
void lock_graph_print(const struct lock_graph *graph);

typedef void (*lock_reporter)(const struct lock_report *report);

/*
 * Tell @reporter what is found on this CPU from now on, and go on; NULL: print
 * and panic. For tests.
 * Return: who was told before.
 */
lock_reporter lock_check_set_reporter(lock_reporter reporter);

/* Where a hook is called for: a statement, and the frame pointer of a function
 * that it calls. */
struct lock_place {
	const struct lock_site *site;
	const void *frame;
};

/* The hooks. Context: any, @lock as said. */

/* This CPU is about to wait for @lock. Return: its class. */
unsigned int lock_check_take(spinlock_t *lock, unsigned int subclass,
			     const struct lock_place *at);

/* It holds @lock now, of @class. */
void lock_check_taken(spinlock_t *lock, unsigned int class,
		      const struct lock_site *site);

/* It tried @lock, and holds it now. */
void lock_check_tried(spinlock_t *lock, const struct lock_place *at);

/* It is about to give up @lock. Return: false, reported, when it does not hold
 * it. */
bool lock_check_give(spinlock_t *lock, const struct lock_place *at);

/* Print each class of locks, and what was taken while one of it was held.
 * Context: thread. */
void lock_check_print_orders(void);

/* Drop all that is known of the class of @lock, no lock of which is used any
 * more. For tests. */
void lock_check_forget(const spinlock_t *lock);

/* Print a line for each spinlock that @cpu holds. Context: panic; @cpu is
 * stopped, or may just be changing it. */
void lock_check_print_held(unsigned int cpu);

#endif
