/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the checks of locks end in, each in a copy of the process. */
#include <lib/spinlock.h>
#include <lib/test.h>
#include <machine/forked.h>

#define PANICKED 2 /* status of the copy */

static char output[16384];

static void expect_panic(void (*fn)(void), const char *message)
{
	EXPECT_EQ(hosted_run_forked(fn, output, sizeof(output)), PANICKED);
	EXPECT_CONTAINS(output, message);
}

static void inversion(void)
{
	static spinlock_t wheel, brake;

	spin_lock_init(&wheel);
	spin_lock_init(&brake);
	spin_lock(&wheel);
	spin_lock(&brake);
	spin_unlock(&brake);
	spin_unlock(&wheel);
	spin_lock(&brake);
	spin_lock(&wheel);
}

TEST(lock_panic, inversion)
{
	expect_panic(inversion, "PANIC: lock order: wheel is taken while brake "
				"is held, but comes before it elsewhere\n"
				"  called from ");
	EXPECT_CONTAINS(output, "now CPU 0 holds brake, taken at "
				"tests/unit/hosted/lock_panic.c:");
	EXPECT_CONTAINS(output, "earlier CPU 0 held wheel, taken at "
				"tests/unit/hosted/lock_panic.c:");
	EXPECT_CONTAINS(output, "\n  CPU 0 holds brake, taken at ");
}

static void take_twice(void)
{
	static spinlock_t lock;

	spin_lock(&lock);
	spin_lock(&lock);
}

TEST(lock_panic, taken_twice)
{
	expect_panic(take_twice, "PANIC: lock taken twice: CPU 0 holds lock\n");
	EXPECT_CONTAINS(output, "and took it before at ");
}

static void give_up_free(void)
{
	static spinlock_t lock;

	spin_unlock(&lock);
}

TEST(lock_panic, given_up_free)
{
	expect_panic(give_up_free, "PANIC: lock not held: CPU 0 gives up lock, "
				   "which is free\n");
}
