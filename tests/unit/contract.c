/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine contract, as far as one can test it on any machine: both must
 * give the same answers here.
 */
#include <arch/clock.h>
#include <arch/cpu.h>
#include <arch/machine.h>
#include <arch/page.h>
#include <arch/pte.h>
#include <lib/compiler.h>
#include <lib/test.h>

static const pgprot_t prots[] = {
	PAGE_KERNEL_RO,
	PAGE_KERNEL,
	PAGE_KERNEL_ROX,
	PAGE_KERNEL_NOCACHE,
};

TEST(contract, leaf_gives_back_what_it_was_made_of)
{
	for (unsigned int level = 0; level <= arch_max_leaf_level(); level++) {
		pa_t pa = 5UL << pt_shift(level);

		for (unsigned int i = 0; i < ARRAY_SIZE(prots); i++) {
			pte_t pte = pte_make(pa, prots[i], level);

			EXPECT(!pte_none(pte));
			EXPECT(pte_present(pte));
			EXPECT(pte_leaf(pte, level));
			EXPECT(!pte_table(pte, level));
			EXPECT_EQ(pte_pa(pte, level), pa);
			EXPECT_EQ(pte_prot(pte, level), prots[i]);
			EXPECT_EQ(pte_at(pte_make(0, prots[i], level), pa).v,
				  pte.v);
		}
	}
}

TEST(contract, highest_address_fits_an_entry)
{
	pa_t pa = (1UL << MAX_PHYS_BITS) - PAGE_SIZE;

	EXPECT_EQ(pte_pa(pte_make(pa, PAGE_KERNEL, 0), 0), pa);
	EXPECT_EQ(pte_pa(pte_make_table(pa), 1), pa);
}

TEST(contract, table_entry_is_no_leaf)
{
	for (unsigned int level = 1; level < PT_LEVELS; level++) {
		pte_t pte = pte_make_table(0x5000);

		EXPECT(pte_present(pte));
		EXPECT(!pte_none(pte));
		EXPECT(!pte_leaf(pte, level));
		EXPECT(pte_table(pte, level));
		EXPECT_EQ(pte_pa(pte, level), 0x5000);
		EXPECT_EQ(pte_table_pa(pte), 0x5000);
	}
}

TEST(contract, cleared_entry_is_none)
{
	pte_t pte = pte_make(0x5000, PAGE_KERNEL, 0);

	pte_set(&pte, pte_make(0x6000, PAGE_KERNEL_RO, 0));
	EXPECT_EQ(pte_pa(pte_get(&pte), 0), 0x6000);
	pte_clear(&pte);
	EXPECT(pte_none(pte_get(&pte)));
	EXPECT(!pte_present(pte));
	EXPECT(!pte_leaf(pte, 0));
	EXPECT(!pte_table(pte, 1));
}

TEST(contract, index_of_each_level)
{
	va_t va = 5UL << 39 | 6UL << 30 | 7UL << 21 | 8UL << 12 | 9;

	for (unsigned int level = 0; level < PT_LEVELS; level++)
		EXPECT_EQ(pt_index(va, level), 8 - level);
	EXPECT_EQ(pt_index(VMALLOC_END - 1, 0), PT_ENTRIES - 1);
}

TEST(contract, direct_map_is_linear)
{
	EXPECT_EQ(va_to_pa(pa_to_va(0x123456)), 0x123456);
	EXPECT_EQ((va_t)pa_to_va(0x123456) - DIRECT_MAP_BASE, 0x123456);
	EXPECT_EQ(DIRECT_MAP_BASE % (1UL << pt_shift(2)), 0);
}

TEST(contract, interrupt_state_nests)
{
	unsigned long outer = irq_save(), inner;

	EXPECT(!irq_enabled());
	inner = irq_save();
	EXPECT(!irq_enabled());
	irq_restore(inner);
	EXPECT(!irq_enabled());
	irq_restore(outer);
}

TEST(contract, clock_runs_forward)
{
	uint64_t before = clock_ticks(), now = before;

	for (unsigned int i = 0; i < 1000000 && now == before; i++) {
		cpu_relax();
		now = clock_ticks();
	}
	EXPECT_GT(now, before);
	EXPECT_GT(clock_hz(), 0);
	EXPECT_NOT_NULL(clock_source());
}

TEST(contract, ticks_convert_without_overflow)
{
	uint64_t hour = 3600 * clock_hz();

	EXPECT_EQ(clock_ticks_to_ns(0), 0);
	EXPECT_GE(clock_ticks_to_ns(hour), 3599999999000UL);
	EXPECT_LE(clock_ticks_to_ns(hour), 3600000001000UL);
}

static noinline size_t trace_here(uintptr_t *pcs, size_t max)
{
	size_t n = arch_backtrace(NULL, pcs, max);

	__asm__ volatile(""); /* no tail call: our frame is to be seen */
	return n;
}

TEST(contract, backtrace_ends_at_the_bound_and_at_a_broken_chain)
{
	uintptr_t pcs[64], broken[2] = {1, 2}, loop[2] = {(uintptr_t)loop, 2};

	EXPECT_EQ(trace_here(pcs, 0), 0);
	EXPECT_EQ(trace_here(pcs, 1), 1);
	EXPECT_GE(trace_here(pcs, ARRAY_SIZE(pcs)), 2);
	EXPECT_EQ(arch_backtrace(broken, pcs, ARRAY_SIZE(pcs)), 1);
	EXPECT_EQ(pcs[0], 2);
	EXPECT_EQ(arch_backtrace(loop, pcs, ARRAY_SIZE(pcs)), 1);
	EXPECT_EQ(arch_backtrace((void *)8, pcs, ARRAY_SIZE(pcs)), 0);
}

TEST(contract, cpu_numbers)
{
	EXPECT_GE(cpus_online(), 1);
	EXPECT_LE(cpus_online(), MAX_CPUS);
	EXPECT_LT(cpu_id(), cpus_online());
}

TEST(contract, image_sections_are_ordered_and_disjoint)
{
	size_t nr;
	const struct image_section *s = arch_image_sections(&nr);

	for (size_t i = 0; i < nr; i++) {
		EXPECT_EQ(s[i].va % PAGE_SIZE, 0);
		EXPECT_EQ(s[i].pa % PAGE_SIZE, 0);
		EXPECT_EQ(s[i].size % PAGE_SIZE, 0);
		EXPECT_GT(s[i].size, 0);
		EXPECT((s[i].prot & (PROT_WRITE | PROT_EXEC)) !=
		       (PROT_WRITE | PROT_EXEC));
		if (i)
			EXPECT_GE(s[i].va, s[i - 1].va + s[i - 1].size);
	}
}
