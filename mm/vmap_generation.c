/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TLB generations: when may addresses be used again, without asking anyone?
 *
 * Terms
 *	generation	a number that only grows; a batch of lazy areas gets
 *			one when it is closed
 *	done		of a CPU: the generation in which it flushed last
 *
 * Why
 *	A purge interrupts every CPU and waits. But every CPU is interrupted by
 *	its timer a hundred times a second, and a flush costs little then.
 *	Addresses are not scarce, so a batch can wait for that.
 *
 * Operations
 *	close	clear entries, full barrier, batch.gen = ++generation. O(1)
 *	tick	g = generation, full flush, done = g. O(1), nothing when done
 *		is the generation
 *	done	min(done of all CPUs that are online) >= batch.gen. O(CPUs)
 *
 *	A CPU that comes online has done 0: it is waited for until its first
 *	tick, more than is needed. Where there is no timer, batches are never
 *	done, and the purge that comes when too much is lazy does the work.
 *
 * Invariants
 *	N1	a CPU whose done >= g began a full flush after the batch with
 *		generation g was closed, so after its entries were cleared:
 *		the CPU read g, or more, before it flushed, and closing writes
 *		g after clearing
 *
 * Locking
 *	None: one counter, and one word for each CPU that it alone writes.
 *
 * Departures from Linux
 *	Linux knows purges by interrupt only.
 */
#include <arch/cpumask.h>
#include <arch/percpu.h>
#include <arch/tlb.h>
#include <lib/errno.h>
#include <lib/param.h>
#include <lib/string.h>
#include <mm/vmap_generation.h>
#include <stdatomic.h>

enum purge_policy purge_policy = PURGE_IPI;

static _Atomic uint64_t generation;
static DEFINE_PER_CPU(_Atomic uint64_t, generation_done);

static int set_policy(const char *value)
{
	if (strcmp(value, "ipi") == 0)
		purge_policy = PURGE_IPI;
	else if (strcmp(value, "generation") == 0)
		purge_policy = PURGE_GENERATION;
	else
		return -EINVAL;
	return 0;
}

PARAM_FN("purge", set_policy,
	 "ipi|generation: how freed addresses come to be used again");

uint64_t vmap_generation_new(void)
{
	return atomic_fetch_add(&generation, 1) + 1;
}

bool vmap_generation_done(uint64_t g)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask())
		if (atomic_load_explicit(per_cpu_ptr(&generation_done, cpu),
					 memory_order_acquire) < g)
			return false;
	return true;
}

void vmap_generation_tick(void)
{
	_Atomic uint64_t *done = this_cpu_ptr(&generation_done);
	uint64_t g = atomic_load(&generation);

	if (atomic_load_explicit(done, memory_order_relaxed) == g)
		return;
	tlb_flush_all_local();
	atomic_store_explicit(done, g, memory_order_release); /* N1 */
}
