/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The software TLB of one CPU: what it must keep until a flush, and what a
 * flush must and must not end.
 */
#include "tlb_window.h"
#include <arch/pte.h>
#include <arch/tlb.h>
#include <arch/va.h>
#include <lib/math.h>
#include <lib/test.h>

#define TLB_CAPACITY 512UL

TEST_SUITE(hosted_tlb, .setup = window_make, .teardown = window_drop,
	   .min_pages = 16);

TEST(hosted_tlb, remapped_page_is_stale_until_flushed)
{
	window_frame[0][0] = 1;
	window_frame[1][0] = 2;
	window_map(0, window_frame[0], PAGE_KERNEL);
	EXPECT_EQ(window_peek(window_page(0)), 1);
	window_map(0, window_frame[1], PAGE_KERNEL);
	EXPECT_EQ(window_peek(window_page(0)), 1);
	va_store8(window_page(0), 3);
	EXPECT_EQ(window_frame[0][0], 3);
	EXPECT_EQ(window_frame[1][0], 2);
	tlb_flush_page_local(window_page(0) + 123);
	EXPECT_EQ(window_peek(window_page(0)), 2);
	window_clear();
}

TEST(hosted_tlb, unmapped_page_faults_once_flushed)
{
	window_map(0, window_frame[0], PAGE_KERNEL);
	va_store8(window_page(0), 7);
	pte_clear(&window_table[0][0]);
	EXPECT(!window_faults(window_page(0)));
	EXPECT(va_try_store8(window_page(0), 8));
	EXPECT_EQ(window_frame[0][0], 8);
	tlb_flush_page_local(window_page(0));
	EXPECT(window_faults(window_page(0)));
	EXPECT(!va_try_store8(window_page(0), 9));
	EXPECT_EQ(window_frame[0][0], 8);
	window_clear();
}

TEST(hosted_tlb, write_permission_is_stale_until_flushed)
{
	window_map(0, window_frame[0], PAGE_KERNEL);
	va_store8(window_page(0), 1);
	window_map(0, window_frame[0], PAGE_KERNEL_RO);
	EXPECT(va_try_store8(window_page(0), 2));
	tlb_flush_page_local(window_page(0));
	EXPECT(!va_try_store8(window_page(0), 3));
	EXPECT_EQ(window_peek(window_page(0)), 2);
	window_map(0, window_frame[0], PAGE_KERNEL);
	EXPECT(!va_try_store8(window_page(0), 4));
	tlb_flush_page_local(window_page(0));
	EXPECT(va_try_store8(window_page(0), 5));
	EXPECT_EQ(window_frame[0][0], 5);
	window_clear();
}

TEST(hosted_tlb, absence_is_never_cached)
{
	EXPECT(window_faults(window_page(0)));
	window_map(0, window_frame[0], PAGE_KERNEL);
	EXPECT(!window_faults(window_page(0)));
	window_clear();
}

TEST(hosted_tlb, flush_leaves_the_neighbours)
{
	for (unsigned long i = 0; i < 3; i++) {
		window_map(i, window_frame[0], PAGE_KERNEL);
		EXPECT(!window_faults(window_page(i)));
		pte_clear(&window_table[0][i]);
	}
	tlb_flush_page_local(window_page(1));
	EXPECT(!window_faults(window_page(0)));
	EXPECT(window_faults(window_page(1)));
	EXPECT(!window_faults(window_page(2)));
	window_clear();
}

TEST(hosted_tlb, holds_its_capacity_of_neighbouring_pages)
{
	unsigned long stale = 0;

	for (unsigned long i = 0; i < TLB_CAPACITY; i++) {
		window_map(i, window_frame[0], PAGE_KERNEL);
		EXPECT(!window_faults(window_page(i)));
	}
	for (unsigned long i = 0; i < TLB_CAPACITY; i++)
		pte_clear(&window_table[0][i]);
	for (unsigned long i = 0; i < TLB_CAPACITY; i++)
		stale += !window_faults(window_page(i));
	EXPECT_EQ(stale, TLB_CAPACITY);
	tlb_flush_all();
	for (unsigned long i = 0; i < TLB_CAPACITY; i++)
		EXPECT(window_faults(window_page(i)));
}

/* Touch and unmap pages [0, n), flush [1, n - 1): how many fault now? */
static unsigned long faulting_after_range_flush(unsigned long n)
{
	unsigned long faulting = 0;

	for (unsigned long i = 0; i < n; i++) {
		window_map(i, window_frame[0], PAGE_KERNEL);
		va_load8(window_page(i));
		pte_clear(&window_table[0][i]);
	}
	tlb_flush_kernel_range(window_page(1), window_page(n - 1));
	for (unsigned long i = 0; i < n; i++)
		faulting += window_faults(window_page(i));
	return faulting;
}

TEST(hosted_tlb, range_flush_is_exact_up_to_the_threshold)
{
	struct tlb_stats before = tlb_stats(cpu_id());
	unsigned long n = TLB_RANGE_MAX_PAGES + 2;

	EXPECT_EQ(faulting_after_range_flush(n), n - 2);
	EXPECT_EQ(tlb_stats(cpu_id()).range_flushes, before.range_flushes + 1);
	EXPECT_EQ(tlb_stats(cpu_id()).full_flushes, before.full_flushes);
	window_clear();
}

TEST(hosted_tlb, range_flush_above_the_threshold_is_a_full_one)
{
	struct tlb_stats before = tlb_stats(cpu_id());
	unsigned long n = TLB_RANGE_MAX_PAGES + 3;

	EXPECT_EQ(faulting_after_range_flush(n), n);
	EXPECT_EQ(tlb_stats(cpu_id()).range_flushes, before.range_flushes);
	EXPECT_EQ(tlb_stats(cpu_id()).full_flushes, before.full_flushes + 1);
	window_clear();
}

TEST(hosted_tlb, large_leaf_is_cached_by_the_4_kib_piece)
{
	pa_t pa = round_down(va_to_pa(window_frame[0]), HUGE_PAGE_SIZE);
	va_t va = WINDOW_START + HUGE_PAGE_SIZE;
	va_t piece = va + (va_to_pa(window_frame[0]) - pa);
	va_t other = piece == va ? va + PAGE_SIZE : va;

	window_frame[0][5] = 55;
	pte_set(&window_table[1][1], pte_make(pa, PAGE_KERNEL_RO, 1));
	EXPECT_EQ(window_peek(piece + 5), 55);
	EXPECT(!va_try_store8(piece, 1));
	EXPECT(!window_faults(other));
	pte_clear(&window_table[1][1]);
	tlb_flush_page_local(other);
	EXPECT(window_faults(other));
	EXPECT_EQ(window_peek(piece + 5), 55);
	tlb_flush_all();
	EXPECT(window_faults(piece));
}

TEST(hosted_tlb, gigabyte_leaf_maps_ram_but_not_the_hole)
{
	size_t size = 1UL << pt_shift(2);
	va_t va = WINDOW_START + size;
	pa_t pa = va_to_pa(window_frame[0]);
	pte_t *pte = &window_table[2][pt_index(va, 2)];

	window_frame[0][9] = 99;
	pte_set(pte, pte_make(round_down(pa, size), PAGE_KERNEL, 2));
	EXPECT_EQ(window_peek(va + pa % size + 9), 99);
	pte_set(pte, pte_make(0, PAGE_KERNEL, 2));
	tlb_flush_all();
	EXPECT(window_faults(va + 0xa0000));
	pte_clear(pte);
	tlb_flush_all();
}

TEST(hosted_tlb, odd_addresses_fault)
{
	window_map(0, window_frame[0], PAGE_KERNEL);
	EXPECT(!window_faults(WINDOW_START));
	EXPECT(window_faults(WINDOW_START & ~(1UL << 63))); /* not canonical */
	EXPECT(window_faults(WINDOW_START & ~(1UL << 48)));
	EXPECT(window_faults(0));
	window_clear();
	EXPECT(window_faults(WINDOW_START + 2 * HUGE_PAGE_SIZE));
	EXPECT(window_faults((va_t)pa_to_va(0xa0000)));
	EXPECT(!window_faults((va_t)window_frame[0]));
}

TEST(hosted_tlb, pte_beyond_ram_faults)
{
	pa_t end = 1UL << (MAX_PHYS_BITS - 1);

	pte_set(&window_table[0][0], pte_make(end, PAGE_KERNEL, 0));
	EXPECT(window_faults(window_page(0)));
	window_clear();
	pte_set(&window_table[1][1], pte_make_table(end));
	EXPECT(window_faults(WINDOW_START + HUGE_PAGE_SIZE));
	pte_clear(&window_table[1][1]);
	tlb_flush_all();
}

/* Pages 0 and 1 lie in frames that are no neighbours: split copies show. */
TEST(hosted_tlb, copies_cross_pages)
{
	va_t middle = window_page(1) - 8;
	uint8_t in[16], out[16] = {0};

	for (unsigned int i = 0; i < sizeof(in); i++)
		in[i] = i + 1;
	window_map(0, window_frame[1], PAGE_KERNEL);
	window_map(1, window_frame[0], PAGE_KERNEL);
	va_copy_to(middle, in, sizeof(in));
	EXPECT_EQ(window_frame[1][PAGE_SIZE - 1], 8);
	EXPECT_EQ(window_frame[0][0], 9);
	EXPECT_EQ(window_frame[0][7], 16);
	va_copy_from(out, middle, sizeof(out));
	EXPECT_EQ(out[0], 1);
	EXPECT_EQ(out[15], 16);
	va_copy_va(window_page(0), middle, sizeof(in));
	EXPECT_EQ(window_frame[1][0], 1);
	EXPECT_EQ(window_frame[1][15], 16);
	va_copy_va(middle, window_page(0) + 4, 10);
	EXPECT_EQ(window_frame[1][PAGE_SIZE - 1], 12);
	EXPECT_EQ(window_frame[0][1], 14);
	va_copy_to(middle, in, sizeof(in));
	va_zero(middle + 1, 8);
	EXPECT_EQ(va_load64(middle), 1);
	EXPECT_EQ(window_frame[0][0], 0);
	EXPECT_EQ(window_frame[0][1], 10);
	va_store64(window_page(1), 0x0102030405060708);
	EXPECT_EQ(va_load64(window_page(1)), 0x0102030405060708);
	window_clear();
}

TEST(hosted_tlb, zero_bytes_touch_nothing)
{
	uint8_t byte = 0;

	va_zero(window_page(0), 0);
	va_copy_to(window_page(0), &byte, 0);
	va_copy_from(&byte, window_page(0), 0);
	va_copy_va(window_page(0), window_page(1), 0);
	EXPECT(window_faults(window_page(0)));
}
