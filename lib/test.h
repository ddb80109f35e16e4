/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests that run inside the kernel.
 *
 *   TEST(list, add_puts_in_front)
 *   {
 *           ...
 *           REQUIRE_NOT_NULL(p);
 *           EXPECT_EQ(list_length(&head), 2);
 *   }
 *
 * A case registers itself by standing in a file that is linked in. Cases of one
 * suite run in the order of their file, suites in the order of their names.
 * Output is KTAP version 1.
 *
 * EXPECT_… notes a failure, prints both values and goes on; REQUIRE_… also
 * returns from the case. Integers compare by value, whatever their types: -1 is
 * less than 1u. Both kinds and test_log may be used on any CPU that works for
 * the running case; REQUIRE_… and SKIP only in functions that return void.
 */
#ifndef LIB_TEST_H
#define LIB_TEST_H

#include <arch/cpumask.h>
#include <lib/compiler.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct test_case {
	const char *suite, *name;
	void (*run)(void);
};

/* What a suite needs beyond its cases; a suite without needs has none. */
struct test_suite {
	const char *name;
	void (*setup)(void);    /* before its first case; may EXPECT, SKIP */
	void (*teardown)(void); /* after its last case, when setup succeeded */
	size_t min_pages;       /* free pages; with fewer it is skipped */
	unsigned int min_cpus;  /* online */
	const char *why;        /* it needs that, for the skip line */
};

/* A test case as a member of the linker set @set. */
#define TEST_IN(set, suite_, name_)                                            \
	static void test_##suite_##__##name_(void);                            \
	static const struct test_case test_case_##suite_##__##name_ = {        \
		.suite = #suite_,                                              \
		.name = #name_,                                                \
		.run = test_##suite_##__##name_,                               \
	};                                                                     \
	LINKER_SET(set, test_case_##suite_##__##name_);                        \
	static void test_##suite_##__##name_(void)

#define TEST_SUITE_IN(set, suite_, ...)                                        \
	static const struct test_suite test_suite_##suite_ = {.name = #suite_, \
							      __VA_ARGS__};    \
	LINKER_SET(set, test_suite_##suite_)

#define TEST(suite_, name_)     TEST_IN(test_cases, suite_, name_)
#define TEST_SUITE(suite_, ...) TEST_SUITE_IN(test_suites, suite_, __VA_ARGS__)

/* A value of any scalar type, kept for comparison and print. */
struct test_value {
	enum {
		TEST_SIGNED,
		TEST_UNSIGNED,
		TEST_BOOL,
		TEST_POINTER,
	} type;
	uint64_t bits;
};

#define TEST_VALUE(x)                                                          \
	((struct test_value){_Generic((x), bool                                \
				      : TEST_BOOL, char                        \
				      : TEST_SIGNED, signed char               \
				      : TEST_SIGNED, short                     \
				      : TEST_SIGNED, int                       \
				      : TEST_SIGNED, long                      \
				      : TEST_SIGNED, long long                 \
				      : TEST_SIGNED, unsigned char             \
				      : TEST_UNSIGNED, unsigned short          \
				      : TEST_UNSIGNED, unsigned int            \
				      : TEST_UNSIGNED, unsigned long           \
				      : TEST_UNSIGNED, unsigned long long      \
				      : TEST_UNSIGNED, default                 \
				      : TEST_POINTER),                         \
			     (uint64_t)(uintptr_t)(x)})

enum test_op {
	TEST_EQ,
	TEST_NE,
	TEST_LT,
	TEST_LE,
	TEST_GT,
	TEST_GE,
};

/* Where an expectation stands and how it is written there. */
struct test_site {
	const char *macro, *a, *b; /* b may be NULL */
	const char *file;
	int line;
};

/* What the macros below call. Return: true when the expectation holds. */
bool test_expect(const struct test_site *site, bool holds);
bool test_expectf(const struct test_site *site, bool holds, const char *fmt,
		  ...) __printf(3, 4);
bool test_compare(const struct test_site *site, enum test_op op,
		  struct test_value a, struct test_value b);
bool test_string_equal(const struct test_site *site, const char *a,
		       const char *b);
bool test_string_contains(const struct test_site *site, const char *s,
			  const char *part);
void test_skip(const char *fmt, ...) __printf(1, 2);

#define TEST_SITE(macro_, a_, b_)                                              \
	({                                                                     \
		static const struct test_site site_ = {macro_, a_, b_,         \
						       __FILE__, __LINE__};    \
		&site_;                                                        \
	})
#define TEST_COMPARE(macro, op, a, a_text, b, b_text)                          \
	test_compare(TEST_SITE(macro, a_text, b_text), op, TEST_VALUE(a),      \
		     TEST_VALUE(b))

#define EXPECT(cond)                                                           \
	((void)test_expect(TEST_SITE("EXPECT", #cond, NULL), (cond)))
/* With a message, which should carry the values. */
#define EXPECTF(cond, ...)                                                     \
	((void)test_expectf(TEST_SITE("EXPECT", #cond, NULL), (cond),          \
			    __VA_ARGS__))
#define EXPECT_EQ(a, b) ((void)TEST_COMPARE("EXPECT_EQ", TEST_EQ, a, #a, b, #b))
#define EXPECT_NE(a, b) ((void)TEST_COMPARE("EXPECT_NE", TEST_NE, a, #a, b, #b))
#define EXPECT_LT(a, b) ((void)TEST_COMPARE("EXPECT_LT", TEST_LT, a, #a, b, #b))
#define EXPECT_LE(a, b) ((void)TEST_COMPARE("EXPECT_LE", TEST_LE, a, #a, b, #b))
#define EXPECT_GT(a, b) ((void)TEST_COMPARE("EXPECT_GT", TEST_GT, a, #a, b, #b))
#define EXPECT_GE(a, b) ((void)TEST_COMPARE("EXPECT_GE", TEST_GE, a, #a, b, #b))
#define EXPECT_NULL(p)                                                         \
	((void)TEST_COMPARE("EXPECT_NULL", TEST_EQ, p, #p, NULL, NULL))
#define EXPECT_NOT_NULL(p)                                                     \
	((void)TEST_COMPARE("EXPECT_NOT_NULL", TEST_NE, p, #p, NULL, NULL))
/* Strings; a NULL equals NULL only and contains nothing. */
#define EXPECT_STREQ(a, b)                                                     \
	((void)test_string_equal(TEST_SITE("EXPECT_STREQ", #a, #b), a, b))
#define EXPECT_CONTAINS(s, part)                                               \
	((void)test_string_contains(TEST_SITE("EXPECT_CONTAINS", #s, #part),   \
				    s, part))

#define TEST_RETURN_UNLESS(holds)                                              \
	do {                                                                   \
		if (!(holds))                                                  \
			return;                                                \
	} while (0)

#define REQUIRE(cond)                                                          \
	TEST_RETURN_UNLESS(                                                    \
		test_expect(TEST_SITE("REQUIRE", #cond, NULL), (cond)))
#define REQUIREF(cond, ...)                                                    \
	TEST_RETURN_UNLESS(test_expectf(TEST_SITE("REQUIRE", #cond, NULL),     \
					(cond), __VA_ARGS__))
#define REQUIRE_EQ(a, b)                                                       \
	TEST_RETURN_UNLESS(TEST_COMPARE("REQUIRE_EQ", TEST_EQ, a, #a, b, #b))
#define REQUIRE_NE(a, b)                                                       \
	TEST_RETURN_UNLESS(TEST_COMPARE("REQUIRE_NE", TEST_NE, a, #a, b, #b))
#define REQUIRE_LT(a, b)                                                       \
	TEST_RETURN_UNLESS(TEST_COMPARE("REQUIRE_LT", TEST_LT, a, #a, b, #b))
#define REQUIRE_LE(a, b)                                                       \
	TEST_RETURN_UNLESS(TEST_COMPARE("REQUIRE_LE", TEST_LE, a, #a, b, #b))
#define REQUIRE_GT(a, b)                                                       \
	TEST_RETURN_UNLESS(TEST_COMPARE("REQUIRE_GT", TEST_GT, a, #a, b, #b))
#define REQUIRE_GE(a, b)                                                       \
	TEST_RETURN_UNLESS(TEST_COMPARE("REQUIRE_GE", TEST_GE, a, #a, b, #b))
#define REQUIRE_NULL(p)                                                        \
	TEST_RETURN_UNLESS(                                                    \
		TEST_COMPARE("REQUIRE_NULL", TEST_EQ, p, #p, NULL, NULL))
#define REQUIRE_NOT_NULL(p)                                                    \
	TEST_RETURN_UNLESS(                                                    \
		TEST_COMPARE("REQUIRE_NOT_NULL", TEST_NE, p, #p, NULL, NULL))

/* Leave the case: it can't run here, for the reason given. */
#define SKIP(...)                                                              \
	do {                                                                   \
		test_skip(__VA_ARGS__);                                        \
		return;                                                        \
	} while (0)

/* Print a `# ` line below the running case; without a newline of its own. */
void test_log(const char *fmt, ...) __printf(1, 2);

/* Return: the seed that the running case uses; another for each repeat. In a
 * benchmark, what seed= said. */
uint64_t test_seed(void);

/* Boot parameters: test=GLOB ("" when none was given), repeat=N. */
extern char test_glob[64];
extern unsigned int test_repeat;

/* Leaf tests; a leak check counts as one. */
struct test_result {
	unsigned int passed, failed, skipped;
};

/*
 * Run the cases that @glob matches as `suite` or as `suite.case`; NULL: as the
 * boot parameter test= says, or all. A glob that matches nothing is a failure.
 * Context: a thread; whatever the cases need.
 */
struct test_result test_run(const char *glob);

/* Counters that must be after a suite what they were before it. */
struct leak_check {
	/* Bring the subject to rest and write at most @max values with their
	 * names. Return: how many; the same each time. */
	size_t (*snapshot)(uint64_t values[], const char *names[], size_t max);
};

/* Check @check around each suite from now on; NULL: no longer. */
void test_set_leak_check(const struct leak_check *check);

/* What else the machine was told: a kernel command line that stays. Its words
 * are part of what reproduces a failure. */
void test_set_words(const char *cmdline);

/* Returns how many pages are free now. */
typedef size_t (*test_pages_fn)(void);

/*
 * Judge min_pages by @free_pages from now on; NULL: pages are always enough.
 * Return: the function that judged before.
 */
test_pages_fn test_set_free_pages(test_pages_fn free_pages);

/*
 * Call @fn(@arg) on each CPU of @mask, all online, at once, in a thread, which
 * may allocate with GFP_KERNEL and flush TLBs, and return when all are done;
 * without a runner: on this CPU only. A CPU that can't fails the case.
 * EXPECT_… and REQUIRE_… may be used in @fn; REQUIRE_… returns from it alone.
 * Context: a test case.
 */
void test_run_on_cpus(cpumask_t mask, void (*fn)(void *arg), void *arg);

typedef void (*test_runner_fn)(cpumask_t mask, void (*fn)(void *arg),
			       void *arg);

/* Have @runner do what test_run_on_cpus() says from now on; NULL: nobody.
 * Return: who did it before. */
test_runner_fn test_set_runner(test_runner_fn runner);

/* Print the line that reproduces the running case, if one runs: for panic. */
void test_print_reproduce(void);

#endif
