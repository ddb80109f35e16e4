/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The software TLBs of several CPUs: a missing flush of another CPU is seen at
 * that CPU's next access.
 */
#include "tlb_window.h"
#include <arch/percpu.h>
#include <arch/smp.h>
#include <arch/tlb.h>
#include <arch/va.h>
#include <lib/compiler.h>
#include <lib/test.h>
#include <lib/tlb_batch.h>
#include <stdatomic.h>

#define STALE 1 /* what the two frames say */
#define NEW   2

struct peek {
	unsigned long page;
	int value;
};

static void peek_here(void *arg)
{
	struct peek *p = arg;

	p->value = window_peek(window_page(p->page));
}

/* What @cpu reads from page @i, -1 when that faults. */
static int peek_on(unsigned int cpu, unsigned long i)
{
	struct peek p = {.page = i};

	EXPECT_EQ(cpu_call(cpu, peek_here, &p, true), 0);
	return p.value;
}

static unsigned int last_cpu(void)
{
	return cpus_online() - 1;
}

/* Pages [0, n) are mapped to a frame, used by every CPU, and then mapped to
 * another, without a flush. */
static void make_stale(unsigned long n)
{
	unsigned int cpu;

	window_clear();
	window_frame[0][0] = STALE;
	window_frame[1][0] = NEW;
	for (unsigned long i = 0; i < n; i++) {
		window_map(i, window_frame[0], PAGE_KERNEL);
		for_each_cpu(cpu, cpu_online_mask())
			EXPECT_EQ(peek_on(cpu, i), STALE);
		window_map(i, window_frame[1], PAGE_KERNEL);
	}
}

/* Each online CPU of @mask reads the new page @i, each other one the old. */
static void expect_new(cpumask_t mask, unsigned long i)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask())
		EXPECT_EQ(peek_on(cpu, i),
			  cpumask_test(mask, cpu) ? NEW : STALE);
}

static const cpumask_t nobody;

TEST_SUITE(hosted_tlb_cpus, .setup = window_make, .teardown = window_drop,
	   .min_pages = 16, .min_cpus = 2, .why = "to flush each other's TLB");

TEST(hosted_tlb_cpus, unmapped_page_faults_after_the_shootdown)
{
	window_map(0, window_frame[0], PAGE_KERNEL);
	window_frame[0][0] = STALE;
	EXPECT_EQ(peek_on(0, 0), STALE);
	EXPECT_EQ(peek_on(last_cpu(), 0), STALE);
	pte_clear(&window_table[0][0]);
	EXPECT_EQ(peek_on(0, 0), STALE);
	EXPECT_EQ(peek_on(last_cpu(), 0), STALE);
	tlb_flush_kernel_range(window_page(0), window_page(1));
	EXPECT_EQ(peek_on(0, 0), -1);
	EXPECT_EQ(peek_on(last_cpu(), 0), -1);
}

TEST(hosted_tlb_cpus, local_flush_leaves_the_others)
{
	make_stale(1);
	expect_new(nobody, 0);
	tlb_flush_page_local(window_page(0));
	expect_new(cpumask_of(cpu_id()), 0);
	tlb_flush_all_local();
	expect_new(cpumask_of(cpu_id()), 0);
	tlb_flush_all();
	expect_new(cpu_online_mask(), 0);
	window_clear();
}

TEST(hosted_tlb_cpus, masked_flush_leaves_the_others)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		make_stale(1);
		tlb_flush_mask(cpumask_of(cpu), window_page(0), window_page(1));
		expect_new(cpumask_of(cpu), 0);
	}
	make_stale(1);
	tlb_flush_mask((cpumask_t){~cpu_online_mask().bits}, window_page(0),
		       window_page(1));
	expect_new(nobody, 0);
	window_clear();
}

TEST(hosted_tlb_cpus, range_flush_is_exact_on_each)
{
	make_stale(3);
	tlb_flush_kernel_range(window_page(1), window_page(2));
	expect_new(nobody, 0);
	expect_new(cpu_online_mask(), 1);
	expect_new(nobody, 2);
	window_clear();
}

TEST(hosted_tlb_cpus, batch_flushes_its_ranges_by_one_interrupt)
{
	struct tlb_batch batch = TLB_BATCH_INIT;
	struct tlb_stats before, flushed;

	make_stale(5);
	flushed = tlb_stats(last_cpu());
	before = tlb_stats(cpu_id());
	tlb_batch_add(&batch, window_page(0), window_page(1));
	tlb_batch_add(&batch, window_page(3), window_page(5));
	tlb_batch_flush(&batch);
	EXPECT_EQ(tlb_stats(cpu_id()).requests, before.requests + 1);
	EXPECT_EQ(tlb_stats(cpu_id()).ipis_sent,
		  before.ipis_sent + cpus_online() - 1);
	EXPECT_EQ(tlb_stats(last_cpu()).range_flushes,
		  flushed.range_flushes + 1);
	EXPECT_EQ(tlb_stats(last_cpu()).full_flushes, flushed.full_flushes);
	for (unsigned long i = 0; i < 5; i++)
		expect_new(i == 1 || i == 2 ? nobody : cpu_online_mask(), i);
	window_clear();
}

TEST(hosted_tlb_cpus, many_pages_are_a_full_flush_on_each)
{
	struct tlb_stats before;

	make_stale(2);
	before = tlb_stats(last_cpu());
	tlb_flush_kernel_range(window_page(1),
			       window_page(2 + TLB_RANGE_MAX_PAGES));
	EXPECT_EQ(tlb_stats(last_cpu()).full_flushes, before.full_flushes + 1);
	EXPECT_EQ(tlb_stats(last_cpu()).range_flushes, before.range_flushes);
	expect_new(cpu_online_mask(), 0);
	window_clear();
}

/* What a test of the allocators would see if a flush were left out. */
TEST(hosted_tlb_cpus, flush_left_out_is_seen_at_the_access)
{
	cpumask_t me = cpumask_of(cpu_id());

	make_stale(1);
	tlb_test_skip(TLB_SKIP_REMOTE);
	tlb_flush_kernel_range(window_page(0), window_page(1));
	tlb_flush_all();
	tlb_test_skip(TLB_SKIP_NOTHING);
	expect_new(me, 0);
	make_stale(1);
	tlb_test_skip(TLB_SKIP_LOCAL);
	tlb_flush_kernel_range(window_page(0), window_page(1));
	tlb_flush_all();
	tlb_test_skip(TLB_SKIP_NOTHING);
	expect_new((cpumask_t){~me.bits}, 0);
	window_clear();
}

static DEFINE_PER_CPU(struct tlb_range, seen);
static DEFINE_PER_CPU(unsigned int, nr_seen);

/* Who is told otherwise, and is told all the same. */
static const struct tlb_observer *usual;

static void note_begin(unsigned int cpu)
{
	if (usual)
		usual->begins(cpu);
}

static void note(unsigned int cpu, va_t start, va_t end)
{
	struct tlb_range *mine = this_cpu_ptr(&seen);

	EXPECT_EQ(cpu, cpu_id());
	EXPECT(!irq_enabled());
	*mine = (struct tlb_range){start, end};
	this_cpu_inc(nr_seen);
	if (usual)
		usual->flushed(cpu, start, end);
}

static const struct tlb_observer observer = {note_begin, note};

static void expect_seen(cpumask_t mask, va_t start, va_t end)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		const struct tlb_range *range = per_cpu_ptr(&seen, cpu);

		EXPECT_EQ(*per_cpu_ptr(&nr_seen, cpu), cpumask_test(mask, cpu));
		if (cpumask_test(mask, cpu)) {
			EXPECT_EQ(range->start, start);
			EXPECT_EQ(range->end, end);
		}
		*per_cpu_ptr(&nr_seen, cpu) = 0;
	}
}

TEST(hosted_tlb_cpus, observer_is_told_on_each)
{
	cpumask_t last = cpumask_of(last_cpu());

	usual = tlb_set_observer(&observer);
	expect_seen(nobody, 0, 0);
	tlb_flush_kernel_range(window_page(1), window_page(3));
	expect_seen(cpu_online_mask(), window_page(1), window_page(3));
	tlb_flush_all();
	expect_seen(cpu_online_mask(), 0, ~0UL);
	tlb_flush_mask(last, window_page(0), window_page(1));
	expect_seen(last, window_page(0), window_page(1));
	tlb_test_skip(TLB_SKIP_REMOTE);
	tlb_flush_all();
	tlb_test_skip(TLB_SKIP_NOTHING);
	expect_seen(cpumask_of(cpu_id()), 0, ~0UL);
	EXPECT_EQ(tlb_set_observer(usual), &observer);
	window_clear();
}

static struct {
	atomic_bool off, flushed;
} step;

static void flush_or_be_late(void *arg)
{
	unsigned long flags;

	if (cpu_id() == 0) {
		while (!atomic_load(&step.off))
			cpu_relax();
		tlb_flush_all();
		atomic_store(&step.flushed, true);
		return;
	}
	flags = irq_save();
	atomic_store(&step.off, true);
	for (unsigned int i = 0; i < 10000; i++)
		cpu_relax();
	EXPECT(!atomic_load(&step.flushed));
	irq_restore(flags);
}

TEST(hosted_tlb_cpus, flush_waits_for_who_has_interrupts_off)
{
	step.off = step.flushed = false;
	test_run_on_cpus((cpumask_t){3}, flush_or_be_late, NULL);
	EXPECT(step.flushed);
}

/* All CPUs shoot at all others at once, each at a page of its own. */
static void map_and_flush(void *arg)
{
	unsigned long mine = cpu_id();
	va_t va = window_page(mine);

	for (unsigned int round = 0; round < 200; round++) {
		uint8_t *frame = window_frame[round % 2];

		window_map(mine, frame, PAGE_KERNEL_RO);
		tlb_flush_kernel_range(va, va + PAGE_SIZE);
		EXPECT_EQ(window_peek(va), round % 2 ? NEW : STALE);
	}
}

TEST(hosted_tlb_cpus, all_shoot_at_once)
{
	window_frame[0][0] = STALE;
	window_frame[1][0] = NEW;
	test_run_on_cpus(cpu_online_mask(), map_and_flush, NULL);
	window_clear();
}
