/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The look-up of names in a small table of our own; the hosted build has no
 * other. */
#include <lib/printf.h>
#include <lib/symbols.h>
#include <lib/test.h>

#define BASE 0xffffffff80100000

extern const uint32_t quire_symbols_count;
extern const uint32_t quire_symbols_offsets[];
extern const uint32_t quire_symbols_names[];
extern const char quire_symbols_strings[];
extern const uintptr_t quire_symbols_base;

const uintptr_t quire_symbols_base = BASE;
const uint32_t quire_symbols_count = 4;
const uint32_t quire_symbols_offsets[] = {0x10, 0x20, 0x120, 0x130};
const uint32_t quire_symbols_names[] = {1, 7, 12, 0};
const char quire_symbols_strings[] = "\0first\0main\0last";

static void expect_name(uintptr_t addr, const char *name, size_t offset)
{
	size_t found = 0;

	EXPECT_STREQ(symbol_lookup(addr, &found), name);
	EXPECT_EQ(found, offset);
}

TEST(symbol_table, edges)
{
	expect_name(BASE + 0x10, "first", 0);
	expect_name(BASE + 0x1f, "first", 15);
	expect_name(BASE + 0x20, "main", 0);
	expect_name(BASE + 0x11f, "main", 255);
	expect_name(BASE + 0x120, "last", 0);
	expect_name(BASE + 0x12f, "last", 15);
}

TEST(symbol_table, outside)
{
	expect_name(BASE - 1, NULL, 0);
	expect_name(BASE, NULL, 0);
	expect_name(BASE + 0xf, NULL, 0);
	expect_name(BASE + 0x130, NULL, 0);
	expect_name(UINTPTR_MAX, NULL, 0);
}

TEST(symbol_table, printed)
{
	char text[32];

	snprintf(text, sizeof(text), "%pS", (void *)(BASE + 0x21));
	EXPECT_STREQ(text, "main+0x1");
	snprintf(text, sizeof(text), "[%-10pS]", (void *)(BASE + 0x21));
	EXPECT_STREQ(text, "[main+0x1  ]");
	snprintf(text, sizeof(text), "%pS", (void *)BASE);
	EXPECT_STREQ(text, "0xffffffff80100000");
}
