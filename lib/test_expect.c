/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expectations. The good case is short; a failure prints one line, in which the
 * values come last:
 *
 *   # EXPECT_EQ(a, b) failed at tests/unit/x.c:12: a = 3 (0x3), b = 4 (0x4)
 */
#include <lib/panic.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/spinlock.h>
#include <lib/string.h>
#include <lib/test_core.h>
#include <stdarg.h>

/* Keeps lines of several CPUs that work for one case whole. */
static spinlock_t report_lock = SPINLOCK_INIT;

struct report {
	struct printk_capture *capture; /* the case's own */
	unsigned long flags;
};

/* Begin a line of the report, which a capture of the case must not swallow. */
static void begin_line(struct report *report)
{
	ASSERTF(test_session, "an expectation outside of a test");
	spin_lock_irqsave(&report_lock, report->flags);
	report->capture = printk_set_capture(test_session->capture);
	printk("  # ");
}

static void end_line(struct report *report)
{
	printk("\n");
	printk_set_capture(report->capture);
	spin_unlock_irqrestore(&report_lock, report->flags);
}

/* Count a failure. Return: true when it is to be printed. */
static bool count_failure(void)
{
	unsigned int before = atomic_fetch_add(&test_session->failures, 1);

	if (before == TEST_MAX_SHOWN)
		test_log("more failures are not shown");
	return before < TEST_MAX_SHOWN;
}

/* Count the failure of @site and begin its line. Return: false when no line is
 * to be printed. */
static bool begin_failure(struct report *report, const struct test_site *site)
{
	if (!count_failure())
		return false;
	begin_line(report);
	printk("%s(%s%s%s) failed at %s:%d", site->macro, site->a,
	       site->b ? ", " : "", site->b ? site->b : "", site->file,
	       site->line);
	return true;
}

bool test_compare(const struct test_site *site, enum test_op op,
		  struct test_value a, struct test_value b)
{
	struct report report;

	if (likely(test_value_holds(op, a, b)))
		return true;
	if (begin_failure(&report, site)) {
		printk(": ");
		test_print_value(site->a, a);
		if (site->b) {
			printk(", ");
			test_print_value(site->b, b);
		}
		end_line(&report);
	}
	return false;
}

bool test_expect(const struct test_site *site, bool holds)
{
	struct report report;

	if (!holds && begin_failure(&report, site))
		end_line(&report);
	return holds;
}

bool test_expectf(const struct test_site *site, bool holds, const char *fmt,
		  ...)
{
	struct report report;
	va_list args;

	if (!holds && begin_failure(&report, site)) {
		printk(": ");
		va_start(args, fmt);
		vprintk(fmt, args);
		va_end(args);
		end_line(&report);
	}
	return holds;
}

static bool expect_strings(const struct test_site *site, bool holds,
			   const char *a, const char *b)
{
	struct report report;

	if (!holds && begin_failure(&report, site)) {
		printk(": ");
		test_print_string(site->a, a);
		printk(", ");
		test_print_string(site->b, b);
		end_line(&report);
	}
	return holds;
}

bool test_string_equal(const struct test_site *site, const char *a,
		       const char *b)
{
	return expect_strings(site, a && b ? !strcmp(a, b) : a == b, a, b);
}

bool test_string_contains(const struct test_site *site, const char *s,
			  const char *part)
{
	return expect_strings(site, s && part && strstr(s, part), s, part);
}

void test_fail(const char *fmt, ...)
{
	struct report report;
	va_list args;

	if (!count_failure())
		return;
	begin_line(&report);
	va_start(args, fmt);
	vprintk(fmt, args);
	va_end(args);
	end_line(&report);
}

void test_log(const char *fmt, ...)
{
	struct report report;
	va_list args;

	begin_line(&report);
	va_start(args, fmt);
	vprintk(fmt, args);
	va_end(args);
	end_line(&report);
}

void test_skip(const char *fmt, ...)
{
	va_list args;

	ASSERTF(test_session, "SKIP outside of a test");
	va_start(args, fmt);
	vscnprintf(test_session->reason, sizeof(test_session->reason), fmt,
		   args);
	va_end(args);
	test_session->skipped = true;
}

uint64_t test_seed(void)
{
	return test_session ? test_session->leaf_seed : test_base_seed;
}
