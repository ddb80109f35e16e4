/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bad input has to give exactly one clear line: run a statement with messages
 * kept off the console, and look at what it said.
 */
#ifndef TESTS_UNIT_ONE_LINE_H
#define TESTS_UNIT_ONE_LINE_H

#include <lib/printk.h>
#include <lib/test.h>

struct quiet {
	char text[512];
	struct printk_capture capture, *before;
	unsigned long lines;
};

static inline void quiet_begin(struct quiet *q)
{
	q->capture = PRINTK_CAPTURE(q->text);
	q->text[0] = '\0';
	q->lines = printk_lines();
	q->before = printk_set_capture(&q->capture);
}

/* Return: how many lines were printed since quiet_begin(). */
static inline unsigned long quiet_end(struct quiet *q)
{
	printk_set_capture(q->before);
	return printk_lines() - q->lines;
}

/* @statement prints one line, and @part is in it. */
#define EXPECT_ONE_LINE(statement, part)                                       \
	do {                                                                   \
		struct quiet quiet_;                                           \
		unsigned long nr_lines_;                                       \
                                                                               \
		quiet_begin(&quiet_);                                          \
		statement;                                                     \
		nr_lines_ = quiet_end(&quiet_);                                \
		EXPECT_EQ(nr_lines_, 1);                                       \
		EXPECT_CONTAINS(quiet_.text, part);                            \
	} while (0)

/* @statement prints nothing. */
#define EXPECT_NO_LINE(statement)                                              \
	do {                                                                   \
		struct quiet quiet_;                                           \
		unsigned long nr_lines_;                                       \
                                                                               \
		quiet_begin(&quiet_);                                          \
		statement;                                                     \
		nr_lines_ = quiet_end(&quiet_);                                \
		EXPECT_EQ(nr_lines_, 0);                                       \
	} while (0)

#endif
