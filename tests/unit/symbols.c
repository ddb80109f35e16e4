/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions. A build without a table (hosted) knows none; then the
 * cases that need names are skipped.
 */
#include <arch/cpu.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <lib/symbols.h>
#include <lib/test.h>

/* A function to be found, with something in it. */
noinline void symbols_test_target(unsigned long *sum);

noinline void symbols_test_target(unsigned long *sum)
{
	for (unsigned long i = 0; i < *sum; i++)
		*sum ^= i;
}

static const uintptr_t target = (uintptr_t)symbols_test_target;

static bool have_table(void)
{
	size_t offset;

	return symbol_lookup(target, &offset);
}

TEST(symbols, finds_function_and_offset)
{
	size_t offset = 99;

	if (!have_table())
		SKIP("needs a symbol table");
	EXPECT_STREQ(symbol_lookup(target, &offset), "symbols_test_target");
	EXPECT_EQ(offset, 0);
	EXPECT_STREQ(symbol_lookup(target + 5, &offset), "symbols_test_target");
	EXPECT_EQ(offset, 5);
	EXPECT_NOT_NULL(symbol_lookup(target - 1, &offset));
	EXPECT_GT(offset, 0);
}

TEST(symbols, printed)
{
	char text[64];

	if (!have_table())
		SKIP("needs a symbol table");
	snprintf(text, sizeof(text), "%pS", (void *)(target + 5));
	EXPECT_STREQ(text, "symbols_test_target+0x5");
}

TEST(symbols, unknown_addresses)
{
	size_t offset = 99;

	EXPECT_NULL(symbol_lookup(0, &offset));
	EXPECT_NULL(symbol_lookup(4096, &offset));
	EXPECT_NULL(symbol_lookup(UINTPTR_MAX, &offset));
	EXPECT_EQ(offset, 99);
}

/* Return: the number of lines in @text. */
static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* Print a backtrace into @capture. Return: the address we return to, which the
 * trace has, too. */
noinline static uintptr_t print_backtrace(struct printk_capture *capture)
{
	struct printk_capture *before = printk_set_capture(capture);
	uintptr_t pc = 0;

	backtrace_print(NULL);
	printk_set_capture(before);
	arch_backtrace(__builtin_frame_address(0), &pc, 1);
	return pc;
}

TEST(symbols, backtrace)
{
	static char text[4096];
	char line[128];
	struct printk_capture capture = PRINTK_CAPTURE(text);
	uintptr_t pc = print_backtrace(&capture);

	/* Its own line, ours and our caller's. */
	EXPECT_GE(count_lines(text), 3);
	EXPECT_EQ(strstr(text, "  called from "), text);
	snprintf(line, sizeof(line), "  called from %016lx", pc);
	EXPECT_CONTAINS(text, line);
	if (!have_table())
		return;
	EXPECT_CONTAINS(text, "  print_backtrace");
	snprintf(line, sizeof(line), "  called from %016lx  %pS\n", pc,
		 (void *)pc);
	EXPECT_CONTAINS(text, line);
	EXPECT_CONTAINS(line, "  test_symbols__backtrace+0x");
}
