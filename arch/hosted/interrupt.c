/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts of the hosted machine.
 *
 * Structures
 *   Each CPU has a word of bits, one for each kind of interrupt that is
 *   pending, and sleeps on that word when it is idle. Its timer is no more than
 *   the time of the next tick, at which it looks itself: no thread is behind
 *   it, and nothing ticks that was not started.
 *
 * Operations
 *   raise     a bit, and a wake-up where the CPU sleeps. Whoever raises sets
 *             the bit before it looks for a sleeper, who says that it sleeps
 *             before it looks at the bits: one of them sees the other.
 *   take      all bits at once, the handlers one after the other.
 *   NMI       a signal to the thread: it comes whatever the CPU does.
 */
#include "cpus.h"
#include "os.h"

#include <arch/smp.h>
#include <arch/timer.h>
#include <common/ipi.h>
#include <common/tlb.h>
#include <lib/shake.h>
#include <stdatomic.h>

#define PENDING_TLB  1U
#define PENDING_CALL 2U
#define PENDING_KICK 4U /* to have come out of idle is all */

#define TICK_NS (1000000000UL / TIMER_HZ)

/* Spins before other threads get this one's core, and between looks at the
 * clock, which cost more than a spin. */
#define SPINS_TO_YIELD 64
#define LOOKS_TO_CLOCK 64

struct lines {
	_Atomic uint32_t pending;
	atomic_bool asleep;
};

DEFINE_PER_CPU(unsigned int, interrupt_depth);

static DEFINE_PER_CPU(struct lines, lines) __attribute__((aligned(64)));
static DEFINE_PER_CPU(unsigned long, nr_sent);

static void (*tick_handler)(void);
static DEFINE_PER_CPU(uint64_t, next_tick); /* ns; 0: the timer is off */
static DEFINE_PER_CPU(unsigned int, looks);

static void raise(unsigned int cpu, uint32_t bit)
{
	struct lines *to = per_cpu_ptr(&lines, cpu);

	shake(SHAKE_IPI);
	atomic_fetch_or(&to->pending, bit);
	if (atomic_load(&to->asleep))
		os_wake(&to->pending);
}

void ipi_send_tlb(uint64_t cpus)
{
	unsigned int cpu;

	for_each_cpu(cpu, (cpumask_t){cpus})
		raise(cpu, PENDING_TLB);
}

void ipi_send_call(unsigned int cpu)
{
	this_cpu_inc(nr_sent);
	raise(cpu, PENDING_CALL);
}

void ipi_send_nmi(unsigned int cpu)
{
	this_cpu_inc(nr_sent);
	os_send_nmi(cpus_thread(cpu));
}

unsigned long ipis_sent(unsigned int cpu)
{
	return per_cpu_read(nr_sent, cpu);
}

void cpu_kick(unsigned int cpu)
{
	if (cpu == cpu_id())
		return;
	this_cpu_inc(nr_sent);
	raise(cpu, PENDING_KICK);
}

bool in_interrupt(void)
{
	return this_cpu_read(interrupt_depth);
}

void cpu_halt(void)
{
	for (;;)
		os_pause();
}

/* Is it time for the next tick? Ticks that nobody could take are lost. */
static bool tick_is_due(void)
{
	uint64_t next = this_cpu_read(next_tick), now;

	if (!next || (now = os_now_ns()) < next)
		return false;
	next += TICK_NS;
	this_cpu_write(next_tick, next > now ? next : now + TICK_NS);
	return true;
}

static void handle(uint32_t pending, bool tick)
{
	hosted_cpu.irq_on = false;
	this_cpu_inc(interrupt_depth);
	if (pending & PENDING_TLB)
		tlb_interrupt();
	if (pending & PENDING_CALL)
		call_interrupt();
	if (tick && tick_handler)
		tick_handler();
	this_cpu_dec(interrupt_depth);
	hosted_cpu.irq_on = true;
}

void hosted_take_interrupts(void)
{
	struct lines *mine = this_cpu_ptr(&lines);
	bool tick = false;

	if (this_cpu_read(next_tick)) {
		this_cpu_inc(looks);
		if (this_cpu_read(looks) % LOOKS_TO_CLOCK == 0)
			tick = tick_is_due();
	}
	while (tick ||
	       atomic_load_explicit(&mine->pending, memory_order_relaxed)) {
		handle(atomic_exchange(&mine->pending, 0), tick);
		tick = false;
	}
}

void cpu_relax(void)
{
	if (hosted_cpu.irq_on)
		hosted_take_interrupts();
	if (++hosted_cpu.spins % SPINS_TO_YIELD == 0)
		os_yield();
	else
		os_relax();
}

/* Sleep until something is pending or a tick is due. Return: whether it is. */
static bool sleep_for_interrupt(struct lines *mine)
{
	uint64_t next = this_cpu_read(next_tick);
	bool tick = false;

	atomic_store(&mine->asleep, true);
	while (!tick && !atomic_load(&mine->pending)) {
		os_wait(&mine->pending, 0, next);
		tick = tick_is_due();
	}
	atomic_store(&mine->asleep, false);
	return tick;
}

void cpu_idle_wait(void)
{
	struct lines *mine = this_cpu_ptr(&lines);
	bool tick = sleep_for_interrupt(mine);

	handle(atomic_exchange(&mine->pending, 0), tick);
	irq_restore(true);
}

void timer_set_handler(void (*tick)(void))
{
	tick_handler = tick;
}

void timer_start(void)
{
	this_cpu_write(next_tick, os_now_ns() + TICK_NS);
}

void timer_stop(void)
{
	this_cpu_write(next_tick, 0);
}
