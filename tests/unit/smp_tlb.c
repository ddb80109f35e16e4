/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flushing the TLBs of other CPUs: what each was told to forget it has
 * forgotten when the flush returns, and nothing else.
 *
 * A CPU looks at the canaries, pages that it has just translated and whose
 * entries then were cleared or changed. One that it still can read is a stale
 * translation, which shows that a flush is needed; where the TLB forgets by
 * itself this can't be seen. Between the translation and the look no large page
 * outside the direct map is touched (see the suite tlb).
 */
#include <arch/percpu.h>
#include <arch/pte.h>
#include <arch/smp.h>
#include <arch/va.h>
#include <lib/compiler.h>
#include <lib/test.h>
#include <lib/tlb_batch.h>
#include <mm/page_alloc.h>
#include <mm/pgtable.h>
#include <mm/vmap.h>
#include <stdatomic.h>

#define NR_PAGES 4 /* canaries, with other pages between them */
#define ROUNDS   8

static struct page *pages[2 * NR_PAGES];
static va_t area;

static va_t page_va(unsigned int i)
{
	return area + 2 * i * PAGE_SIZE;
}

static pte_t *slot(unsigned int i)
{
	unsigned int level;

	return (pte_t *)pgtable_slot(arch_root_table(), page_va(i), &level);
}

static pte_t mapped[NR_PAGES];

static void setup(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = alloc_page(GFP_KERNEL);
		REQUIRE_NOT_NULL(pages[i]);
		*(uint8_t *)page_address(pages[i]) = 'A' + i / 2;
	}
	area = (va_t)vmap(pages, ARRAY_SIZE(pages), 0, PAGE_KERNEL);
	REQUIRE_NE(area, 0);
	for (unsigned int i = 0; i < NR_PAGES; i++)
		mapped[i] = pte_get(slot(i));
}

static void restore(void)
{
	tlb_test_skip(TLB_SKIP_NOTHING);
	for (unsigned int i = 0; i < NR_PAGES; i++)
		pte_set(slot(i), mapped[i]);
	tlb_flush_all();
}

static void teardown(void)
{
	vunmap((void *)area);
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++)
		__free_page(pages[i]);
}

TEST_SUITE(smp_tlb, .setup = setup, .teardown = teardown);

/* --- canaries ------------------------------------------------------------- */

/* What a CPU reads from each page; 0: it faults. */
struct view {
	uint8_t value[NR_PAGES];
};

static void look(void *arg)
{
	struct view *view = arg;

	for (unsigned int i = 0; i < NR_PAGES; i++)
		if (!va_try_load8(page_va(i), &view->value[i]))
			view->value[i] = 0;
}

static struct view view_of(unsigned int cpu)
{
	struct view view = {{0}};

	EXPECT_EQ(cpu_call(cpu, look, &view, true), 0);
	return view;
}

static uint8_t seen(unsigned int cpu, unsigned int i)
{
	return view_of(cpu).value[i];
}

/* Every CPU translates every page anew. */
static void touch_everywhere(void)
{
	unsigned int cpu;

	restore();
	for_each_cpu(cpu, cpu_online_mask()) {
		struct view view = view_of(cpu);

		for (unsigned int i = 0; i < NR_PAGES; i++)
			EXPECT_EQ(view.value[i], 'A' + i);
	}
}

static bool stale_entries_stay(void)
{
	bool stay;

	touch_everywhere();
	pte_clear(slot(0));
	stay = seen(cpu_id(), 0) == 'A';
	restore();
	return stay;
}

#define NEEDS_STALE_ENTRIES()                                                  \
	do {                                                                   \
		if (!stale_entries_stay())                                     \
			SKIP("the TLB forgets by itself");                     \
	} while (0)

static va_t page_end(unsigned int i)
{
	return page_va(i) + PAGE_SIZE;
}

static void flush_page(unsigned int i)
{
	tlb_flush_kernel_range(page_va(i), page_end(i));
}

/* --- what a flush makes forget -------------------------------------------- */

TEST(smp_tlb, cleared_page_faults_everywhere_after_the_flush)
{
	unsigned int cpu;

	touch_everywhere();
	pte_clear(slot(1));
	flush_page(1);
	for_each_cpu(cpu, cpu_online_mask()) {
		EXPECT_EQ(seen(cpu, 1), 0);
		EXPECT_EQ(seen(cpu, 0), 'A');
	}
	restore();
}

TEST(smp_tlb, every_page_of_a_range_is_forgotten)
{
	unsigned int cpu;

	touch_everywhere();
	for (unsigned int i = 0; i < NR_PAGES; i++)
		pte_clear(slot(i));
	tlb_flush_kernel_range(page_va(0), page_end(NR_PAGES - 1));
	for_each_cpu(cpu, cpu_online_mask())
		for (unsigned int i = 0; i < NR_PAGES; i++)
			EXPECT_EQ(seen(cpu, i), 0);
	restore();
}

TEST(smp_tlb, remapped_page_shows_the_new_memory_everywhere)
{
	unsigned int cpu;

	touch_everywhere();
	pte_set(slot(0), mapped[3]);
	flush_page(0);
	for_each_cpu(cpu, cpu_online_mask())
		EXPECT_EQ(seen(cpu, 0), 'D');
	restore();
}

TEST(smp_tlb, full_flush_forgets_everything_everywhere)
{
	unsigned int cpu;

	touch_everywhere();
	for (unsigned int i = 0; i < NR_PAGES; i++)
		pte_clear(slot(i));
	tlb_flush_all();
	for_each_cpu(cpu, cpu_online_mask())
		for (unsigned int i = 0; i < NR_PAGES; i++)
			EXPECT_EQ(seen(cpu, i), 0);
	restore();
}

static bool try_store(unsigned int i)
{
	return va_try_store8(page_va(i), 'A' + i);
}

static void note_store(void *arg)
{
	*(bool *)arg = try_store(0);
}

TEST(smp_tlb, write_protection_holds_everywhere)
{
	unsigned int cpu;
	bool stored;

	touch_everywhere();
	for_each_cpu(cpu, cpu_online_mask())
		cpu_call(cpu, note_store, &stored, true);
	pte_set(slot(0), pte_make(pte_pa(mapped[0], 0), PAGE_KERNEL_RO, 0));
	flush_page(0);
	for_each_cpu(cpu, cpu_online_mask()) {
		stored = true;
		cpu_call(cpu, note_store, &stored, true);
		EXPECT(!stored);
	}
	restore();
}

/* --- what it leaves ------------------------------------------------------- */

TEST(smp_tlb, remote_canary_stays_until_the_flush)
{
	unsigned int cpu, stale = 0, gone = 0;

	NEEDS_STALE_ENTRIES();
	for (unsigned int round = 0; round < ROUNDS; round++) {
		touch_everywhere();
		pte_clear(slot(0));
		for_each_cpu(cpu, cpu_online_mask())
			stale += seen(cpu, 0) == 'A';
		flush_page(0);
		for_each_cpu(cpu, cpu_online_mask())
			gone += seen(cpu, 0) == 0;
	}
	EXPECT_EQ(stale, ROUNDS * cpus_online());
	EXPECT_EQ(gone, ROUNDS * cpus_online());
	restore();
}

TEST(smp_tlb, neighbours_flush_leaves_the_remote_canary)
{
	unsigned int cpu;

	NEEDS_STALE_ENTRIES();
	touch_everywhere();
	pte_clear(slot(1));
	flush_page(0);
	flush_page(2);
	for_each_cpu(cpu, cpu_online_mask())
		EXPECT_EQ(seen(cpu, 1), 'B');
	restore();
}

TEST(smp_tlb, masked_flush_leaves_the_other_cpus_alone)
{
	unsigned int cpu, told;

	NEEDS_STALE_ENTRIES();
	for_each_cpu(told, cpu_online_mask()) {
		touch_everywhere();
		pte_clear(slot(0));
		tlb_flush_mask(cpumask_of(told), page_va(0), page_end(0));
		for_each_cpu(cpu, cpu_online_mask())
			EXPECT_EQ(seen(cpu, 0), cpu == told ? 0 : 'A');
	}
	restore();
}

TEST(smp_tlb, mask_may_name_cpus_that_are_not_there)
{
	touch_everywhere();
	pte_clear(slot(0));
	tlb_flush_mask((cpumask_t){~0UL}, page_va(0), page_end(0));
	EXPECT_EQ(seen(cpu_id(), 0), 0);
	tlb_flush_mask((cpumask_t){~cpu_online_mask().bits}, page_va(0),
		       page_end(0));
	tlb_flush_mask((cpumask_t){0}, page_va(0), page_end(0));
	restore();
}

TEST(smp_tlb, ranges_are_flushed_together_and_nothing_between)
{
	const struct tlb_range ranges[] = {
		{page_va(0), page_end(0)},
		{page_va(2), page_end(2)},
	};
	unsigned int cpu;

	NEEDS_STALE_ENTRIES();
	touch_everywhere();
	for (unsigned int i = 0; i < NR_PAGES; i++)
		pte_clear(slot(i));
	tlb_flush_ranges(cpu_online_mask(), ranges, ARRAY_SIZE(ranges));
	for_each_cpu(cpu, cpu_online_mask()) {
		struct view view = view_of(cpu);

		EXPECT_EQ(view.value[0], 0);
		EXPECT_EQ(view.value[1], 'B');
		EXPECT_EQ(view.value[2], 0);
		EXPECT_EQ(view.value[3], 'D');
	}
	restore();
}

/* --- a flush that is missing is seen -------------------------------------- */

TEST(smp_tlb, missing_remote_flush_is_seen)
{
	unsigned int cpu;

	NEEDS_STALE_ENTRIES();
	touch_everywhere();
	tlb_test_skip(TLB_SKIP_REMOTE);
	pte_clear(slot(0));
	flush_page(0);
	for_each_cpu(cpu, cpu_online_mask())
		EXPECT_EQ(seen(cpu, 0), cpu == cpu_id() ? 0 : 'A');
	tlb_flush_all();
	for_each_cpu(cpu, cpu_online_mask())
		EXPECT_EQ(seen(cpu, 0), cpu == cpu_id() ? 0 : 'A');
	restore();
}

TEST(smp_tlb, missing_local_flush_is_seen)
{
	unsigned int cpu;

	NEEDS_STALE_ENTRIES();
	touch_everywhere();
	tlb_test_skip(TLB_SKIP_LOCAL);
	pte_clear(slot(0));
	flush_page(0);
	for_each_cpu(cpu, cpu_online_mask())
		EXPECT_EQ(seen(cpu, 0), cpu == cpu_id() ? 'A' : 0);
	restore();
}

/* --- counters, observer --------------------------------------------------- */

static struct tlb_stats before[MAX_CPUS];

static void note_counters(void)
{
	for (unsigned int cpu = 0; cpu < cpus_online(); cpu++)
		before[cpu] = tlb_stats(cpu);
}

/* Since note_counters() this CPU asked for so many flushes, and each CPU of
 * @mask flushed so often. */
static void expect_counters(cpumask_t mask, unsigned int requests,
			    unsigned int ranges, unsigned int full)
{
	cpumask_t others = {mask.bits & ~cpumask_of(cpu_id()).bits};
	unsigned int ipis = requests * cpumask_weight(others);

	for (unsigned int cpu = 0; cpu < cpus_online(); cpu++) {
		struct tlb_stats now = tlb_stats(cpu), *was = &before[cpu];
		bool me = cpu == cpu_id(), in = cpumask_test(mask, cpu);

		EXPECT_EQ(now.requests - was->requests, me ? requests : 0);
		EXPECT_EQ(now.ipis_sent - was->ipis_sent, me ? ipis : 0);
		EXPECT_EQ(now.range_flushes - was->range_flushes,
			  in ? ranges : 0);
		EXPECT_EQ(now.full_flushes - was->full_flushes, in ? full : 0);
	}
}

TEST(smp_tlb, counters_of_every_cpu)
{
	cpumask_t all = cpu_online_mask();
	va_t most = area + TLB_RANGE_MAX_PAGES * PAGE_SIZE;

	note_counters();
	flush_page(0);
	tlb_flush_kernel_range(area, most);
	expect_counters(all, 2, 2, 0);
	note_counters();
	tlb_flush_kernel_range(area, most + PAGE_SIZE);
	tlb_flush_all();
	expect_counters(all, 2, 0, 2);
	for (unsigned int cpu = 0; cpu < cpus_online(); cpu++) {
		note_counters();
		tlb_flush_mask(cpumask_of(cpu), page_va(0), page_end(0));
		expect_counters(cpumask_of(cpu), 1, 1, 0);
	}
}

/* What each CPU told the observer last, and how often it did. */
static struct {
	_Atomic unsigned int begun, calls;
	struct tlb_range range;
	bool irqs_on, elsewhere;
} observed[MAX_CPUS];

/* Who is told otherwise (the debug build's log), and is told all the same. */
static const struct tlb_observer *usual;

static void observe_begin(unsigned int cpu)
{
	observed[cpu].irqs_on |= irq_enabled();
	observed[cpu].elsewhere |= cpu != cpu_id();
	atomic_fetch_add(&observed[cpu].begun, 1);
	if (usual)
		usual->begins(cpu);
}

static void observe(unsigned int cpu, va_t start, va_t end)
{
	observed[cpu].irqs_on |= irq_enabled();
	observed[cpu].elsewhere |= cpu != cpu_id();
	observed[cpu].range = (struct tlb_range){start, end};
	atomic_fetch_add(&observed[cpu].calls, 1);
	if (usual)
		usual->flushed(cpu, start, end);
}

static const struct tlb_observer observer = {observe_begin, observe};

static void begin_to_observe(void)
{
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++) {
		observed[cpu].irqs_on = observed[cpu].elsewhere = false;
		atomic_store(&observed[cpu].begun, 0);
		atomic_store(&observed[cpu].calls, 0);
	}
	usual = tlb_set_observer(&observer);
}

static void expect_observed(unsigned int calls, va_t start, va_t end)
{
	EXPECT_EQ(tlb_set_observer(usual), &observer);
	for (unsigned int cpu = 0; cpu < cpus_online(); cpu++) {
		EXPECT_EQ(!observed[cpu].begun, !calls);
		EXPECT_EQ(observed[cpu].calls, calls);
		EXPECT_EQ(observed[cpu].range.start, start);
		EXPECT_EQ(observed[cpu].range.end, end);
		EXPECT(!observed[cpu].irqs_on);
		EXPECT(!observed[cpu].elsewhere);
	}
}

TEST(smp_tlb, observer_is_told_on_each_cpu)
{
	begin_to_observe();
	flush_page(1);
	flush_page(2);
	expect_observed(2, page_va(2), page_end(2));
	begin_to_observe();
	tlb_flush_all();
	expect_observed(1, 0, ~0UL);
}

TEST(smp_tlb, observer_is_not_told_of_what_was_left_out)
{
	unsigned int me = cpu_id();

	begin_to_observe();
	tlb_test_skip(TLB_SKIP_LOCAL);
	flush_page(0);
	EXPECT_EQ(observed[me].calls, 0);
	tlb_test_skip(TLB_SKIP_REMOTE);
	flush_page(1);
	tlb_test_skip(TLB_SKIP_NOTHING);
	EXPECT_EQ(observed[me].range.start, page_va(1));
	for (unsigned int cpu = 0; cpu < cpus_online(); cpu++)
		EXPECT_EQ(observed[cpu].calls, 1);
	tlb_set_observer(usual);
}

/* --- batches -------------------------------------------------------------- */

TEST(smp_tlb, batch_is_one_shootdown)
{
	struct tlb_batch batch = TLB_BATCH_INIT;

	note_counters();
	begin_to_observe();
	for (unsigned int i = 0; i < NR_PAGES; i++)
		tlb_batch_add(&batch, page_va(i), page_end(i));
	EXPECT_EQ(batch.nr, NR_PAGES);
	EXPECT_EQ(batch.pages, NR_PAGES);
	tlb_batch_flush(&batch);
	expect_observed(NR_PAGES, page_va(NR_PAGES - 1),
			page_end(NR_PAGES - 1));
	expect_counters(cpu_online_mask(), 1, 1, 0);
	EXPECT_EQ(batch.pages, 0);
	tlb_batch_flush(&batch);
	expect_counters(cpu_online_mask(), 1, 1, 0);
}

TEST(smp_tlb, batch_joins_ranges_that_touch)
{
	struct tlb_batch batch = TLB_BATCH_INIT;

	begin_to_observe();
	tlb_batch_add(&batch, area, area + PAGE_SIZE);
	tlb_batch_add(&batch, area + PAGE_SIZE, area + 3 * PAGE_SIZE);
	EXPECT_EQ(batch.nr, 1);
	EXPECT_EQ(batch.pages, 3);
	tlb_batch_flush(&batch);
	expect_observed(1, area, area + 3 * PAGE_SIZE);
}

/* As many pages as are flushed one by one, each for itself, and one more. */
TEST(smp_tlb, batch_that_is_too_long_flushes_everything)
{
	struct tlb_batch batch;

	tlb_batch_init(&batch);
	note_counters();
	for (unsigned int i = 0; i < TLB_RANGE_MAX_PAGES; i++)
		tlb_batch_add(&batch, area + 2 * i * PAGE_SIZE,
			      area + (2 * i + 1) * PAGE_SIZE);
	EXPECT_EQ(batch.nr, TLB_RANGE_MAX_PAGES);
	tlb_batch_flush(&batch);
	expect_counters(cpu_online_mask(), 1, 1, 0);

	note_counters();
	begin_to_observe();
	for (unsigned int i = 0; i <= TLB_RANGE_MAX_PAGES; i++)
		tlb_batch_add(&batch, area + 2 * i * PAGE_SIZE,
			      area + (2 * i + 1) * PAGE_SIZE);
	tlb_batch_flush(&batch);
	expect_observed(1, 0, ~0UL);
	expect_counters(cpu_online_mask(), 1, 0, 1);
}

/* --- all at once ---------------------------------------------------------- */

/* The more CPUs, the less often each. */
static unsigned int nr_flushes(void)
{
	return 4 + 96 / cpus_online();
}

static struct view own_view[MAX_CPUS];

static void look_around(void *unused)
{
	look(&own_view[cpu_id()]);
}

static void flush_often(void *unused)
{
	unsigned int me = cpu_id();

	for (unsigned int i = 0; i < nr_flushes(); i++) {
		switch ((i + me) % 4) {
		case 0:
			flush_page(i % NR_PAGES);
			break;
		case 1:
			tlb_flush_all();
			break;
		case 2:
			tlb_flush_mask((cpumask_t){i}, page_va(0), page_end(2));
			break;
		default:
			cpu_call_mask(cpu_online_mask(), look_around, NULL,
				      i % 8 == 3);
		}
	}
	cpu_call_mask(cpu_online_mask(), look_around, NULL, true);
}

TEST(smp_tlb, all_shoot_at_each_other)
{
	note_counters();
	test_run_on_cpus(cpu_online_mask(), flush_often, NULL);
	for (unsigned int cpu = 0; cpu < cpus_online(); cpu++)
		EXPECT_GE(tlb_stats(cpu).requests - before[cpu].requests,
			  3 * nr_flushes() / 4 - 1);
	restore();
}

/*
 * One CPU at a time changes a page's memory and flushes; then each must see the
 * new one, while the others shoot at all with other flushes. A few CPUs make
 * fire enough.
 */
#define MAX_SHOOTERS NR_PAGES

static _Atomic unsigned int wrong_views, turn;

static unsigned int nr_shooters(void)
{
	return cpus_online() < MAX_SHOOTERS ? cpus_online() : MAX_SHOOTERS;
}

static void change_and_look(void *arg)
{
	unsigned int me = cpu_id(), next = (me + 1) % NR_PAGES;

	while (atomic_load(&turn) != me) {
		cpu_relax();
		flush_page(next);
	}
	for (unsigned int i = 0; i < NR_PAGES; i++) {
		pte_set(slot(me), mapped[i]);
		flush_page(me);
		for (unsigned int cpu = 0; cpu < nr_shooters(); cpu++)
			if (seen(cpu, me) != 'A' + i)
				atomic_fetch_add(&wrong_views, 1);
	}
	pte_set(slot(me), mapped[me]);
	flush_page(me);
	atomic_fetch_add(&turn, 1);
}

TEST(smp_tlb, every_change_is_seen_under_fire)
{
	turn = wrong_views = 0;
	touch_everywhere();
	test_run_on_cpus((cpumask_t){(1UL << nr_shooters()) - 1},
			 change_and_look, NULL);
	EXPECT_EQ(wrong_views, 0);
	restore();
}
