/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/fault_inject.h>
#include <lib/test.h>

FAULT_ATTR(fail_example, "fail the Nth call that the tests make");

TEST(fault_inject, off_neither_fails_nor_counts)
{
	for (int i = 0; i < 5; i++)
		EXPECT(!should_fail(&fail_example));
	EXPECT_EQ(fail_example.calls, 0);
}

TEST(fault_inject, nth_call_fails_once)
{
	for (unsigned long nth = 1; nth <= 4; nth++) {
		fault_inject_arm(&fail_example, nth);
		for (unsigned long call = 1; call <= 6; call++)
			EXPECT_EQ(should_fail(&fail_example), call == nth);
		fault_inject_disarm(&fail_example);
		EXPECT_EQ(fail_example.calls, 6);
		EXPECT_EQ(fail_example.failed, 1);
		EXPECT(!should_fail(&fail_example));
		EXPECT_EQ(fail_example.calls, 6);
	}
	fault_inject_arm(&fail_example, 10);
	EXPECT_EQ(fail_example.calls, 0);
	EXPECT_EQ(fail_example.failed, 0);
	fault_inject_disarm(&fail_example);
}

/* How a test takes every failure path of something: with three places that can
 * fail the fourth run gets through. */
TEST(fault_inject, sweep)
{
	unsigned long nth, done = 0;

	for (nth = 1;; nth++) {
		fault_inject_arm(&fail_example, nth);
		for (done = 0; done < 3 && !should_fail(&fail_example); done++)
			;
		fault_inject_disarm(&fail_example);
		if (!fail_example.failed)
			break;
		EXPECT_EQ(done, nth - 1);
	}
	EXPECT_EQ(nth, 4);
	EXPECT_EQ(done, 3);
}

TEST(fault_inject, boot_parameter)
{
	EXPECT_EQ(param_parse("fail_example=2"), 0);
	fail_example.calls = 0;
	EXPECT(!should_fail(&fail_example));
	EXPECT(should_fail(&fail_example));
	EXPECT(!should_fail(&fail_example));
	EXPECT_EQ(param_parse("fail_example=0"), 0);
	EXPECT(!should_fail(&fail_example));
}
