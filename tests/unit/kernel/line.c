/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <kernel/line.h>
#include <lib/string.h>
#include <lib/test.h>

static struct line line;
static char shown[4 * LINE_SIZE];

/* Type @keys into an empty line. Return: whether it is complete then. */
static bool type(const char *keys)
{
	struct line_answer answer = {0};
	size_t n = 0;

	line = (struct line){0};
	for (; *keys; keys++) {
		answer = line_key(&line, (unsigned char)*keys);
		for (const char *p = answer.echo; *p; p++)
			shown[n++] = *p;
	}
	shown[n] = '\0';
	return answer.complete;
}

static void expect_split(const char *keys, const char *word, const char *rest)
{
	const char *behind;

	EXPECT(type(keys));
	EXPECT_STREQ(line_split(&line, &behind), word);
	EXPECT_STREQ(behind, rest);
}

TEST(line, plain)
{
	EXPECT(!type("map"));
	EXPECT(type("map\r"));
	EXPECT_STREQ(line.text, "map");
	EXPECT_STREQ(shown, "map\n");
	EXPECT(type("\n"));
	EXPECT_STREQ(line.text, "");
}

TEST(line, backspace)
{
	EXPECT(type("\bx\x7fmaq\bp\r"));
	EXPECT_STREQ(line.text, "map");
	EXPECT_STREQ(shown, "x\b \bmaq\b \bp\n");
}

TEST(line, blanks_and_tabs)
{
	expect_split("run list\r", "run", "list");
	expect_split("  run   list  \r", "run", "list");
	expect_split("\trun\tlist\t\r", "run", "list");
	expect_split("run a  b \r", "run", "a  b");
	expect_split("run \r", "run", "");
	expect_split("   \r", "", "");
	expect_split("\r", "", "");
}

TEST(line, keys_of_a_terminal_are_swallowed)
{
	EXPECT(type("m\x1b[Aa\x1b[Dp\x1b[3~\x1bOH\x1b[1;5C\r"));
	EXPECT_STREQ(line.text, "map");
	EXPECT_STREQ(shown, "map\n");
}

TEST(line, escape_by_itself)
{
	EXPECT(type("m\x1b\x1b"
		    "ap\x1b\r"));
	EXPECT_STREQ(line.text, "map");
	EXPECT(type("map\x1b[1\r"));
	EXPECT(type("map\x1bO\r"));
	EXPECT_STREQ(line.text, "map");
}

TEST(line, other_control_characters_are_dropped)
{
	EXPECT(type("\x01m\x03\x04\x80\xff"
		    "ap\r"));
	EXPECT_STREQ(line.text, "map");
}

TEST(line, too_long)
{
	char keys[LINE_SIZE + 2];

	memset(keys, 'x', sizeof(keys));
	keys[LINE_SIZE - 1] = '\r';
	keys[LINE_SIZE] = '\0';
	EXPECT(type(keys));
	EXPECT(!line.too_long);
	EXPECT_EQ(strlen(line.text), LINE_SIZE - 1);

	keys[LINE_SIZE - 1] = 'y';
	keys[LINE_SIZE] = '\r';
	keys[LINE_SIZE + 1] = '\0';
	EXPECT(type(keys));
	EXPECT(line.too_long);
	EXPECT_EQ(strlen(line.text), LINE_SIZE - 1);
	EXPECT_CONTAINS(shown, "x\a\n");
}
