/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the test core: what its files share, and what its own tests use.
 *
 *   test_plan.c     which cases run, in which order
 *   test_run.c      runs them
 *   test_expect.c   expectations, called by the cases
 *   test_value.c    compares and prints the values in them
 *   test_report.c   the KTAP lines and the summary
 *   test_machine.c  has the machine what a suite needs?
 *   test_leak.c     the leak check
 *   test_param.c    boot parameters, and test_run() for the rest of the kernel
 *
 * A session is one run over one set of tests. A case may run a session of its
 * own over another set: so the core is tested by itself.
 */
#ifndef LIB_TEST_CORE_H
#define LIB_TEST_CORE_H

#include <lib/printk.h>
#include <lib/test.h>
#include <stdatomic.h>

#define TEST_MAX_SUITES   128
#define TEST_MAX_VALUES   64 /* of a leak check */
#define TEST_MAX_REMEMBER 16 /* failures listed at the end */
#define TEST_MAX_SHOWN    20 /* failed expectations printed in one case */
#define TEST_MAX_NAME     128
#define TEST_MAX_REASON   128

/* All tests of two linker sets. */
struct test_set {
	const struct test_case *const *cases, *const *cases_end;
	const struct test_suite *const *suites, *const *suites_end;
};

#define TEST_SET(case_set, suite_set)                                          \
	((struct test_set){                                                    \
		LINKER_SET_BOUND(start, case_set, const struct test_case),     \
		LINKER_SET_BOUND(stop, case_set, const struct test_case),      \
		LINKER_SET_BOUND(start, suite_set, const struct test_suite),   \
		LINKER_SET_BOUND(stop, suite_set, const struct test_suite)})

/* A suite of which at least one case is selected. */
struct test_planned {
	const char *name;
	const struct test_suite *needs; /* NULL: none */
	unsigned int nr_cases;          /* selected */
	bool all;                       /* the glob matches the suite's name */
};

struct test_counters {
	size_t nr;
	uint64_t values[TEST_MAX_VALUES];
	const char *names[TEST_MAX_VALUES];
};

struct test_failure {
	const char *suite;
	const struct test_case *test_case; /* NULL: the suite around them */
	uint64_t seed;
};

struct test_session {
	/* Given by the caller, all else being zero. */
	struct test_set set;
	const char *glob;
	uint64_t seed;
	unsigned int repeat;           /* runs of each case; 0 means 1 */
	const struct leak_check *leak; /* NULL: none */
	const char *words;             /* a command line; NULL: none */

	/* The plan, in the order of names. */
	struct test_planned suites[TEST_MAX_SUITES];
	unsigned int nr_suites;

	/* The suite and the leaf that run now. */
	const char *suite;
	const struct test_case *test_case; /* NULL: none */
	const char *leaf;                  /* NULL: set-up or tear-down */
	uint64_t leaf_seed;
	_Atomic unsigned int failures; /* of expectations, in the leaf */
	bool skipped;
	char reason[TEST_MAX_REASON];   /* why it is skipped */
	struct printk_capture *capture; /* where the report goes */
	struct test_counters before;    /* the suite */

	/* The outcome. */
	struct test_result result;
	struct test_failure failed[TEST_MAX_REMEMBER];
	unsigned int nr_failed; /* may be more than are remembered */
};

/* The innermost session that runs; NULL: none. */
extern struct test_session *test_session;

/* What seed= said. */
extern uint64_t test_base_seed;

/* What test_set_words() was told. */
extern const char *test_words;

/* Run @session. Return: its result. Context: as test_run. */
struct test_result test_session_run(struct test_session *session);

/* Make the plan. Return: false when the glob selects nothing. */
bool test_plan(struct test_session *session);

/* Return: true when @c is a selected case of the planned suite @planned. */
bool test_selects(const struct test_session *session,
		  const struct test_planned *planned,
		  const struct test_case *c);

/*
 * Say in the @size bytes at @reason what the machine lacks of @min_pages free
 * pages and @min_cpus CPUs, and @why (may be NULL) they are needed.
 * Return: true when it lacks nothing.
 */
bool test_machine_has(size_t min_pages, unsigned int min_cpus, const char *why,
		      char *reason, size_t size);

/* Fail the leaf that runs, with a message of one line. */
void test_fail(const char *fmt, ...) __printf(1, 2);

/* Return: true when a @op b; integers compare by value, whatever their types.
 */
bool test_value_holds(enum test_op op, struct test_value a,
		      struct test_value b);

/* Print `text = value`; a string in quotes, on one line whatever is in it. */
void test_print_value(const char *text, struct test_value value);
void test_print_string(const char *text, const char *s);

/* Take the counters before a suite; after it fail the leaf that runs for each
 * one that differs. */
void test_leak_before(struct test_session *session);
void test_leak_after(struct test_session *session);

/* The lines of the report, in this order. */
void test_report_begin(const struct test_session *session);
void test_report_suite_begin(const struct test_session *session,
			     unsigned int nr_leaves);
void test_report_leaf(const struct test_session *session, unsigned int number);
void test_report_suite_end(const struct test_session *session,
			   unsigned int number, bool passed);
void test_report_end(const struct test_session *session);

#endif
