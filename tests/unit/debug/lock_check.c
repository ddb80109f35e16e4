/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checks of spinlocks, with locks of their own. A lock on the stack is new
 * each time; where a name is wanted, spin_lock_init() gives it, and its class
 * is forgotten at the end: so each case begins without any knowledge.
 */
#include <arch/smp.h>
#include <lib/compiler.h>
#include <lib/debug/lock_check.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/symbols.h>
#include <lib/test.h>
#include <tests/unit/one_line.h>

/* What was reported, as it would be printed. */
static struct {
	unsigned int nr;
	enum lock_fault fault; /* of the last one */
	const struct lock_graph *graph;
	char text[8192];
} reports;

static void record(const struct lock_report *report)
{
	struct printk_capture capture = PRINTK_CAPTURE(reports.text);
	struct printk_capture *before;

	reports.nr++;
	reports.fault = report->fault;
	reports.graph = report->graph;
	lock_report_headline(reports.text, sizeof(reports.text), report);
	capture.len = strlen(reports.text);
	before = printk_set_capture(&capture);
	printk("\n");
	lock_report_print(report);
	printk_set_capture(before);
}

static void setup(void)
{
	lock_check_set_reporter(record);
}

static void teardown(void)
{
	lock_check_set_reporter(NULL);
}

TEST_SUITE(lock_check, .setup = setup, .teardown = teardown);

/* Since the last time nothing was reported, or one thing. */
#define EXPECT_SILENT()                                                        \
	do {                                                                   \
		EXPECTF(reports.nr == 0, "%s", reports.text);                  \
		reports.nr = 0;                                                \
	} while (0)
#define EXPECT_REPORT(fault_)                                                  \
	do {                                                                   \
		EXPECT_EQ(reports.nr, 1);                                      \
		EXPECT_EQ(reports.fault, fault_);                              \
		reports.nr = 0;                                                \
	} while (0)

static noinline void one_inside_other(spinlock_t *outer, spinlock_t *inner)
{
	spin_lock(outer);
	spin_lock(inner);
	spin_unlock(inner);
	spin_unlock(outer);
}

/* --- order ---------------------------------------------------------------- */

static noinline void wheel_then_brake(spinlock_t *wheel, spinlock_t *brake)
{
	one_inside_other(wheel, brake);
}

static noinline void brake_then_wheel(spinlock_t *wheel, spinlock_t *brake)
{
	spin_lock(brake);
	spin_lock(wheel);
	spin_unlock(wheel);
	spin_unlock(brake);
}

/* @function is named in the backtraces, where functions have names. */
static void expect_in_backtrace(void (*function)(spinlock_t *, spinlock_t *),
				const char *name)
{
	char text[64];
	size_t offset;

	if (!symbol_lookup((uintptr_t)function, &offset))
		return;
	snprintf(text, sizeof(text), "  %s+0x", name);
	EXPECT_CONTAINS(reports.text, text);
}

TEST(lock_check, inversion_shows_both_chains)
{
	spinlock_t wheel, brake;

	spin_lock_init(&wheel);
	spin_lock_init(&brake);
	wheel_then_brake(&wheel, &brake);
	EXPECT_SILENT();
	brake_then_wheel(&wheel, &brake);
	EXPECT_REPORT(LOCK_FAULT_ORDER);
	EXPECT_CONTAINS(reports.text, "lock order: wheel is taken while brake "
				      "is held, but comes before it "
				      "elsewhere\n");
	EXPECT_CONTAINS(reports.text, "now CPU 0 holds brake, taken at "
				      "tests/unit/debug/lock_check.c:");
	EXPECT_CONTAINS(reports.text, " (brake_then_wheel),\nand takes wheel "
				      "at tests/unit/debug/lock_check.c:");
	EXPECT_CONTAINS(reports.text, "earlier CPU 0 held wheel, taken at "
				      "tests/unit/debug/lock_check.c:");
	EXPECT_CONTAINS(reports.text, " (one_inside_other),\nand took brake "
				      "at tests/unit/debug/lock_check.c:");
	EXPECT_CONTAINS(reports.text, "\n  called from ");
	expect_in_backtrace(wheel_then_brake, "wheel_then_brake");
	expect_in_backtrace(brake_then_wheel, "brake_then_wheel");
	lock_check_forget(&wheel);
	lock_check_forget(&brake);
}

/* Once the wrong order is known it is not told again. */
TEST(lock_check, inversion_is_reported_once)
{
	spinlock_t a = SPINLOCK_INIT, b = SPINLOCK_INIT;

	one_inside_other(&a, &b);
	one_inside_other(&b, &a);
	EXPECT_REPORT(LOCK_FAULT_ORDER);
	one_inside_other(&b, &a);
	one_inside_other(&a, &b);
	EXPECT_SILENT();
}

TEST(lock_check, three_locks_in_a_ring)
{
	spinlock_t rock, paper, scissors;

	spin_lock_init(&rock);
	spin_lock_init(&paper);
	spin_lock_init(&scissors);
	one_inside_other(&rock, &paper);
	one_inside_other(&paper, &scissors);
	EXPECT_SILENT();
	one_inside_other(&scissors, &rock);
	EXPECT_REPORT(LOCK_FAULT_ORDER);
	EXPECT_CONTAINS(reports.text, "now CPU 0 holds scissors, ");
	EXPECT_CONTAINS(reports.text, "takes rock at ");
	EXPECT_CONTAINS(reports.text, "earlier CPU 0 held rock, ");
	EXPECT_CONTAINS(reports.text, "took paper at ");
	EXPECT_CONTAINS(reports.text, "earlier CPU 0 held paper, ");
	EXPECT_CONTAINS(reports.text, "took scissors at ");
	lock_check_forget(&rock);
	lock_check_forget(&paper);
	lock_check_forget(&scissors);
}

/* Every lock that is held counts, not the last one alone. */
TEST(lock_check, outer_lock_counts)
{
	spinlock_t a = SPINLOCK_INIT, b = SPINLOCK_INIT, c = SPINLOCK_INIT;

	spin_lock(&a);
	EXPECT(spin_trylock(&b));
	spin_lock(&c);
	spin_unlock(&a);
	spin_unlock(&b);
	spin_unlock(&c);
	one_inside_other(&c, &a);
	EXPECT_REPORT(LOCK_FAULT_ORDER);
}

TEST(lock_check, one_order_is_silent)
{
	spinlock_t locks[6];
	struct rng rng;

	for (unsigned int i = 0; i < ARRAY_SIZE(locks); i++)
		locks[i] = (spinlock_t)SPINLOCK_INIT;
	rng_seed(&rng, test_seed());
	for (unsigned int round = 0; round < 200; round++) {
		uint64_t taken = rng_u64(&rng);

		for (unsigned int i = 0; i < ARRAY_SIZE(locks); i++)
			if (taken >> i & 1)
				spin_lock(&locks[i]);
		for (unsigned int i = 0; i < ARRAY_SIZE(locks); i++)
			if (taken >> i & 1)
				spin_unlock(&locks[i]);
	}
	EXPECT_SILENT();
	EXPECT_EQ(spin_locks_held(), 0);
}

/* Who only tries can't be waited for in a ring. */
TEST(lock_check, trying_is_no_order)
{
	spinlock_t a = SPINLOCK_INIT, b = SPINLOCK_INIT;

	one_inside_other(&a, &b);
	spin_lock(&b);
	EXPECT(spin_trylock(&a));
	spin_unlock(&a);
	spin_unlock(&b);
	EXPECT_SILENT();
}

/* … but what is taken inside comes after it. */
TEST(lock_check, tried_lock_is_held)
{
	spinlock_t a = SPINLOCK_INIT, b = SPINLOCK_INIT;

	EXPECT(spin_trylock(&b));
	spin_lock(&a);
	spin_unlock(&a);
	spin_unlock(&b);
	EXPECT_SILENT();
	one_inside_other(&a, &b);
	EXPECT_REPORT(LOCK_FAULT_ORDER);
}

/* --- classes -------------------------------------------------------------- */

struct node {
	spinlock_t lock;
};

static void make_nodes(struct node nodes[2])
{
	for (unsigned int i = 0; i < 2; i++)
		spin_lock_init(&nodes[i].lock);
}

static void in_order(spinlock_t *outer, unsigned int outer_subclass,
		     spinlock_t *inner, unsigned int inner_subclass)
{
	spin_lock_nested(outer, outer_subclass);
	spin_lock_nested(inner, inner_subclass);
	spin_unlock(inner);
	spin_unlock(outer);
}

TEST(lock_check, same_class)
{
	struct node nodes[2];

	make_nodes(nodes);
	one_inside_other(&nodes[0].lock, &nodes[1].lock);
	EXPECT_REPORT(LOCK_FAULT_SAME_CLASS);
	EXPECT_CONTAINS(reports.text, "takes nodes[i].lock and holds another "
				      "of its class\n");
	EXPECT_CONTAINS(reports.text, "takes it at ");
	EXPECT_CONTAINS(reports.text, "took the other at ");
	lock_check_forget(&nodes[0].lock);
}

TEST(lock_check, nested)
{
	struct node nodes[2];

	make_nodes(nodes);
	in_order(&nodes[0].lock, 0, &nodes[1].lock, 1);
	in_order(&nodes[1].lock, 0, &nodes[0].lock, 1);
	in_order(&nodes[1].lock, 1, &nodes[0].lock, 2);
	EXPECT_SILENT();
	in_order(&nodes[0].lock, 2, &nodes[1].lock, 0);
	EXPECT_REPORT(LOCK_FAULT_ORDER);
	EXPECT_CONTAINS(reports.text, "nodes[i].lock is taken while "
				      "nodes[i].lock/2 is held");
	lock_check_forget(&nodes[0].lock);
}

static void take(spinlock_t *lock)
{
	spin_lock(lock);
}

TEST(lock_check, classes_of_one_name)
{
	spinlock_t a = SPINLOCK_INIT, b = SPINLOCK_INIT;

	take(&a);
	take(&b);
	spin_unlock(&b);
	spin_unlock(&a);
	take(&b);
	take(&a);
	spin_unlock(&a);
	spin_unlock(&b);
	EXPECT_REPORT(LOCK_FAULT_ORDER);
	EXPECT_CONTAINS(reports.text, "lock order: lock#");
	EXPECT_CONTAINS(reports.text, "is taken while lock#");
}

/* Locks that come and go in one place do not fill the table. */
TEST(lock_check, places_are_used_again)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < 2 * LOCK_MAX_CLASSES; i++) {
		spinlock_t a = SPINLOCK_INIT, b = SPINLOCK_INIT;

		one_inside_other(&a, &b);
		one_inside_other(&b, &a);
		EXPECT_REPORT(LOCK_FAULT_ORDER);
		if (i == 0)
			nr = reports.graph->nr_classes;
		EXPECT_EQ(reports.graph->nr_classes, nr);
	}
}

/* --- holders -------------------------------------------------------------- */

/* The hook alone: the lock itself would wait for ever. */
TEST(lock_check, taken_twice)
{
	struct lock_place at = {LOCK_SITE("&lock"), NULL};
	spinlock_t lock;

	spin_lock_init(&lock);
	spin_lock(&lock);
	EXPECT(!spin_trylock(&lock));
	EXPECT_SILENT();
	lock_check_take(&lock, 0, &at);
	EXPECT_REPORT(LOCK_FAULT_TWICE);
	EXPECT_CONTAINS(reports.text, "lock taken twice: CPU 0 holds lock\n");
	EXPECT_CONTAINS(reports.text, "takes it at ");
	EXPECT_CONTAINS(reports.text, "and took it before at "
				      "tests/unit/debug/lock_check.c:");
	spin_unlock(&lock);
	lock_check_forget(&lock);
}

TEST(lock_check, given_up_twice)
{
	spinlock_t lock = SPINLOCK_INIT;

	spin_lock(&lock);
	spin_unlock(&lock);
	spin_unlock(&lock);
	EXPECT_REPORT(LOCK_FAULT_NOT_HELD);
	EXPECT_CONTAINS(reports.text, "gives up lock, which is free\n");
	EXPECT_CONTAINS(reports.text, "and it was taken last at ");
	EXPECT(spin_trylock(&lock));
	spin_unlock(&lock);
}

TEST(lock_check, given_up_without_being_taken)
{
	spinlock_t lock = SPINLOCK_INIT;

	spin_unlock(&lock);
	EXPECT_REPORT(LOCK_FAULT_NOT_HELD);
	EXPECT(!spin_is_locked(&lock));
}

static void take_here(void *lock)
{
	spin_lock((spinlock_t *)lock);
}

static void give_here(void *lock)
{
	spin_unlock((spinlock_t *)lock);
}

static void use_here(void *lock)
{
	take_here(lock);
	give_here(lock);
}

TEST(lock_check, given_up_by_another_cpu)
{
	spinlock_t lock = SPINLOCK_INIT;

	if (cpus_online() < 2)
		SKIP("needs 2 CPUs, have %u", cpus_online());
	cpu_call(1, take_here, &lock, true);
	spin_unlock(&lock);
	EXPECT_REPORT(LOCK_FAULT_NOT_HELD);
	EXPECT_CONTAINS(reports.text, "CPU 0 gives it up at ");
	EXPECT_CONTAINS(reports.text, "but CPU 1 took it at "
				      "tests/unit/debug/lock_check.c:");
	EXPECT(spin_is_locked(&lock));
	cpu_call(1, give_here, &lock, true);
	EXPECT(!spin_is_locked(&lock));
}

TEST(lock_check, given_up_in_any_order)
{
	spinlock_t a = SPINLOCK_INIT, b = SPINLOCK_INIT, c = SPINLOCK_INIT;
	spinlock_t last = SPINLOCK_INIT;

	spin_lock(&a);
	spin_lock(&b);
	EXPECT(spin_trylock(&c));
	spin_unlock(&b);
	EXPECT_EQ(spin_locks_held(), 2);
	use_here(&last);
	spin_unlock(&a);
	spin_unlock(&c);
	EXPECT_EQ(spin_locks_held(), 0);
	one_inside_other(&last, &b);
	EXPECT_SILENT();
	one_inside_other(&last, &c);
	EXPECT_REPORT(LOCK_FAULT_ORDER);
}

/* Beyond the table locks work as ever. */
TEST(lock_check, more_than_can_be_kept)
{
	spinlock_t locks[LOCK_MAX_HELD + 2];
	unsigned int held;
	struct quiet quiet;

	for (unsigned int i = 0; i < ARRAY_SIZE(locks); i++)
		locks[i] = (spinlock_t)SPINLOCK_INIT;
	quiet_begin(&quiet);
	for (unsigned int i = 0; i < ARRAY_SIZE(locks); i++)
		spin_lock(&locks[i]);
	held = spin_locks_held();
	for (unsigned int i = 0; i < ARRAY_SIZE(locks); i++)
		spin_unlock(&locks[i]);
	use_here(&locks[0]);
	quiet_end(&quiet);
	EXPECT_SILENT();
	EXPECT_EQ(held, LOCK_MAX_HELD);
	EXPECT_EQ(spin_locks_held(), 0);
	/* That is said the first time only. */
	if (*quiet.text)
		EXPECT_STREQ(quiet.text,
			     "lock check: more than 16 locks held by one CPU; "
			     "the rest is not checked\n");
}

TEST(lock_check, full_table_is_told_once)
{
	struct lock_table table = LOCK_TABLE("beads", 7);

	EXPECT_NO_LINE(lock_table_tell(&table));
	table.full = true;
	EXPECT_ONE_LINE(lock_table_tell(&table),
			"lock check: more than 7 beads; the rest is not "
			"checked\n");
	EXPECT_NO_LINE(lock_table_tell(&table));
}

/* --- interrupts ----------------------------------------------------------- */

/* As an interrupt handler. */
static void in_handler(void (*fn)(void *), void *arg)
{
	cpu_call(cpu_id(), fn, arg, true);
}

static void try_here(void *lock)
{
	if (spin_trylock((spinlock_t *)lock))
		give_here(lock);
}

static void use_irqsave(void *lock)
{
	unsigned long flags;

	spin_lock_irqsave((spinlock_t *)lock, flags);
	spin_unlock_irqrestore((spinlock_t *)lock, flags);
}

static void expect_interrupt_report(void)
{
	EXPECT_REPORT(LOCK_FAULT_INTERRUPT);
	EXPECT_CONTAINS(reports.text, "lock in interrupts: ");
	EXPECT_CONTAINS(reports.text, " in an interrupt handler at "
				      "tests/unit/debug/lock_check.c:");
	EXPECT_CONTAINS(reports.text, " with interrupts on at "
				      "tests/unit/debug/lock_check.c:");
}

TEST(lock_check, handler_takes_what_is_taken_with_interrupts_on)
{
	spinlock_t lock = SPINLOCK_INIT;

	if (!irq_enabled())
		SKIP("interrupts are off");
	use_here(&lock);
	in_handler(use_irqsave, &lock);
	expect_interrupt_report();
	EXPECT_CONTAINS(reports.text, "taken in interrupt handlers, and with "
				      "interrupts on\n");
}

TEST(lock_check, interrupts_on_around_what_a_handler_takes)
{
	spinlock_t lock = SPINLOCK_INIT;

	if (!irq_enabled())
		SKIP("interrupts are off");
	in_handler(use_here, &lock);
	use_irqsave(&lock);
	EXPECT_SILENT();
	use_here(&lock);
	expect_interrupt_report();
	use_here(&lock);
	EXPECT_SILENT();
}

/* Held with interrupts on, a lock that was only tried is in a handler's way
 * all the same. */
TEST(lock_check, tried_with_interrupts_on)
{
	spinlock_t lock = SPINLOCK_INIT;

	if (!irq_enabled())
		SKIP("interrupts are off");
	in_handler(use_here, &lock);
	try_here(&lock);
	expect_interrupt_report();
}

TEST(lock_check, handler_may_try)
{
	spinlock_t lock = SPINLOCK_INIT;

	if (!irq_enabled())
		SKIP("interrupts are off");
	use_here(&lock);
	in_handler(try_here, &lock);
	EXPECT_SILENT();
}

/* A handler waits for `door`, whose holder waits for `stairs`, whose holder was
 * interrupted by the handler. */
TEST(lock_check, handler_waits_over_another_lock)
{
	spinlock_t door, stairs;
	unsigned long flags;

	spin_lock_init(&door);
	spin_lock_init(&stairs);
	if (!irq_enabled())
		SKIP("interrupts are off");
	in_handler(use_here, &door);
	use_here(&stairs);
	EXPECT_SILENT();
	spin_lock_irqsave(&door, flags);
	spin_lock(&stairs);
	spin_unlock(&stairs);
	spin_unlock_irqrestore(&door, flags);
	expect_interrupt_report();
	EXPECT_CONTAINS(
		reports.text,
		"door is taken in interrupt handlers; stairs, taken while it "
		"is held, also with interrupts on\n");
	EXPECT_CONTAINS(reports.text, "earlier CPU 0 held door, taken at ");
	lock_check_forget(&door);
	lock_check_forget(&stairs);
}
