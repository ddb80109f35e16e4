/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The software TLB: what it must keep until a flush, and what a flush must
 * and must not end. The page tables are built here by hand, in a part of the
 * address space that nothing else uses.
 */
#include <arch/pte.h>
#include <arch/tlb.h>
#include <arch/va.h>
#include <lib/compiler.h>
#include <lib/math.h>
#include <lib/test.h>
#include <mm/page_alloc.h>

#define WINDOW       0xffff900000000000UL /* the tests' own 1 GiB */
#define TLB_CAPACITY 512UL

static pte_t *table[PT_LEVELS - 1]; /* of level 0, 1 and 2 */
static uint8_t *frame[2];

static void *zeroed_page(void)
{
	return get_zeroed_page(GFP_KERNEL);
}

static void free_all(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(table); i++)
		free_pages(table[i], 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(frame); i++)
		free_pages(frame[i], 0);
}

static bool allocate_all(void)
{
	bool all = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(table); i++)
		all &= (table[i] = zeroed_page()) != NULL;
	for (unsigned int i = 0; i < ARRAY_SIZE(frame); i++)
		all &= (frame[i] = zeroed_page()) != NULL;
	if (!all)
		free_all();
	return all;
}

static void setup(void)
{
	REQUIRE(allocate_all());
	for (unsigned int level = 1; level < PT_LEVELS; level++) {
		pte_t *t = level == PT_LEVELS - 1 ? arch_root_table()
						  : table[level];

		pte_set(&t[pt_index(WINDOW, level)],
			pte_make_table(va_to_pa(table[level - 1])));
	}
}

static void teardown(void)
{
	pte_clear(&arch_root_table()[pt_index(WINDOW, PT_LEVELS - 1)]);
	tlb_flush_all();
	free_all();
}

static va_t page(unsigned long i)
{
	return WINDOW + i * PAGE_SIZE;
}

static void map(unsigned long i, const void *to, pgprot_t prot)
{
	pte_set(&table[0][i], pte_make(va_to_pa(to), prot, 0));
}

static void unmap_all(void)
{
	for (unsigned int i = 0; i < PT_ENTRIES; i++)
		pte_clear(&table[0][i]);
	tlb_flush_all();
}

static bool faults(va_t va)
{
	uint8_t v;

	return !va_try_load8(va, &v);
}

/* The byte at @va, or -1 where it faults. */
static int peek(va_t va)
{
	uint8_t v;

	return va_try_load8(va, &v) ? v : -1;
}

TEST_SUITE(hosted_tlb, .setup = setup, .teardown = teardown, .min_pages = 16);

TEST(hosted_tlb, remapped_page_is_stale_until_flushed)
{
	frame[0][0] = 1;
	frame[1][0] = 2;
	map(0, frame[0], PAGE_KERNEL);
	EXPECT_EQ(peek(page(0)), 1);
	map(0, frame[1], PAGE_KERNEL);
	EXPECT_EQ(peek(page(0)), 1);
	va_store8(page(0), 3);
	EXPECT_EQ(frame[0][0], 3);
	EXPECT_EQ(frame[1][0], 2);
	tlb_flush_page_local(page(0) + 123);
	EXPECT_EQ(peek(page(0)), 2);
	unmap_all();
}

TEST(hosted_tlb, unmapped_page_faults_once_flushed)
{
	map(0, frame[0], PAGE_KERNEL);
	va_store8(page(0), 7);
	pte_clear(&table[0][0]);
	EXPECT(!faults(page(0)));
	EXPECT(va_try_store8(page(0), 8));
	EXPECT_EQ(frame[0][0], 8);
	tlb_flush_page_local(page(0));
	EXPECT(faults(page(0)));
	EXPECT(!va_try_store8(page(0), 9));
	EXPECT_EQ(frame[0][0], 8);
	unmap_all();
}

TEST(hosted_tlb, write_permission_is_stale_until_flushed)
{
	map(0, frame[0], PAGE_KERNEL);
	va_store8(page(0), 1);
	map(0, frame[0], PAGE_KERNEL_RO);
	EXPECT(va_try_store8(page(0), 2));
	tlb_flush_page_local(page(0));
	EXPECT(!va_try_store8(page(0), 3));
	EXPECT_EQ(peek(page(0)), 2);
	map(0, frame[0], PAGE_KERNEL);
	EXPECT(!va_try_store8(page(0), 4));
	tlb_flush_page_local(page(0));
	EXPECT(va_try_store8(page(0), 5));
	EXPECT_EQ(frame[0][0], 5);
	unmap_all();
}

TEST(hosted_tlb, absence_is_never_cached)
{
	EXPECT(faults(page(0)));
	map(0, frame[0], PAGE_KERNEL);
	EXPECT(!faults(page(0)));
	unmap_all();
}

TEST(hosted_tlb, flush_leaves_the_neighbours)
{
	for (unsigned long i = 0; i < 3; i++) {
		map(i, frame[0], PAGE_KERNEL);
		EXPECT(!faults(page(i)));
		pte_clear(&table[0][i]);
	}
	tlb_flush_page_local(page(1));
	EXPECT(!faults(page(0)));
	EXPECT(faults(page(1)));
	EXPECT(!faults(page(2)));
	unmap_all();
}

TEST(hosted_tlb, holds_its_capacity_of_neighbouring_pages)
{
	unsigned long stale = 0;

	for (unsigned long i = 0; i < TLB_CAPACITY; i++) {
		map(i, frame[0], PAGE_KERNEL);
		EXPECT(!faults(page(i)));
	}
	for (unsigned long i = 0; i < TLB_CAPACITY; i++)
		pte_clear(&table[0][i]);
	for (unsigned long i = 0; i < TLB_CAPACITY; i++)
		stale += !faults(page(i));
	EXPECT_EQ(stale, TLB_CAPACITY);
	tlb_flush_all();
	for (unsigned long i = 0; i < TLB_CAPACITY; i++)
		EXPECT(faults(page(i)));
}

/* Touch and unmap pages [0, n), flush [1, n - 1): how many fault now? */
static unsigned long faulting_after_range_flush(unsigned long n)
{
	unsigned long faulting = 0;

	for (unsigned long i = 0; i < n; i++) {
		map(i, frame[0], PAGE_KERNEL);
		va_load8(page(i));
		pte_clear(&table[0][i]);
	}
	tlb_flush_kernel_range(page(1), page(n - 1));
	for (unsigned long i = 0; i < n; i++)
		faulting += faults(page(i));
	return faulting;
}

TEST(hosted_tlb, range_flush_is_exact_up_to_the_threshold)
{
	struct tlb_stats before = tlb_stats(cpu_id());
	unsigned long n = TLB_RANGE_MAX_PAGES + 2;

	EXPECT_EQ(faulting_after_range_flush(n), n - 2);
	EXPECT_EQ(tlb_stats(cpu_id()).range_flushes, before.range_flushes + 1);
	EXPECT_EQ(tlb_stats(cpu_id()).full_flushes, before.full_flushes);
	unmap_all();
}

TEST(hosted_tlb, range_flush_above_the_threshold_is_a_full_one)
{
	struct tlb_stats before = tlb_stats(cpu_id());
	unsigned long n = TLB_RANGE_MAX_PAGES + 3;

	EXPECT_EQ(faulting_after_range_flush(n), n);
	EXPECT_EQ(tlb_stats(cpu_id()).range_flushes, before.range_flushes);
	EXPECT_EQ(tlb_stats(cpu_id()).full_flushes, before.full_flushes + 1);
	unmap_all();
}

TEST(hosted_tlb, large_leaf_is_cached_by_the_4_kib_piece)
{
	pa_t pa = round_down(va_to_pa(frame[0]), HUGE_PAGE_SIZE);
	va_t va = WINDOW + HUGE_PAGE_SIZE;
	va_t piece = va + (va_to_pa(frame[0]) - pa);
	va_t other = piece == va ? va + PAGE_SIZE : va;

	frame[0][5] = 55;
	pte_set(&table[1][1], pte_make(pa, PAGE_KERNEL_RO, 1));
	EXPECT_EQ(peek(piece + 5), 55);
	EXPECT(!va_try_store8(piece, 1));
	EXPECT(!faults(other));
	pte_clear(&table[1][1]);
	tlb_flush_page_local(other);
	EXPECT(faults(other));
	EXPECT_EQ(peek(piece + 5), 55);
	tlb_flush_all();
	EXPECT(faults(piece));
}

TEST(hosted_tlb, gigabyte_leaf_maps_ram_but_not_the_hole)
{
	size_t size = 1UL << pt_shift(2);
	va_t va = WINDOW + size;
	pa_t pa = va_to_pa(frame[0]);
	pte_t *pte = &table[2][pt_index(va, 2)];

	frame[0][9] = 99;
	pte_set(pte, pte_make(round_down(pa, size), PAGE_KERNEL, 2));
	EXPECT_EQ(peek(va + pa % size + 9), 99);
	pte_set(pte, pte_make(0, PAGE_KERNEL, 2));
	tlb_flush_all();
	EXPECT(faults(va + 0xa0000));
	pte_clear(pte);
	tlb_flush_all();
}

TEST(hosted_tlb, odd_addresses_fault)
{
	map(0, frame[0], PAGE_KERNEL);
	EXPECT(!faults(WINDOW));
	EXPECT(faults(WINDOW & ~(1UL << 63))); /* not canonical */
	EXPECT(faults(WINDOW & ~(1UL << 48)));
	EXPECT(faults(0));
	unmap_all();
	EXPECT(faults(WINDOW + 2 * HUGE_PAGE_SIZE));
	EXPECT(faults((va_t)pa_to_va(0xa0000)));
	EXPECT(!faults((va_t)frame[0]));
}

TEST(hosted_tlb, pte_beyond_ram_faults)
{
	pa_t end = 1UL << (MAX_PHYS_BITS - 1);

	pte_set(&table[0][0], pte_make(end, PAGE_KERNEL, 0));
	EXPECT(faults(page(0)));
	unmap_all();
	pte_set(&table[1][1], pte_make_table(end));
	EXPECT(faults(WINDOW + HUGE_PAGE_SIZE));
	pte_clear(&table[1][1]);
	tlb_flush_all();
}

/* Pages 0 and 1 lie in frames that are no neighbours: split copies show. */
TEST(hosted_tlb, copies_cross_pages)
{
	va_t middle = page(1) - 8;
	uint8_t in[16], out[16] = {0};

	for (unsigned int i = 0; i < sizeof(in); i++)
		in[i] = i + 1;
	map(0, frame[1], PAGE_KERNEL);
	map(1, frame[0], PAGE_KERNEL);
	va_copy_to(middle, in, sizeof(in));
	EXPECT_EQ(frame[1][PAGE_SIZE - 1], 8);
	EXPECT_EQ(frame[0][0], 9);
	EXPECT_EQ(frame[0][7], 16);
	va_copy_from(out, middle, sizeof(out));
	EXPECT_EQ(out[0], 1);
	EXPECT_EQ(out[15], 16);
	va_copy_va(page(0), middle, sizeof(in));
	EXPECT_EQ(frame[1][0], 1);
	EXPECT_EQ(frame[1][15], 16);
	va_copy_va(middle, page(0) + 4, 10);
	EXPECT_EQ(frame[1][PAGE_SIZE - 1], 12);
	EXPECT_EQ(frame[0][1], 14);
	va_copy_to(middle, in, sizeof(in));
	va_zero(middle + 1, 8);
	EXPECT_EQ(va_load64(middle), 1);
	EXPECT_EQ(frame[0][0], 0);
	EXPECT_EQ(frame[0][1], 10);
	va_store64(page(1), 0x0102030405060708);
	EXPECT_EQ(va_load64(page(1)), 0x0102030405060708);
	unmap_all();
}

TEST(hosted_tlb, zero_bytes_touch_nothing)
{
	uint8_t byte = 0;

	va_zero(page(0), 0);
	va_copy_to(page(0), &byte, 0);
	va_copy_from(&byte, page(0), 0);
	va_copy_va(page(0), page(1), 0);
	EXPECT(faults(page(0)));
}
