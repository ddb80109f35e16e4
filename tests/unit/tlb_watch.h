/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests that leave a flush out on purpose: what the log of the TLBs says
 * then is noted, and does not stop the machine. Without the log (release
 * build), nothing is said.
 */
#ifndef TESTS_UNIT_TLB_WATCH_H
#define TESTS_UNIT_TLB_WATCH_H

#include <lib/test.h>
#include <mm/tlb_log.h>

#ifdef QUIRE_DEBUG

struct tlb_watch {
	unsigned int nr;        /* violations */
	struct tlb_stale stale; /* of the last one */
	struct tlb_act mapped;
};

static struct tlb_watch tlb_watch;
static tlb_log_report_fn tlb_watch_before;

static inline void tlb_watch_note(struct tlb_log *log,
				  const struct tlb_stale *stale,
				  const struct tlb_act *mapped)
{
	tlb_watch.nr++;
	tlb_watch.stale = *stale;
	tlb_watch.mapped = *mapped;
}

static inline void tlb_watch_begin(void)
{
	tlb_watch.nr = 0;
	tlb_watch_before = tlb_log.report;
	tlb_log.report = tlb_watch_note;
}

static inline void tlb_watch_end(void)
{
	tlb_log.report = tlb_watch_before;
}

#	define EXPECT_TLB_VIOLATIONS(n) EXPECT_EQ(tlb_watch.nr, n)

#else

static inline void tlb_watch_begin(void)
{
}

static inline void tlb_watch_end(void)
{
}

#	define EXPECT_TLB_VIOLATIONS(n)                                       \
		do {                                                           \
		} while (0)

#endif
#endif
