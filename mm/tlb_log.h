/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The proof that no address is used again while a CPU may remember what was
 * mapped there: a log of unmappings, flushes and mappings that is checked as
 * it grows. Debug and hosted build only. See tlb_log.c.
 */
#ifndef MM_TLB_LOG_H
#define MM_TLB_LOG_H

#include <arch/pte.h>

#ifdef QUIRE_DEBUG

#	include <arch/cpumask.h>
#	include <lib/rbtree.h>
#	include <lib/spinlock.h>
#	include <stdbool.h>

/* Somebody mapped or unmapped [start, end). */
struct tlb_act {
	va_t start, end;
	const void *owner; /* code address: who asked for the area */
	unsigned int cpu;  /* on which it was done */
	uint64_t ticks;    /* when */
};

/* A range that is not mapped, but that some CPUs may remember. */
struct tlb_stale {
	struct rb_node node; /* by address */
	struct tlb_stale *next_unused;
	struct tlb_act unmapped;
	uint64_t seq;    /* of that event */
	cpumask_t owing; /* CPUs that have to flush, some */
};

/* What the log remembers of the past, for the story. */
struct tlb_event {
	enum tlb_event_kind {
		TLB_NOTHING,
		TLB_UNMAPPED,
		TLB_BEGINS,
		TLB_FLUSHED,
		TLB_MAPPED,
	} kind;
	struct tlb_act act;
};

#	define TLB_LOG_EVENTS 256

struct tlb_log;

/* Told that @mapped uses addresses of @stale too early, both copies. */
typedef void (*tlb_log_report_fn)(struct tlb_log *log,
				  const struct tlb_stale *stale,
				  const struct tlb_act *mapped);

/* Lock letters: L .lock held; C constant once it is set up. */
struct tlb_log {
	spinlock_t lock;
	uint64_t seq;             /* L: events so far */
	uint64_t begun[MAX_CPUS]; /* L: event of the last BEGINS */
	struct rb_root stale;     /* L */
	struct tlb_stale *unused; /* L */
	size_t nr_stale;          /* L */
	struct tlb_event event[TLB_LOG_EVENTS]; /* L: event seq % that */
	tlb_log_report_fn report;               /* C */

	/* L: what came of the ranges that were unmapped. */
	unsigned long nr_unmapped, nr_flushed, nr_mapped;
	unsigned long nr_violations;
	unsigned long nr_dropped; /* not followed, for want of room */
};

/*
 * Make @log empty, with room for as many stale ranges at once as fit into the
 * @size bytes at @memory.
 * Context: any; nobody uses it yet.
 */
void tlb_log_init(struct tlb_log *log, void *memory, size_t size,
		  tlb_log_report_fn report);

/*
 * The entries of @act's range are cleared now, and the CPUs of @online may
 * remember them.
 * Context: any.
 */
void tlb_log_unmapped(struct tlb_log *log, const struct tlb_act *act,
		      cpumask_t online);

/* What a struct tlb_observer is told. Context: interrupts off. */
void tlb_log_begins(struct tlb_log *log, unsigned int cpu);
void tlb_log_flushed(struct tlb_log *log, unsigned int cpu, va_t start,
		     va_t end);

/*
 * Entries of @act's range are about to be written.
 * Context: any.
 * Return: true; false, after it was reported, when a CPU may remember an
 * address of it. That range is not followed further.
 */
bool tlb_log_mapped(struct tlb_log *log, const struct tlb_act *act);

/*
 * Check the log itself.
 * Context: any; time linear in ranges.
 * Return: true; false after one line.
 */
bool tlb_log_verify(struct tlb_log *log);

/* Tell what happened and what else the log knows of those addresses, in
 * several lines. Context: any. */
void tlb_log_tell(struct tlb_log *log, const struct tlb_stale *stale,
		  const struct tlb_act *mapped);

/* The machine's log. Violations panic, but for a test that changes .report. */
extern struct tlb_log tlb_log;

/*
 * Follow the machine's TLBs from now on.
 * Context: boot, page allocator up.
 */
void tlb_log_start(void);

/* In the machine's log: what is cleared or about to be written in the tree at
 * @root, if that is the one in force. Context: any. */
void tlb_log_unmap(const pte_t *root, va_t start, va_t end, const void *owner);
void tlb_log_map(const pte_t *root, va_t start, va_t end, const void *owner);

#else

static inline void tlb_log_start(void)
{
}

static inline void tlb_log_unmap(const pte_t *root, va_t start, va_t end,
				 const void *owner)
{
}

static inline void tlb_log_map(const pte_t *root, va_t start, va_t end,
			       const void *owner)
{
}

#endif
#endif
