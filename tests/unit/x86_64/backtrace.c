/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Backtraces, of whole chains of frames and of broken ones. */
#include <arch/cpu.h>
#include <arch/page.h>
#include <lib/compiler.h>
#include <lib/string.h>
#include <lib/symbols.h>
#include <lib/test.h>

#define MAX 16

static uintptr_t pcs[MAX];

/* The asm after each call keeps it from becoming a jump. */
static noinline size_t innermost(void)
{
	size_t n = arch_backtrace(NULL, pcs, MAX);

	__asm__ volatile("");
	return n;
}

static noinline size_t middle(void)
{
	size_t n = innermost();

	__asm__ volatile("");
	return n;
}

static noinline size_t outermost(void)
{
	size_t n = middle();

	__asm__ volatile("");
	return n;
}

static bool inside(uintptr_t pc, size_t (*fn)(void))
{
	return pc > (uintptr_t)fn && pc < (uintptr_t)fn + 64;
}

TEST(backtrace, nested_calls)
{
	size_t n = outermost();

	REQUIRE_GE(n, 5);
	EXPECT(inside(pcs[0], innermost));
	EXPECT(inside(pcs[1], middle));
	EXPECT(inside(pcs[2], outermost));
	EXPECT_LT(n, MAX);
}

TEST(backtrace, names)
{
	size_t offset;
	const char *name;

	REQUIRE_GE(outermost(), 3);
	name = symbol_lookup(pcs[1], &offset);
	REQUIRE_NOT_NULL(name);
	EXPECT_STREQ(name, "middle");
	EXPECT_LT(offset, 64);
}

TEST(backtrace, at_most_max)
{
	uintptr_t few[3] = {1, 2, 3};

	EXPECT_EQ(arch_backtrace(NULL, few, 2), 2);
	EXPECT_EQ(few[2], 3);
	EXPECT_EQ(arch_backtrace(NULL, few, 0), 0);
}

/* A chain of pairs in an array; [2 * i] is the link, [2 * i + 1] the pc. */
TEST(backtrace, ends_at_zero)
{
	uint64_t chain[6] = {
		(uint64_t)&chain[2], 101, (uint64_t)&chain[4], 102, 0, 0};

	EXPECT_EQ(arch_backtrace(chain, pcs, MAX), 2);
	EXPECT_EQ(pcs[0], 101);
	EXPECT_EQ(pcs[1], 102);
	chain[5] = 103;
	EXPECT_EQ(arch_backtrace(chain, pcs, MAX), 3);
	EXPECT_EQ(pcs[2], 103);
}

TEST(backtrace, broken_chains_end)
{
	uint64_t chain[6] = {(uint64_t)&chain[2], 101, 0, 102, 0, 0};
	const uint64_t bad[] = {
		8,                       /* unmapped */
		0x800000000000,          /* not canonical */
		(uint64_t)&chain[4] + 1, /* not aligned */
		(uint64_t)&chain[2],     /* itself */
		(uint64_t)&chain[0],     /* backwards */
		UINT64_MAX,
		UINT64_MAX - 7,
		FIXMAP_START,
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		chain[2] = bad[i];
		EXPECT_EQ(arch_backtrace(chain, pcs, MAX), 2);
	}
	EXPECT_EQ(arch_backtrace((void *)8, pcs, MAX), 0);
}

/* No stack is as large as from the direct map to the image. */
TEST(backtrace, far_link_ends_the_chain)
{
	static uint64_t elsewhere[2] = {0, 103};
	static uint64_t chain[4];
	uint64_t *alias = pa_to_va((va_t)chain - KERNEL_BASE);

	alias[0] = (uint64_t)&alias[2];
	alias[1] = 101;
	alias[2] = (uint64_t)elsewhere;
	alias[3] = 102;
	EXPECT_EQ(arch_backtrace(alias, pcs, MAX), 2);
	EXPECT_EQ(arch_backtrace(elsewhere, pcs, MAX), 1);
}
