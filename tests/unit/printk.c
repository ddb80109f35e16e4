/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <lib/test.h>

TEST(printk, capture)
{
	char text[32];
	struct printk_capture capture = PRINTK_CAPTURE(text);
	struct printk_capture *before = printk_set_capture(&capture);

	printk("%d pages\n", 42);
	printk("of memory\n");
	EXPECT_EQ(printk_set_capture(before), &capture);
	printk("# not captured\n");
	EXPECT_STREQ(text, "42 pages\nof memory\n");
	EXPECT_EQ(capture.len, 19);
}

TEST(printk, capture_is_cut_to_fit)
{
	char text[8] = "-------";
	struct printk_capture capture = {text, 6, 0};
	struct printk_capture *before = printk_set_capture(&capture);

	printk("abc");
	printk("defg\n");
	printk("h\n");
	printk_set_capture(before);
	EXPECT_STREQ(text, "abcde");
	EXPECT_EQ(text[6], '-');
	EXPECT_EQ(capture.len, 5);
}

/* Longer than the chunks that printk works in. */
TEST(printk, long_message)
{
	static char text[1200], expected[1200];
	struct printk_capture capture = PRINTK_CAPTURE(text);
	struct printk_capture *before = printk_set_capture(&capture);

	printk("%500d%s%500d\n", 1, "middle", 2);
	printk_set_capture(before);
	scnprintf(expected, sizeof(expected), "%500d%s%500d\n", 1, "middle", 2);
	EXPECT_STREQ(text, expected);
}

TEST(printk, lines_are_counted)
{
	char text[64];
	struct printk_capture capture = PRINTK_CAPTURE(text);
	struct printk_capture *before = printk_set_capture(&capture);
	unsigned long lines = printk_lines();

	printk("one ");
	EXPECT_EQ(printk_lines(), lines);
	printk("line\n");
	EXPECT_EQ(printk_lines(), lines + 1);
	EXPECT_STREQ(printk_last_line(), "one line");
	printk("two\nthree\nfo");
	EXPECT_EQ(printk_lines(), lines + 3);
	EXPECT_STREQ(printk_last_line(), "three");
	printk("ur\n");
	EXPECT_STREQ(printk_last_line(), "four");
	printk("\n");
	EXPECT_STREQ(printk_last_line(), "");
	EXPECT_EQ(printk_lines(), lines + 5);
	printk_set_capture(before);
}

TEST(printk, last_line_is_cut)
{
	char text[8];
	struct printk_capture capture = PRINTK_CAPTURE(text);
	struct printk_capture *before = printk_set_capture(&capture);
	size_t length;

	printk("%600d\n", 7);
	length = strlen(printk_last_line());
	printk("next\n");
	printk_set_capture(before);
	EXPECT_EQ(length, 255);
	EXPECT_STREQ(printk_last_line(), "next");
}

/* Return: true when the ring ends in @s. */
static bool ring_ends_in(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++) {
		uint64_t at = printk_ring.written - n + i;

		if (printk_ring.text[at % PRINTK_RING_SIZE] != s[i])
			return false;
	}
	return true;
}

TEST(printk, ring_keeps_what_was_printed)
{
	uint64_t written = printk_ring.written;

	printk("# ring test\n");
	EXPECT_EQ(printk_ring.written - written, 12);
	EXPECT(ring_ends_in("# ring test\n"));
	EXPECT_EQ(printk_ring.size, sizeof(printk_ring.text));
}

TEST(printk, ring_wraps)
{
	struct printk_ring *ring = &printk_ring;
	char *end = ring->text + PRINTK_RING_SIZE;
	uint64_t written = ring->written;
	char last[4], first[6];

	/* Move to just before a wrap, and what stands there out of the way. */
	memcpy(last, end - 4, 4);
	memcpy(first, ring->text, 6);
	ring->written = PRINTK_RING_SIZE * 3 - 4;
	printk("# wrapped\n");
	EXPECT_EQ(memcmp(end - 4, "# wr", 4), 0);
	EXPECT_EQ(memcmp(ring->text, "apped\n", 6), 0);
	EXPECT(ring_ends_in("# wrapped\n"));
	memcpy(end - 4, last, 4);
	memcpy(ring->text, first, 6);
	ring->written = written;
}
