/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the watchdog barks. That it does is selftest=deadlock. */
#include <lib/compiler.h>
#include <lib/debug/lock_watch.h>
#include <lib/test.h>

#define MS (WATCH_SECOND / 1000)

#define EXPECT_VERDICT(trouble_, cpu_, seconds, ...)                           \
	do {                                                                   \
		struct watch_state states_[] = {__VA_ARGS__};                  \
		struct watch_verdict verdict_ =                                \
			watch_decide(states_, ARRAY_SIZE(states_), seconds);   \
                                                                               \
		EXPECT_EQ(verdict_.trouble, trouble_);                         \
		EXPECT_EQ(verdict_.cpu, cpu_);                                 \
	} while (0)

TEST(lock_watch, quiet)
{
	EXPECT_VERDICT(WATCH_FINE, 0, 5, {false, 0, 0}, {false, 0, 0});
	EXPECT_VERDICT(WATCH_FINE, 0, 5, {true, 4999 * MS, 0}, {false, 0, 5});
	/* What an earlier wait has left. */
	EXPECT_VERDICT(WATCH_FINE, 0, 5, {false, 9000 * MS, 0});
}

TEST(lock_watch, off)
{
	EXPECT_VERDICT(WATCH_FINE, 0, 0, {true, 900000 * MS, 900});
	EXPECT_VERDICT(WATCH_FINE, 0, 0, {true, 0, 0});
}

TEST(lock_watch, waits_too_long)
{
	EXPECT_VERDICT(WATCH_WAITS, 0, 5, {true, 5000 * MS, 0});
	EXPECT_VERDICT(WATCH_WAITS, 1, 2, {false, 0, 0}, {true, 2001 * MS, 0});
	/* The one that has waited longest: the others may wait for it. */
	EXPECT_VERDICT(WATCH_WAITS, 2, 5, {true, 5001 * MS, 0},
		       {true, 4000 * MS, 0}, {true, 5003 * MS, 0},
		       {true, 5002 * MS, 0});
}

TEST(lock_watch, silent)
{
	EXPECT_VERDICT(WATCH_SILENT, 1, 5, {false, 0, 5}, {false, 0, 6});
	EXPECT_VERDICT(WATCH_SILENT, 1, 1, {false, 0, 2}, {false, 0, 4},
		       {false, 0, 3});
	/* Where a lock is known, that is the cause. */
	EXPECT_VERDICT(WATCH_WAITS, 1, 5, {false, 0, 9}, {true, 5000 * MS, 0});
	EXPECT_VERDICT(WATCH_SILENT, 0, 5, {false, 0, 9}, {true, 4000 * MS, 0});
}
