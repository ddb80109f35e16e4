/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of a test session: KTAP version 1, then lines for people. Suites
 * are nested tests, indented by two spaces.
 */
#include <lib/math.h>
#include <lib/test_core.h>

void test_report_begin(const struct test_session *session)
{
	printk("KTAP version 1\n1..%u\n", session->nr_suites);
}

void test_report_suite_begin(const struct test_session *session,
			     unsigned int nr_leaves)
{
	printk("  KTAP version 1\n  # Subtest: %s\n  1..%u\n", session->suite,
	       nr_leaves);
}

void test_report_leaf(const struct test_session *session, unsigned int number)
{
	const char *result = session->failures ? "not ok" : "ok";

	if (!session->failures && session->skipped)
		printk("  %s %u %s # SKIP %s\n", result, number, session->leaf,
		       session->reason);
	else
		printk("  %s %u %s\n", result, number, session->leaf);
}

void test_report_suite_end(const struct test_session *session,
			   unsigned int number, bool passed)
{
	printk("%s %u %s\n", passed ? "ok" : "not ok", number, session->suite);
}

/* Where no case failed but the suite around them, the suite reproduces it. */
static void print_reproduce(const struct test_failure *failure)
{
	const struct test_case *c = failure->test_case;

	printk("reproduce: test=%s%s%s seed=%lu\n", failure->suite,
	       c ? "." : "", c ? c->name : "", failure->seed);
}

void test_print_reproduce(void)
{
	const struct test_session *session = test_session;

	if (session && session->test_case)
		print_reproduce(&(struct test_failure){session->suite,
						       session->test_case,
						       session->leaf_seed});
}

void test_report_end(const struct test_session *session)
{
	unsigned int shown =
		min(session->nr_failed, (unsigned int)TEST_MAX_REMEMBER);

	printk("Summary: %u passed, %u failed, %u skipped\n",
	       session->result.passed, session->result.failed,
	       session->result.skipped);
	for (unsigned int i = 0; i < shown; i++)
		print_reproduce(&session->failed[i]);
	if (shown < session->nr_failed)
		printk("reproduce: %u more\n", session->nr_failed - shown);
}
