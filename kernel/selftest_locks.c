/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels that end badly on purpose, part 3: CPUs that wait for each other, or
 * take no interrupts any more. The debug build notices; with lock_check=0 it
 * does not see that the order of the locks is wrong, and the watchdog has to
 * come.
 */
#include <arch/smp.h>
#include <lib/spinlock.h>
#include <lib/test_core.h>

static spinlock_t lock_a = SPINLOCK_INIT;
static spinlock_t lock_b = SPINLOCK_INIT;

/* Go on when the other CPU has come here too. */
static void meet(void)
{
	static _Atomic unsigned int here;

	here++;
	while (here < 2)
		cpu_relax();
}

static void take_a_then_b(void)
{
	spin_lock(&lock_a);
	meet();
	spin_lock(&lock_b);
}

static void take_b_then_a(void *arg)
{
	spin_lock(&lock_b);
	meet();
	spin_lock(&lock_a);
}

TEST_IN(selftest_cases, selftest, deadlock)
{
	if (cpus_online() < 2)
		SKIP("needs 2 CPUs, have %u", cpus_online());
	cpu_call(1, take_b_then_a, NULL, false);
	irq_save();
	take_a_then_b();
}

static void wait_for_ever(void *arg)
{
	for (;;)
		cpu_relax();
}

/* Not by the wait alone, but since it is in an interrupt handler. */
TEST_IN(selftest_cases, selftest, deaf)
{
	if (cpus_online() < 2)
		SKIP("needs 2 CPUs, have %u", cpus_online());
	cpu_call(1, wait_for_ever, NULL, true);
}
