/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ends the hosted machine does so with status 2 and says why. Each is
 * done in a copy of the process.
 */
#include <arch/machine.h>
#include <arch/pte.h>
#include <arch/tlb.h>
#include <arch/va.h>
#include <lib/panic.h>
#include <lib/test.h>
#include <machine/forked.h>
#include <mm/page_alloc.h>

#define UNMAPPED 0xffff900000000000UL

#define STATUS_FAILED 1
#define STATUS_PANIC  2

static char out[16384];

static void load_unmapped(void)
{
	va_load8(UNMAPPED + 5);
}

TEST(hosted_panic, load_of_unmapped_page)
{
	EXPECT_EQ(hosted_run_forked(load_unmapped, out, sizeof(out)),
		  STATUS_PANIC);
	EXPECT_CONTAINS(out, "load of 1 bytes at 0xffff900000000005");
	EXPECT_CONTAINS(out, "level 3[288] = 0");
	EXPECT_CONTAINS(out, "page tables: not present");
	EXPECT_CONTAINS(out, "PANIC: page fault");
}

/* Map UNMAPPED read-only to a fresh page, by three fresh tables. */
static pte_t *map_read_only(void)
{
	pte_t *pte = arch_root_table();

	for (unsigned int level = PT_LEVELS - 1; level > 0; level--) {
		void *table = get_zeroed_page(GFP_KERNEL);

		pte_set(&pte[pt_index(UNMAPPED, level)],
			pte_make_table(va_to_pa(table)));
		pte = table;
	}
	pte_set(pte, pte_make(va_to_pa(get_zeroed_page(GFP_KERNEL)),
			      PAGE_KERNEL_RO, 0));
	return pte;
}

static void store_stale(void)
{
	pte_t *pte = map_read_only();

	va_load8(UNMAPPED);
	pte_clear(pte);
	va_zero(UNMAPPED + 4000, 200);
}

TEST(hosted_panic, store_through_stale_entry)
{
	EXPECT_EQ(hosted_run_forked(store_stale, out, sizeof(out)),
		  STATUS_PANIC);
	EXPECT_CONTAINS(out, "store of 96 bytes at 0xffff900000000fa0");
	EXPECT_CONTAINS(out, "level 0[0] = 0");
	EXPECT_CONTAINS(out, "read-only");
	EXPECT_CONTAINS(out, "the TLB entry is stale");
}

static void load_unaligned(void)
{
	va_load64(UNMAPPED + 4);
}

TEST(hosted_panic, unaligned_word)
{
	EXPECT_EQ(hosted_run_forked(load_unaligned, out, sizeof(out)),
		  STATUS_PANIC);
	EXPECT_CONTAINS(out, "va_load64(0xffff900000000004): not aligned");
}

static void make_unaligned_leaf(void)
{
	pte_make(PAGE_SIZE, PAGE_KERNEL, 1);
}

TEST(hosted_panic, unaligned_large_leaf)
{
	EXPECT_EQ(hosted_run_forked(make_unaligned_leaf, out, sizeof(out)),
		  STATUS_PANIC);
	EXPECT_CONTAINS(out, "leaf's address: 0x1000 at level 1");
}

static void read_leaf_at_wrong_level(void)
{
	pte_leaf(pte_make(0, PAGE_KERNEL, 1), 2);
}

TEST(hosted_panic, leaf_read_at_the_wrong_level)
{
	EXPECT_EQ(hosted_run_forked(read_leaf_at_wrong_level, out, sizeof(out)),
		  STATUS_PANIC);
	EXPECT_CONTAINS(out, "leaf of another level");
}

static void flush_nothing(void)
{
	tlb_flush_kernel_range(UNMAPPED, UNMAPPED);
}

static void flush_inverted(void)
{
	tlb_flush_kernel_range(VMALLOC_END, 0);
}

TEST(hosted_panic, empty_and_inverted_flushes)
{
	EXPECT_EQ(hosted_run_forked(flush_nothing, out, sizeof(out)),
		  STATUS_PANIC);
	EXPECT_EQ(hosted_run_forked(flush_inverted, out, sizeof(out)),
		  STATUS_PANIC);
	EXPECT_CONTAINS(out, "TLB flush of [0xffffe90000000000, 0)");
}

static void touch_hole(void)
{
	*(volatile char *)pa_to_va(0xa0000) = 1;
}

TEST(hosted_panic, pointer_into_a_hole)
{
	EXPECT_EQ(hosted_run_forked(touch_hole, out, sizeof(out)),
		  STATUS_PANIC);
	EXPECT_CONTAINS(out, "Sanitizer: SEGV");
}

static void overflow_int(void)
{
	volatile int n = 0x7fffffff;

	n = n + 1;
}

TEST(hosted_panic, undefined_behaviour)
{
	EXPECT_EQ(hosted_run_forked(overflow_int, out, sizeof(out)),
		  STATUS_PANIC);
	EXPECT_CONTAINS(out, "signed integer overflow");
}

static void fail(void)
{
	machine_exit(MACHINE_FAILED);
}

static void pass(void)
{
	machine_exit(MACHINE_PASSED);
}

TEST(hosted_panic, the_other_verdicts)
{
	EXPECT_EQ(hosted_run_forked(fail, out, sizeof(out)), STATUS_FAILED);
	EXPECT_EQ(hosted_run_forked(pass, out, sizeof(out)), 0);
	EXPECT_STREQ(out, "");
}
