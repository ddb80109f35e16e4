/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_vmalloc: the benchmark that vmalloc is compared by, with the names,
 * parameters and lines of Linux's module of that name. `bench=test_vmalloc`
 * runs it. The time of a test is that of all of it: set-up, loops, tear-down.
 */
#include <arch/clock.h>
#include <lib/bench.h>
#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/param.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/random.h>
#include <mm/page_alloc.h>
#include <tests/bench/test_vmalloc.h>
#include <tests/bench/vmalloc_loops.h>

#define MAX_THREADS 65535U

/* 2000 loops keep the whole run at a few seconds under emulation. */
static unsigned int nr_threads = 1;
static bool sequential_test_order = true;
static int test_repeat_count = 1;
static int test_loop_count = 2000;
static unsigned int nr_pages;
static bool use_huge;
static unsigned int run_test_mask = UINT32_MAX;
static unsigned int nr_pcpu_objects = 35000;

PARAM_UINT("test_vmalloc.nr_threads", nr_threads, "workers: 1");
PARAM_BOOL("test_vmalloc.sequential_test_order", sequential_test_order,
	   "0: each worker shuffles the tests");
PARAM_INT("test_vmalloc.test_repeat_count", test_repeat_count,
	  "calls of each test");
PARAM_INT("test_vmalloc.test_loop_count", test_loop_count,
	  "loops in each call");
PARAM_UINT("test_vmalloc.nr_pages", nr_pages, "pages for id 1; 0: one");
PARAM_BOOL("test_vmalloc.use_huge", use_huge,
	   "2 MiB pages for id 1: 0, there are none here");
PARAM_UINT("test_vmalloc.run_test_mask", run_test_mask,
	   "sum of test ids: 1, 2, 4, 8; all ones: every test");
PARAM_UINT("test_vmalloc.nr_pcpu_objects", nr_pcpu_objects,
	   "objects for id 128, which is not here");

/* ---- tests: 0 is passed ------------------------------------------------- */

static int fix_size_alloc_test(unsigned long loops)
{
	return fix_size_loop(loops, max(nr_pages, 1U));
}

static int full_fit_alloc_test(unsigned long loops)
{
	struct full_fit f;
	int err = full_fit_setup(&f);

	if (!err)
		err = full_fit_loop(loops);
	full_fit_teardown(&f);
	return err;
}

static int long_busy_list_alloc_test(unsigned long loops)
{
	void *array;
	int err = long_busy_setup(&array);

	if (!err)
		err = long_busy_loop(loops);
	long_busy_teardown(array);
	return err;
}

static int random_size_alloc_test(unsigned long loops)
{
	struct rng rng;

	rng_seed(&rng, VMALLOC_LOOPS_SEED);
	return random_size_loop(loops, &rng);
}

static size_t fix_size_pages(void)
{
	return (size_t)max(nr_pages, 1U) + 64;
}

static size_t random_size_pages(void)
{
	return 100 + 64;
}

static const struct vmalloc_test {
	const char *name;
	unsigned int id; /* a bit of run_test_mask */
	int (*run)(unsigned long loops);
	size_t (*pages)(void); /* that have to be free */
} tests[] = {
	{"fix_size_alloc_test", 1, fix_size_alloc_test, fix_size_pages},
	{"full_fit_alloc_test", 2, full_fit_alloc_test, full_fit_pages},
	{"long_busy_list_alloc_test", 4, long_busy_list_alloc_test,
	 long_busy_pages},
	{"random_size_alloc_test", 8, random_size_alloc_test,
	 random_size_pages},
};

#define NR_TESTS ARRAY_SIZE(tests)

struct outcome {
	unsigned int passed, failed;
	uint64_t usec; /* of one call */
	bool ran;
};

/* ---- parameters --------------------------------------------------------- */

static unsigned int known_ids(void)
{
	unsigned int ids = 0;

	for (unsigned int i = 0; i < NR_TESTS; i++)
		ids |= tests[i].id;
	return ids;
}

static unsigned int wanted_ids(void)
{
	return run_test_mask == UINT32_MAX ? known_ids() : run_test_mask;
}

/* Return: NULL, or why nothing can be run. */
static const char *refusal(void)
{
	static char why[96];
	unsigned int unknown = wanted_ids() & ~known_ids();

	if (unknown || !wanted_ids())
		snprintf(why, sizeof(why),
			 "test_vmalloc.run_test_mask=%u: no tests with the ids "
			 "%u, those there are sum up to %u",
			 run_test_mask, unknown, known_ids());
	else if (clamp(nr_threads, 1U, MAX_THREADS) != 1)
		snprintf(why, sizeof(why),
			 "test_vmalloc.nr_threads=%u: one worker is all there "
			 "is",
			 nr_threads);
	else if (nr_pages > nr_free_pages())
		snprintf(why, sizeof(why),
			 "test_vmalloc.nr_pages=%u: only %zu pages are free",
			 nr_pages, nr_free_pages());
	else if (use_huge)
		snprintf(why, sizeof(why),
			 "test_vmalloc.use_huge=1: vmalloc has no 2 MiB pages");
	else
		return NULL;
	return why;
}

/* ---- the worker --------------------------------------------------------- */

/* Fill @order with the tests' indices, shuffled unless it is sequential. */
static void make_order(unsigned int order[NR_TESTS])
{
	struct rng rng;

	for (unsigned int i = 0; i < NR_TESTS; i++)
		order[i] = i;
	rng_seed(&rng, VMALLOC_LOOPS_SEED);
	if (!sequential_test_order)
		rng_shuffle(&rng, order, NR_TESTS, sizeof(*order));
}

static bool enough_memory(const struct vmalloc_test *t)
{
	unsigned long needs = t->pages(), free = nr_free_pages();

	if (free >= needs)
		return true;
	printk("test_vmalloc: %s skipped: needs %lu MiB, %lu MiB are free\n",
	       t->name, (needs + 255) / 256, free / 256);
	return false;
}

static void run_one(const struct vmalloc_test *t, unsigned int repeat,
		    unsigned long loops, struct outcome *o)
{
	uint64_t start;

	if (!(wanted_ids() & t->id) || !enough_memory(t))
		return;
	start = clock_ticks();
	for (unsigned int i = 0; i < repeat; i++) {
		if (t->run(loops))
			o->failed++;
		else
			o->passed++;
	}
	o->usec = clock_ticks_to_ns(clock_ticks() - start) / 1000 / repeat;
	o->ran = true;
}

const char *test_vmalloc_run(void)
{
	const char *why = refusal();
	unsigned int repeat = (unsigned int)max(test_repeat_count, 1);
	unsigned int loops = (unsigned int)max(test_loop_count, 1);
	struct outcome outcomes[NR_TESTS] = {0};
	unsigned int order[NR_TESTS];
	uint64_t start;

	if (why)
		return why;
	make_order(order);
	start = clock_ticks();
	for (unsigned int i = 0; i < NR_TESTS; i++)
		run_one(&tests[order[i]], repeat, loops, &outcomes[order[i]]);
	start = clock_ticks() - start;
	for (unsigned int i = 0; i < NR_TESTS; i++) {
		const struct outcome *o = &outcomes[i];

		if (!o->ran)
			continue;
		printk("Summary: %s passed: %u failed: %u xfailed: 0 "
		       "repeat: %u loops: %u avg: %lu usec\n",
		       tests[i].name, o->passed, o->failed, repeat, loops,
		       o->usec);
		if (o->failed)
			why = "a test failed";
	}
	printk("All test took worker0=%lu cycles\n", start);
	return why;
}

BENCH(test_vmalloc, .ops = 1, .cold = true)
{
	const char *why;

	bench_begin(b);
	why = test_vmalloc_run();
	bench_end(b);
	if (why)
		bench_fail(b, "%s", why);
}
