/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/errno.h>
#include <lib/param.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <lib/test.h>

static uint8_t small;
static uint64_t big;
static int8_t small_signed;
static int64_t big_signed;
static bool flag;
static char word[8];
static char given[64]; /* to the function */

static int take(const char *value)
{
	strscpy(given, value, sizeof(given));
	return strcmp(value, "bad") ? 0 : -EINVAL;
}

PARAM_UINT("param_test.small", small, "a byte");
PARAM_UINT("param_test.big", big, "a number");
PARAM_INT("param_test.small_signed", small_signed, "a signed byte");
PARAM_INT("param_test.big_signed", big_signed, "a signed number");
PARAM_BOOL("param_test.flag", flag, "yes or no");
PARAM_STR("param_test.word", word, "a short word");
PARAM_FN("param_test.take", take, "anything but bad");

static char text[2048];

/* Parse @cmdline, what it prints going to text. Return: words refused. */
static int parse(const char *cmdline)
{
	struct printk_capture capture = PRINTK_CAPTURE(text);
	struct printk_capture *before = printk_set_capture(&capture);
	int refused;

	text[0] = '\0';
	refused = param_parse(cmdline);
	printk_set_capture(before);
	return refused;
}

/* One word that must be refused with exactly this line. */
static void expect_refused(const char *cmdline, const char *line)
{
	EXPECT_EQ(parse(cmdline), 1);
	EXPECT_STREQ(text, line);
}

TEST(param, nothing)
{
	EXPECT_EQ(parse(""), 0);
	EXPECT_EQ(parse(" \t\n\r "), 0);
	EXPECT_STREQ(text, "");
}

TEST(param, words)
{
	const char *p = "  a=1\tb=\"x y\" \"c ";
	size_t len = 0;

	p = param_next_word(p, &len);
	REQUIRE(p && len == 3);
	EXPECT(!strncmp(p, "a=1", len));
	p = param_next_word(p + len, &len);
	REQUIRE(p && len == 7);
	EXPECT(!strncmp(p, "b=\"x y\"", len));
	p = param_next_word(p + len, &len);
	REQUIRE(p && len == 3);
	EXPECT(!strncmp(p, "\"c ", len));
	EXPECT_NULL(param_next_word(p + len, &len));
	EXPECT_NULL(param_next_word(" \t", &len));
}

TEST(param, every_kind)
{
	flag = false;
	EXPECT_EQ(parse(" param_test.small=7\tparam_test.big=0x10K  "
			"param_test.small_signed=-5 param_test.big_signed=-1G "
			"param_test.flag param_test.word=abc\n"
			"param_test.take=x=y"),
		  0);
	EXPECT_STREQ(text, "");
	EXPECT_EQ(small, 7);
	EXPECT_EQ(big, 16384);
	EXPECT_EQ(small_signed, -5);
	EXPECT_EQ(big_signed, -(1L << 30));
	EXPECT_EQ(flag, true);
	EXPECT_STREQ(word, "abc");
	EXPECT_STREQ(given, "x=y");
}

TEST(param, the_last_one_counts)
{
	EXPECT_EQ(parse("param_test.small=1 param_test.small=2"), 0);
	EXPECT_EQ(small, 2);
}

TEST(param, ranges)
{
	EXPECT_EQ(parse("param_test.small=255 param_test.small_signed=-128 "
			"param_test.big=18446744073709551615 "
			"param_test.big_signed=-9223372036854775808"),
		  0);
	EXPECT_EQ(small, 255);
	EXPECT_EQ(small_signed, -128);
	EXPECT_EQ(big, UINT64_MAX);
	EXPECT_EQ(big_signed, INT64_MIN);
	EXPECT_EQ(parse("param_test.small_signed=127 "
			"param_test.big_signed=9223372036854775807"),
		  0);
	EXPECT_EQ(small_signed, 127);
	EXPECT_EQ(big_signed, INT64_MAX);
}

TEST(param, numbers_refused)
{
	small = 9;
	small_signed = 9;
	big = 9;
	expect_refused("param_test.small=256",
		       "parameter param_test.small=\"256\": "
		       "not a number (0..255)\n");
	expect_refused("param_test.small=-1",
		       "parameter param_test.small=\"-1\": "
		       "not a number (0..255)\n");
	expect_refused("param_test.small=x",
		       "parameter param_test.small=\"x\": "
		       "not a number (0..255)\n");
	expect_refused("param_test.small=", "parameter param_test.small=\"\": "
					    "not a number (0..255)\n");
	expect_refused("param_test.big=18446744073709551616",
		       "parameter param_test.big=\"18446744073709551616\": "
		       "not a number (0..18446744073709551615)\n");
	expect_refused("param_test.small_signed=128",
		       "parameter param_test.small_signed=\"128\": "
		       "not a number (-128..127)\n");
	expect_refused("param_test.small_signed=-129",
		       "parameter param_test.small_signed=\"-129\": "
		       "not a number (-128..127)\n");
	expect_refused("param_test.small_signed=--1",
		       "parameter param_test.small_signed=\"--1\": "
		       "not a number (-128..127)\n");
	expect_refused("param_test.small",
		       "parameter param_test.small: needs a value (a byte)\n");
	EXPECT_EQ(small, 9);
	EXPECT_EQ(small_signed, 9);
	EXPECT_EQ(big, 9);
}

TEST(param, bools)
{
	static const char *const yes[] = {"=1", "=y", "=true", ""};
	static const char *const no[] = {"=0", "=n", "=false"};
	char cmdline[64];

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		flag = false;
		snprintf(cmdline, sizeof(cmdline), "param_test.flag%s", yes[i]);
		EXPECT_EQ(parse(cmdline), 0);
		EXPECT_EQ(flag, true);
	}
	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		flag = true;
		snprintf(cmdline, sizeof(cmdline), "param_test.flag%s", no[i]);
		EXPECT_EQ(parse(cmdline), 0);
		EXPECT_EQ(flag, false);
	}
	expect_refused("param_test.flag=2", "parameter param_test.flag=\"2\": "
					    "not a bool (0 or 1)\n");
	expect_refused("param_test.flag=",
		       "parameter param_test.flag=\"\": not a bool (0 or 1)\n");
}

TEST(param, strings)
{
	EXPECT_EQ(parse("param_test.word=1234567"), 0);
	EXPECT_STREQ(word, "1234567");
	expect_refused("param_test.word=12345678",
		       "parameter param_test.word=\"12345678\": "
		       "longer than 7 bytes\n");
	EXPECT_STREQ(word, "1234567");
	EXPECT_EQ(parse("param_test.word="), 0);
	EXPECT_STREQ(word, "");
}

TEST(param, function_refuses)
{
	expect_refused("param_test.take=bad",
		       "parameter param_test.take=\"bad\": "
		       "not valid (anything but bad)\n");
	EXPECT_STREQ(given, "bad");
}

/* The test core's own: a number or a word. */
TEST(param, seed_refused)
{
	expect_refused("seed=lucky",
		       "parameter seed=\"lucky\": not valid (seed "
		       "of random tests: a number or random)\n");
}

TEST(param, quotes)
{
	EXPECT_EQ(parse("param_test.take=\"two words\" param_test.word=\"a\""),
		  0);
	EXPECT_STREQ(given, "two words");
	EXPECT_STREQ(word, "a");
	EXPECT_EQ(parse("\"param_test.take=all of it\""), 0);
	EXPECT_STREQ(given, "all of it");
	EXPECT_EQ(parse("param_test.take=\"\""), 0);
	EXPECT_STREQ(given, "");
	expect_refused("param_test.take=\"open end",
		       "parameter word \"param_test.take=open end\": "
		       "a quote is not closed\n");
}

TEST(param, unknown)
{
	expect_refused("foo", "unknown parameter \"foo\"\n");
	expect_refused("foo=1", "unknown parameter \"foo\"\n");
	expect_refused("=1", "unknown parameter \"\"\n");
	expect_refused("param_test.smal=1",
		       "unknown parameter \"param_test.smal\"\n");
	expect_refused("\"\"", "unknown parameter \"\"\n");
}

/* What is wrong does not keep the rest from being taken. */
TEST(param, the_rest_is_taken)
{
	EXPECT_EQ(parse("foo param_test.small=3 bar=1 param_test.big=x"), 3);
	EXPECT_STREQ(text, "unknown parameter \"foo\"\n"
			   "unknown parameter \"bar\"\n"
			   "parameter param_test.big=\"x\": "
			   "not a number (0..18446744073709551615)\n");
	EXPECT_EQ(small, 3);
}

/* Two parameters of one name would hide one of them. */
TEST(param, names_are_distinct)
{
	LINKER_SET_FOREACH(boot_params, const struct param, it)
	{
		LINKER_SET_FOREACH(boot_params, const struct param, other)
		{
			if (it < other)
				EXPECTF(strcmp((*it)->name, (*other)->name),
					"\"%s\" twice", (*it)->name);
		}
	}
}

TEST(param, overlong_word)
{
	static char cmdline[700];

	memset(cmdline, 'x', sizeof(cmdline) - 1);
	expect_refused(cmdline,
		       "parameter word \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\""
		       ": longer than 511 bytes\n");
}

TEST(param, help)
{
	struct printk_capture capture = PRINTK_CAPTURE(text);
	struct printk_capture *before = printk_set_capture(&capture);
	const char *big_line, *small_line;

	param_print_help();
	printk_set_capture(before);
	big_line = strstr(text, "  param_test.big=N ");
	small_line = strstr(text, "  param_test.small=N ");
	REQUIRE_NOT_NULL(big_line);
	REQUIRE_NOT_NULL(small_line);
	EXPECT_LT(big_line, small_line);
	EXPECT_CONTAINS(text, "  param_test.flag=0|1              yes or no\n");
	EXPECT_CONTAINS(text, "  param_test.word=TEXT ");
	EXPECT_CONTAINS(text, "  param_test.take=VALUE ");
}
