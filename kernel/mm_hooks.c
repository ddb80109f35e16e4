/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's threads do for mm, and how they come to rest. */
#include <arch/percpu.h>
#include <arch/smp.h>
#include <kernel/grace.h>
#include <kernel/mm_hooks.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <kernel/workqueue.h>
#include <mm/hooks.h>
#include <mm/mm.h>
#include <mm/vmap_generation.h>
#include <mm/vmap_purge.h>

static void drain(struct work *work)
{
	vm_unmap_aliases();
}

static struct work drain_work = WORK_INIT(drain_work, drain);

static void wake_drain(void)
{
	queue_work(&drain_work);
}

/* ---- purge=generation ---------------------------------------------------- */

#define GENERATION_NS 10000000UL /* between two looks at the generation */

static DEFINE_PER_CPU(struct timer, generation_timer);

static void generation_tick(struct timer *timer)
{
	vmap_generation_tick();
	timer_arm(timer, GENERATION_NS);
}

static void start_generations(void *arg)
{
	struct timer *timer = this_cpu_ptr(&generation_timer);

	*timer = (struct timer)TIMER_INIT(generation_tick);
	timer_arm(timer, GENERATION_NS);
}

void kernel_purge_init(void)
{
	if (purge_policy == PURGE_GENERATION)
		cpu_call_mask(cpu_online_mask(), start_generations, NULL, true);
}

/* ---- hooks --------------------------------------------------------------- */

static const struct mm_hooks hooks = {
	.may_sleep = thread_may_block,
	.yield = thread_yield,
	.wake_drain = wake_drain,
	.call_after_grace = call_after_grace,
};

void kernel_mm_hooks_init(void)
{
	mm_hooks_register(&hooks);
}

size_t kernel_snapshot(uint64_t values[], const char *names[], size_t max)
{
	size_t n;

	/* What kvfree_rcu() got waits for two grace periods, and a callback may
	 * queue a work. */
	grace_barrier();
	grace_barrier();
	flush_all_work();
	n = mm_snapshot(values, names, max);
	if (n < max) {
		names[n] = "threads";
		values[n++] = thread_count();
	}
	return n;
}
