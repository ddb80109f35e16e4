/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What it costs to reach another CPU. Where instructions are counted those of
 * all CPUs count, so these are the cost to the machine; where time is, it is
 * how long the CPU that asks has to wait.
 */
#include <arch/smp.h>
#include <arch/tlb.h>
#include <lib/bench.h>
#include <stdatomic.h>

#define OPS 1000

/* A page that nothing maps: what is flushed does not matter. */
#define PAGE_START VMALLOC_START
#define PAGE_END   (VMALLOC_START + PAGE_SIZE)

static void shoot(struct bench *b, unsigned int cpus)
{
	cpumask_t mask = {(1UL << cpus) - 1};

	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++)
		tlb_flush_mask(mask, PAGE_START, PAGE_END);
	bench_end(b);
}

BENCH(tlb_flush_1, .ops = OPS)
{
	shoot(b, 1);
}

BENCH(tlb_shootdown_2, .ops = OPS, .min_cpus = 2)
{
	shoot(b, 2);
}

BENCH(tlb_shootdown_4, .ops = OPS, .min_cpus = 4)
{
	shoot(b, 4);
}

static void nothing(void *arg)
{
}

BENCH(cpu_call_wait, .ops = OPS, .min_cpus = 2)
{
	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++)
		cpu_call(1, nothing, NULL, true);
	bench_end(b);
}

BENCH(cpu_call_self, .ops = OPS)
{
	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++)
		cpu_call(cpu_id(), nothing, NULL, true);
	bench_end(b);
}

static void raise(void *flag)
{
	atomic_store_explicit((atomic_bool *)flag, true, memory_order_release);
}

/* There by an interrupt, back by a word in memory. */
BENCH(ipi_round_trip, .ops = OPS, .min_cpus = 2)
{
	atomic_bool flag;

	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++) {
		atomic_store_explicit(&flag, false, memory_order_relaxed);
		cpu_call(1, raise, &flag, false);
		while (!atomic_load_explicit(&flag, memory_order_acquire))
			cpu_relax();
	}
	bench_end(b);
}
