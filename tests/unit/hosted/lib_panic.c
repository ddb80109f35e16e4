/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Panics and asserts, each in a copy of the process. */
#include <lib/panic.h>
#include <lib/printk.h>
#include <lib/test.h>
#include <machine/forked.h>

#define PANICKED 2 /* status of the copy */

static char output[8192];

static int run(void (*fn)(void))
{
	return hosted_run_forked(fn, output, sizeof(output));
}

static void plain(void)
{
	panic("%d pages of %s", 7, "memory");
}

TEST(panic, message_and_reproduction)
{
	EXPECT_EQ(run(plain), PANICKED);
	EXPECT_CONTAINS(output, "PANIC: 7 pages of memory\n  called from ");
	EXPECT_CONTAINS(output,
			"reproduce: test=panic.message_and_reproduction seed=");
}

static void within_a_line(void)
{
	printk("half a line");
	panic("now");
}

TEST(panic, begins_a_line)
{
	EXPECT_EQ(run(within_a_line), PANICKED);
	EXPECT_CONTAINS(output, "half a line\nPANIC: now\n");
}

static void while_captured(void)
{
	char text[16];
	struct printk_capture capture = PRINTK_CAPTURE(text);

	printk_set_capture(&capture);
	panic("seen all the same");
}

TEST(panic, is_not_captured)
{
	EXPECT_EQ(run(while_captured), PANICKED);
	EXPECT_CONTAINS(output, "PANIC: seen all the same\n");
}

static void assert_false(void)
{
	int pages = 7;

	ASSERT(pages < 8);
	ASSERTF(pages < 8, "never printed");
	ASSERTF(pages < 5, "pages %d", pages);
}

TEST(panic, asserts)
{
	EXPECT_EQ(run(assert_false), PANICKED);
	EXPECT_CONTAINS(output, "PANIC: ASSERT(pages < 5) failed at "
				"tests/unit/hosted/lib_panic.c:");
	EXPECT_CONTAINS(output, ": pages 7\n");
}

static void from_a_frame(void)
{
	panic_from(__builtin_frame_address(0), "by a trap");
}

TEST(panic, from_a_given_frame)
{
	EXPECT_EQ(run(from_a_frame), PANICKED);
	EXPECT_CONTAINS(output, "PANIC: by a trap\n  called from ");
}
