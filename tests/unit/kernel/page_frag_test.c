/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_frag_test: from CPU to CPU, on one, aligned, refused, stuck. */
#include <arch/cpu.h>
#include <lib/errno.h>
#include <mm/page_alloc.h>
#include <tests/bench/kernel/page_frag_test.h>
#include <tests/unit/one_line.h>

#define SECOND 1000000000UL /* ns */

TEST_SUITE(page_frag_test, .min_pages = 1024, .why = "a ring of fragments");

static struct page_frag_test small_test(void)
{
	return (struct page_frag_test){
		.nr_test = 20000,
		.alloc_len = 12,
		.pop_cpu = cpus_online() - 1,
		.patience_ns = 30 * SECOND,
	};
}

static void run_well(struct page_frag_test *test)
{
	unsigned long free = nr_free_pages();

	EXPECT_NO_LINE(EXPECT_EQ(page_frag_test_run(test), 0));
	EXPECT_EQ(test->pushed, test->nr_test);
	EXPECT_EQ(test->popped, test->nr_test);
	EXPECT_GT(test->ticks, 0);
	EXPECT(buddy_verify());
	EXPECT_GE(nr_free_pages() + 64, free);
}

TEST(page_frag_test, from_cpu_to_cpu)
{
	static const unsigned int lengths[] = {1, 12, 2048, 4096};

	for (unsigned int i = 0; i < 4; i++) {
		struct page_frag_test test = small_test();

		test.alloc_len = lengths[i];
		run_well(&test);
	}
}

TEST(page_frag_test, aligned)
{
	struct page_frag_test test = small_test();

	test.align = true;
	run_well(&test);
}

TEST(page_frag_test, both_on_one_cpu)
{
	for (unsigned int cpu = 0; cpu < cpus_online(); cpu++) {
		struct page_frag_test test = small_test();

		test.push_cpu = cpu;
		test.pop_cpu = cpu;
		test.nr_test = 3000;
		run_well(&test);
	}
}

static void refuse(struct page_frag_test *test, const char *line)
{
	EXPECT_ONE_LINE(EXPECT_EQ(page_frag_test_run(test), -EINVAL), line);
	EXPECT_EQ(test->pushed, 0);
}

TEST(page_frag_test, bad_parameters)
{
	struct page_frag_test test = small_test();

	test.alloc_len = 0;
	refuse(&test, "test_alloc_len=0: must be 1..4096");
	test.alloc_len = 4097;
	refuse(&test, "test_alloc_len=4097: must be 1..4096");
	test = small_test();
	test.nr_test = 0;
	refuse(&test, "nr_test=0");
	test = small_test();
	test.push_cpu = cpus_online();
	refuse(&test, "test_push_cpu=");
	test = small_test();
	test.pop_cpu = MAX_CPUS + 7;
	refuse(&test, "test_pop_cpu=71: there is no such CPU");
}

TEST(page_frag_test, watchdog)
{
	struct page_frag_test test = small_test();
	struct quiet quiet;
	int err;

	test.asleep = true;
	test.patience_ns = SECOND / 10;
	quiet_begin(&quiet);
	err = page_frag_test_run(&test);
	EXPECT_EQ(quiet_end(&quiet), 1);
	EXPECT_EQ(err, -EBUSY);
	EXPECT_CONTAINS(quiet.text, "stands still at ");
	EXPECT_EQ(test.pushed, 512);
	EXPECT_EQ(test.popped, 0);
}

TEST(page_frag_test, no_memory_for_threads)
{
	unsigned int nth = 0;
	int err;

	do {
		struct page_frag_test test = small_test();
		struct quiet quiet;

		test.nr_test = 10;
		quiet_begin(&quiet);
		fault_inject_arm(&fail_page_alloc, ++nth);
		err = page_frag_test_run(&test);
		fault_inject_disarm(&fail_page_alloc);
		quiet_end(&quiet);
		EXPECT(err == 0 || err == -ENOMEM);
	} while (fail_page_alloc.failed && nth < 100);
	EXPECT_EQ(err, 0);
}
