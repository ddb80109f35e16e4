/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls from CPU to CPU.
 *
 * Structures
 *   Each CPU has a call of its own for each CPU that it may call, so that
 *   calling needs no memory, and a queue of the calls that others made to it,
 *   which they add to without a lock. The first one to add sends an interrupt;
 *   the handler takes all.
 *
 * Invariants
 *   C1  a call is in a queue, or taken and not finished, only while it is
 *       pending. The caller fills it only while it is not.
 *   C2  calls from one CPU to another run in the order in which they were
 *       made: the queue is turned round when it is taken, and taken once empty.
 *
 * Why nothing waits for ever: whoever waits has interrupts on and so goes on
 * serving calls; handlers never call. A call whose result nobody waits for is
 * no longer pending once it has been taken, since it is copied then.
 */
#include <arch/smp.h>
#include <arch/tlb.h>
#include <common/ipi.h>
#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/llist.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <stdatomic.h>

struct call {
	struct llist_node node;
	cpu_call_fn fn;
	void *arg;
	bool wait;
	atomic_bool pending;
};

static DEFINE_PER_CPU(struct call[MAX_CPUS], calls); /* [cpu that is called] */
static DEFINE_PER_CPU(struct llist_head, queue) __aligned(64);

static DEFINE_PER_CPU(unsigned long, calls_run);

static void wait_for(struct call *call)
{
	while (atomic_load_explicit(&call->pending, memory_order_acquire))
		cpu_relax();
}

static void finish(struct call *call)
{
	atomic_store_explicit(&call->pending, false, memory_order_release);
}

static void run(struct call *call)
{
	cpu_call_fn fn = call->fn;
	void *arg = call->arg;
	bool wait = call->wait;

	if (!wait)
		finish(call);
	this_cpu_inc(calls_run);
	fn(arg);
	if (wait)
		finish(call);
}

void call_interrupt(void)
{
	struct llist_node *node =
		llist_reverse_order(llist_del_all(this_cpu_ptr(&queue)));

	while (node) {
		struct call *call = llist_entry(node, struct call, node);

		/* Once it has run it may be in another queue. */
		node = node->next;
		run(call);
	}
}

static void run_here(cpu_call_fn fn, void *arg)
{
	unsigned long flags = irq_save();

	this_cpu_inc(interrupt_depth);
	this_cpu_inc(calls_run);
	fn(arg);
	this_cpu_dec(interrupt_depth);
	irq_restore(flags);
}

static struct call *call_to(unsigned int cpu)
{
	return &(*this_cpu_ptr(&calls))[cpu];
}

static void make_call(unsigned int cpu, cpu_call_fn fn, void *arg, bool wait)
{
	struct call *call = call_to(cpu);

	wait_for(call);
	call->fn = fn;
	call->arg = arg;
	call->wait = wait;
	atomic_store_explicit(&call->pending, true, memory_order_relaxed);
	if (llist_add(&call->node, per_cpu_ptr(&queue, cpu)))
		ipi_send_call(cpu);
}

static void check_context(void)
{
	ASSERTF(!in_interrupt() && irq_enabled(),
		"cpu_call: interrupts %s, handlers %u deep",
		irq_enabled() ? "on" : "off", this_cpu_read(interrupt_depth));
}

int cpu_call(unsigned int cpu, cpu_call_fn fn, void *arg, bool wait)
{
	check_context();
	if (cpu >= cpus_online()) {
		printk("cpu_call: CPU %u is not online, %u are\n", cpu,
		       cpus_online());
		return -EINVAL;
	}
	if (cpu == cpu_id()) {
		run_here(fn, arg);
		return 0;
	}
	make_call(cpu, fn, arg, wait);
	if (wait)
		wait_for(call_to(cpu));
	return 0;
}

int cpu_call_mask(cpumask_t mask, cpu_call_fn fn, void *arg, bool wait)
{
	uint64_t online = cpu_online_mask().bits;
	cpumask_t others = {mask.bits & ~cpumask_of(cpu_id()).bits};
	unsigned int cpu;

	check_context();
	if (mask.bits & ~online) {
		printk("cpu_call: CPUs %#lx are not online, %#lx are\n",
		       mask.bits & ~online, online);
		return -EINVAL;
	}
	for_each_cpu(cpu, others)
		make_call(cpu, fn, arg, wait);
	if (others.bits != mask.bits)
		run_here(fn, arg);
	for_each_cpu(cpu, others)
		if (wait)
			wait_for(call_to(cpu));
	return 0;
}

struct smp_stats smp_stats(unsigned int cpu)
{
	return (struct smp_stats){
		.calls_run = per_cpu_read(calls_run, cpu),
		.ipis_sent = ipis_sent(cpu) + tlb_stats(cpu).ipis_sent,
	};
}
