/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of a test session: KTAP version 1, then lines for people. Suites
 * are nested tests, indented by two spaces.
 */
#include <lib/math.h>
#include <lib/param.h>
#include <lib/string.h>
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

/* Words that say what the machine is to do, not what it is like. */
static bool chooses_work(const char *word, size_t len)
{
	static const char *const names[] = {"test", "seed", "prompt"};
	bool quoted = len && *word == '"';

	word += quoted;
	len -= quoted;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t n = strlen(names[i]);

		if (len >= n && !strncmp(word, names[i], n) &&
		    (len == n || word[n] == '='))
			return true;
	}
	return false;
}

/* Print the words of @cmdline that a failure may have come from. */
static void print_words(const char *cmdline)
{
	size_t len = 0;

	for (const char *word = param_next_word(cmdline, &len); word;
	     word = param_next_word(word + len, &len)) {
		if (!chooses_work(word, len))
			printk(" %.*s", (int)len, word);
	}
}

/* Where no case failed but the suite around them, the suite reproduces it. */
static void print_reproduce(const struct test_session *session,
			    const struct test_failure *failure)
{
	const struct test_case *c = failure->test_case;

	printk("reproduce: test=%s%s%s seed=%lu", failure->suite, c ? "." : "",
	       c ? c->name : "", failure->seed);
	if (session->words)
		print_words(session->words);
	printk("\n");
}

void test_print_reproduce(void)
{
	const struct test_session *session = test_session;

	if (session && session->test_case)
		print_reproduce(session,
				&(struct test_failure){session->suite,
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
		print_reproduce(session, &session->failed[i]);
	if (shown < session->nr_failed)
		printk("reproduce: %u more\n", session->nr_failed - shown);
}
