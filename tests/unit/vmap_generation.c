/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reuse by TLB generation: when batches are done, and that nobody asks. */
#include <arch/percpu.h>
#include <arch/smp.h>
#include <arch/tlb.h>
#include <arch/va.h>
#include <lib/test.h>
#include <mm/page_alloc.h>
#include <mm/vmalloc.h>
#include <mm/vmap_generation.h>
#include <mm/vmap_purge.h>

static void tick(void *arg)
{
	unsigned long flags = irq_save();

	vmap_generation_tick();
	irq_restore(flags);
}

static void tick_all(void)
{
	cpu_call_mask(cpu_online_mask(), tick, NULL, true);
}

TEST(vmap_generation, done_when_every_cpu_has_ticked)
{
	uint64_t g = vmap_generation_new();
	unsigned int cpu;

	EXPECT_LT(g, vmap_generation_new());
	for_each_cpu(cpu, cpu_online_mask()) {
		EXPECT(!vmap_generation_done(g + 1));
		cpu_call(cpu, tick, NULL, true);
	}
	EXPECT(vmap_generation_done(g));
	EXPECT(vmap_generation_done(g + 1));
	EXPECT(!vmap_generation_done(g + 2));
}

TEST(vmap_generation, a_tick_flushes_once)
{
	unsigned long before;

	tick_all();
	before = tlb_stats(cpu_id()).full_flushes;
	tick(NULL);
	EXPECT_EQ(tlb_stats(cpu_id()).full_flushes, before);
	vmap_generation_new();
	tick(NULL);
	tick(NULL);
	EXPECT_EQ(tlb_stats(cpu_id()).full_flushes, before + 1);
	tick_all();
}

/* Allocate and free, with a tick on every CPU each @every times. */
static void churn(unsigned int times, unsigned int every)
{
	for (unsigned int i = 0; i < times; i++) {
		void *p = vmalloc(PAGE_SIZE);

		REQUIRE_NOT_NULL(p);
		va_store8((va_t)p, 1);
		vfree(p);
		if (every && i % every == 0)
			tick_all();
	}
}

TEST(vmap_generation, addresses_come_back_without_a_purge)
{
	enum purge_policy before = purge_policy;
	unsigned long flushes;
	size_t free_bytes;

	purge_policy = PURGE_GENERATION;
	churn(20000, 500); /* the caches are full */
	flushes = vmap_stats().nr_flushes;
	free_bytes = vmap_stats().free_bytes;
	churn(20000, 500);
	EXPECT_EQ(vmap_stats().nr_flushes, flushes);
	EXPECT_GE(vmap_stats().free_bytes + (16UL << 20), free_bytes);
	EXPECT(vmap_verify());
	/* Nobody ticks: then, and only then, a purge. */
	churn(20000, 0);
	EXPECT_GT(vmap_stats().nr_flushes, flushes);
	EXPECT(vmap_verify());
	purge_policy = before;
	vmap_drain();
	EXPECT_EQ(vmap_stats().lazy_pages, 0);
	EXPECT(vmap_verify());
}

TEST(vmap_generation, a_purge_takes_what_is_pending)
{
	enum purge_policy before = purge_policy;
	size_t free_bytes;

	vmap_drain();
	free_bytes = vmap_stats().free_bytes;
	purge_policy = PURGE_GENERATION;
	churn((unsigned int)(lazy_max_pages() / cpus_online() / 3), 0);
	purge_policy = before;
	vmap_drain();
	EXPECT_EQ(vmap_stats().free_bytes, free_bytes);
	EXPECT(vmap_verify());
}
