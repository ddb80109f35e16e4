/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TLB: what was flushed is forgotten, by every way of flushing.
 *
 * That a flush is needed at all can be seen only where the TLB keeps what it
 * was not told to forget: under emulation, for a few recently used small pages
 * (after a full flush, without touching large pages outside the direct map).
 * There a stale entry is a canary: it must still be there before the flush,
 * and after the flush of a neighbour.
 */
#include <arch/cpu.h>
#include <arch/pte.h>
#include <arch/tlb.h>
#include <arch/va.h>
#include <lib/compiler.h>
#include <lib/test.h>
#include <machine/cpu_init.h>

#define NR_PAGES 3
#define ROUNDS   16

static uint8_t pages[NR_PAGES][PAGE_SIZE] __aligned(PAGE_SIZE);
static pte_t *ptes[NR_PAGES];
static pte_t saved[NR_PAGES];

static va_t page_va(unsigned int i)
{
	return (va_t)pages[i];
}

/* The entry that maps the small page at @va; NULL: none does. */
static pte_t *small_pte(va_t va)
{
	pte_t *table = arch_root_table();

	for (unsigned int level = PT_LEVELS - 1;; level--) {
		pte_t *pte = &table[pt_index(va, level)];

		if (!pte_present(pte_get(pte)))
			return NULL;
		if (pte_leaf(pte_get(pte), level))
			return level ? NULL : pte;
		table = pa_to_va(pte_pa(pte_get(pte), level));
	}
}

static void setup(void)
{
	for (unsigned int i = 0; i < NR_PAGES; i++) {
		va_store8(page_va(i), 'A' + i);
		ptes[i] = small_pte(page_va(i));
		REQUIRE_NOT_NULL(ptes[i]);
		saved[i] = pte_get(ptes[i]);
	}
}

static void restore(void)
{
	for (unsigned int i = 0; i < NR_PAGES; i++)
		pte_set(ptes[i], saved[i]);
	tlb_flush_all_local();
}

TEST_SUITE(tlb, .setup = setup, .teardown = restore);

/* Fill the TLB anew with the pages' translations, and nothing large. */
static void touch_all(void)
{
	restore();
	for (unsigned int i = 0; i < NR_PAGES; i++)
		va_load8(page_va(i));
}

static bool readable(unsigned int i)
{
	uint8_t value;

	return va_try_load8(page_va(i), &value);
}

static bool stale_entries_stay(void)
{
	return cpu_features_read().emulated;
}

static void flush_page(void)
{
	tlb_flush_page_local(page_va(0));
}

static void flush_range_of_one(void)
{
	tlb_flush_kernel_range(page_va(0), page_va(1));
}

static void flush_range_at_its_end(void)
{
	tlb_flush_kernel_range(page_va(1) - TLB_RANGE_MAX_PAGES * PAGE_SIZE,
			       page_va(1));
}

static void flush_range_too_long(void)
{
	tlb_flush_kernel_range(page_va(1) - 33 * PAGE_SIZE, page_va(1));
}

static void (*const flushes[])(void) = {
	flush_page,           flush_range_of_one,  flush_range_at_its_end,
	flush_range_too_long, tlb_flush_all_local, tlb_flush_all,
};

TEST(tlb, cleared_page_faults_after_each_kind_of_flush)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(flushes); i++) {
		touch_all();
		pte_clear(ptes[0]);
		flushes[i]();
		EXPECTF(!readable(0), "flush kind %u", i);
		EXPECT(readable(1));
	}
	restore();
	EXPECT(readable(0));
}

TEST(tlb, write_protection_holds_after_the_flush)
{
	touch_all();
	pte_set(ptes[0], pte_make(pte_pa(saved[0], 0), PAGE_KERNEL_RO, 0));
	tlb_flush_page_local(page_va(0));
	EXPECT(!va_try_store8(page_va(0), 'x'));
	EXPECT_EQ(va_load8(page_va(0)), 'A');
	restore();
}

TEST(tlb, remapped_page_shows_the_new_memory_after_the_flush)
{
	touch_all();
	pte_set(ptes[0], saved[1]);
	tlb_flush_page_local(page_va(0));
	EXPECT_EQ(va_load8(page_va(0)), 'B');
	restore();
	EXPECT_EQ(va_load8(page_va(0)), 'A');
}

TEST(tlb, canary_stays_until_the_flush)
{
	unsigned int stale = 0, gone = 0;

	if (!stale_entries_stay())
		SKIP("the TLB may forget by itself: not emulated");
	for (unsigned int i = 0; i < ROUNDS; i++) {
		touch_all();
		pte_clear(ptes[0]);
		stale += readable(0);
		tlb_flush_page_local(page_va(0));
		gone += !readable(0);
	}
	restore();
	EXPECT_EQ(stale, ROUNDS);
	EXPECT_EQ(gone, ROUNDS);
}

TEST(tlb, canary_stays_writable_until_the_flush)
{
	if (!stale_entries_stay())
		SKIP("the TLB may forget by itself: not emulated");
	restore();
	va_store8(page_va(0), 'A');
	pte_set(ptes[0], pte_make(pte_pa(saved[0], 0), PAGE_KERNEL_RO, 0));
	EXPECT(va_try_store8(page_va(0), 'A'));
	tlb_flush_page_local(page_va(0));
	EXPECT(!va_try_store8(page_va(0), 'A'));
	restore();
}

/* INVLPG is exact: image pages are small, so no large page spoils it. */
TEST(tlb, neighbours_flush_leaves_the_canary)
{
	unsigned int stale = 0;

	if (!stale_entries_stay())
		SKIP("the TLB may forget by itself: not emulated");
	for (unsigned int i = 0; i < ROUNDS; i++) {
		touch_all();
		pte_clear(ptes[1]);
		tlb_flush_page_local(page_va(0));
		tlb_flush_page_local(page_va(2));
		stale += readable(1);
	}
	restore();
	EXPECT_EQ(stale, ROUNDS);
}

/* Half-open: the page at the range's end is not part of it. */
TEST(tlb, range_flush_ends_where_it_says)
{
	if (!stale_entries_stay())
		SKIP("the TLB may forget by itself: not emulated");
	touch_all();
	for (unsigned int i = 0; i < NR_PAGES; i++)
		pte_clear(ptes[i]);
	tlb_flush_kernel_range(page_va(0), page_va(2));
	EXPECT(!readable(0));
	EXPECT(!readable(1));
	EXPECT(readable(2));
	restore();
}

TEST(tlb, counters)
{
	struct tlb_stats before = tlb_stats(cpu_id()), after;

	flush_range_of_one();
	flush_range_at_its_end();
	after = tlb_stats(cpu_id());
	EXPECT_EQ(after.range_flushes, before.range_flushes + 2);
	EXPECT_EQ(after.full_flushes, before.full_flushes);
	flush_range_too_long();
	tlb_flush_all();
	tlb_flush_all_local();
	after = tlb_stats(cpu_id());
	EXPECT_EQ(after.range_flushes, before.range_flushes + 2);
	EXPECT_EQ(after.full_flushes, before.full_flushes + 3);
}
