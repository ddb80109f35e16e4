/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a test session.
 *
 * A leaf is what gets a result line within a suite: each case, and the leak
 * check. It fails by failed expectations, counted in session->failures; the
 * same counter serves set-up and tear-down, which are no leaves: a failed
 * set-up fails every case, a failed tear-down the suite.
 */
#include <lib/math.h>
#include <lib/test_core.h>

struct test_session *test_session;

/* Clear what the last leaf left. @leaf NULL: set-up or tear-down; @c NULL: no
 * case. */
static void begin_leaf(struct test_session *session, const char *leaf,
		       const struct test_case *c)
{
	session->leaf = leaf;
	session->test_case = c;
	session->leaf_seed = session->seed;
	session->failures = 0;
	session->skipped = false;
}

/* Run test code; a capture that it left open is ended. */
static void run_code(struct test_session *session, void (*code)(void))
{
	code();
	printk_set_capture(session->capture);
}

static void remember_failure(struct test_session *session)
{
	session->result.failed++;
	if (session->nr_failed < TEST_MAX_REMEMBER)
		session->failed[session->nr_failed] = (struct test_failure){
			session->suite, session->test_case, session->leaf_seed};
	session->nr_failed++;
}

/* Count the leaf's outcome and report it. Return: false when it failed. */
static bool end_leaf(struct test_session *session, unsigned int number)
{
	bool failed = session->failures > 0;

	if (failed)
		remember_failure(session);
	else if (session->skipped)
		session->result.skipped++;
	else
		session->result.passed++;
	test_report_leaf(session, number);
	return !failed;
}

/* Run @c as often as asked, each time with another seed, until it fails. */
static void run_case(struct test_session *session, const struct test_case *c)
{
	unsigned int repeat = max(session->repeat, 1U);

	for (unsigned int i = 0; i < repeat; i++) {
		session->leaf_seed = session->seed + i;
		run_code(session, c->run);
		if (session->failures || session->skipped)
			return;
	}
}

/* How the cases of a suite are run. */
enum mode {
	RUN_ALL,
	SKIP_ALL, /* session->reason says why */
	FAIL_ALL,
};

/* Return: whether the suite's cases can be run now. */
static enum mode set_up(struct test_session *session,
			const struct test_suite *needs)
{
	if (!needs)
		return RUN_ALL;
	if (!test_machine_has(needs->min_pages, needs->min_cpus, needs->why,
			      session->reason, sizeof(session->reason)))
		return SKIP_ALL;
	if (!needs->setup)
		return RUN_ALL;
	begin_leaf(session, NULL, NULL);
	run_code(session, needs->setup);
	if (session->failures)
		return FAIL_ALL;
	return session->skipped ? SKIP_ALL : RUN_ALL;
}

/* Return: false when it failed. */
static bool tear_down(struct test_session *session,
		      const struct test_suite *needs)
{
	if (!needs || !needs->teardown)
		return true;
	begin_leaf(session, NULL, NULL);
	run_code(session, needs->teardown);
	if (session->failures)
		remember_failure(session);
	return !session->failures;
}

/* Return: false when a case failed. */
static bool run_cases(struct test_session *session,
		      const struct test_planned *planned, enum mode mode)
{
	const struct test_set *set = &session->set;
	unsigned int number = 0;
	bool passed = true;

	for (const struct test_case *const *it = set->cases;
	     it < set->cases_end; it++) {
		if (!test_selects(session, planned, *it))
			continue;
		begin_leaf(session, (*it)->name, *it);
		if (mode == RUN_ALL)
			run_case(session, *it);
		else if (mode == SKIP_ALL)
			session->skipped = true;
		else
			test_fail("not run, since the set-up failed");
		passed &= end_leaf(session, ++number);
	}
	return passed;
}

/* Return: false when counters differ from those before the suite. */
static bool run_leak_check(struct test_session *session, unsigned int number)
{
	begin_leaf(session, "leak_check", NULL);
	test_leak_after(session);
	return end_leaf(session, number);
}

static void run_suite(struct test_session *session, unsigned int i)
{
	const struct test_planned *planned = &session->suites[i];
	enum mode mode;
	bool passed;

	session->suite = planned->name;
	test_report_suite_begin(session,
				planned->nr_cases + (session->leak != NULL));
	if (session->leak)
		test_leak_before(session);
	mode = set_up(session, planned->needs);
	passed = run_cases(session, planned, mode);
	if (mode == RUN_ALL)
		passed &= tear_down(session, planned->needs);
	if (session->leak)
		passed &= run_leak_check(session, planned->nr_cases + 1);
	test_report_suite_end(session, i + 1, passed);
}

struct test_result test_session_run(struct test_session *session)
{
	struct test_session *outer = test_session;

	session->capture = printk_set_capture(NULL);
	printk_set_capture(session->capture);
	test_session = session;
	if (!test_plan(session)) {
		printk("test=\"%s\": no test matches\n", session->glob);
		session->result.failed++;
	} else {
		test_report_begin(session);
		for (unsigned int i = 0; i < session->nr_suites; i++)
			run_suite(session, i);
	}
	session->test_case = NULL;
	test_session = outer;
	test_report_end(session);
	return session->result;
}
