/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of bad input: what is refused says so in exactly one line. */
#ifndef TESTS_UNIT_ONE_LINE_H
#define TESTS_UNIT_ONE_LINE_H

#include <lib/printk.h>
#include <lib/test.h>

/* Run @statement and expect that it prints one line that contains @part, which
 * is kept off the console; @part NULL: that it prints nothing. */
#define EXPECT_LINE(part, statement)                                           \
	do {                                                                   \
		char line_buf_[512];                                           \
		struct printk_capture line_ = PRINTK_CAPTURE(line_buf_);       \
		struct printk_capture *line_old_ = printk_set_capture(&line_); \
		unsigned long line_before_ = printk_lines(), line_after_;      \
		const char *line_part_ = (part);                               \
                                                                               \
		statement;                                                     \
		line_after_ = printk_lines();                                  \
		printk_set_capture(line_old_);                                 \
		EXPECT_EQ(line_after_ - line_before_, line_part_ ? 1 : 0);     \
		if (line_part_)                                                \
			EXPECT_CONTAINS(line_buf_, line_part_);                \
	} while (0)

#endif
