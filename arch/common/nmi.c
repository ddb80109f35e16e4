/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Questions to a CPU that does not listen: an NMI interrupts it whatever it
 * does, interrupts off or not.
 *
 * One question is asked at a time, of one CPU. Who asks may itself be broken,
 * and the CPU that is asked may never answer, so nobody waits for long.
 */
#include <arch/clock.h>
#include <arch/smp.h>
#include <common/ipi.h>
#include <lib/printk.h>
#include <stdatomic.h>

#define NOBODY -1

/* Written by who asks, before @cpu; read by who is asked. */
static struct {
	atomic_int cpu; /* who is asked, and has not begun to answer */
	cpu_report_fn report;
	bool stop; /* and is not let go on */
	atomic_bool answered;
} question = {.cpu = NOBODY};

static atomic_bool asking; /* somebody is, with @question */

bool nmi_interrupt(uintptr_t pc, const void *frame)
{
	int me = cpu_id();
	bool stop;

	if (!atomic_compare_exchange_strong(&question.cpu, &me, NOBODY))
		return false;
	stop = question.stop;
	this_cpu_inc(interrupt_depth);
	question.report(cpu_id(), pc, frame);
	this_cpu_dec(interrupt_depth);
	atomic_store(&question.answered, true);
	if (stop)
		cpu_halt();
	return true;
}

static bool is_answered(void)
{
	return atomic_load(&question.answered);
}

/* Return: true when this CPU is the one that asks now. */
static bool begin_to_ask(void)
{
	return !atomic_exchange(&asking, true);
}

/* Return: false when @done did not become true within a second. */
static bool wait_until(bool (*done)(void))
{
	uint64_t start = clock_ticks();

	while (!done()) {
		if (clock_ticks() - start > clock_hz())
			return false;
		cpu_relax();
	}
	return true;
}

static bool ask(unsigned int cpu, cpu_report_fn report, bool stop)
{
	int asked = cpu;

	question.report = report;
	question.stop = stop;
	atomic_store(&question.answered, false);
	atomic_store(&question.cpu, asked);
	ipi_send_nmi(cpu);
	if (wait_until(is_answered))
		return true;
	/* Withdrawn, unless it begins to answer in this very moment. */
	if (atomic_compare_exchange_strong(&question.cpu, &asked, NOBODY))
		return false;
	return wait_until(is_answered);
}

bool cpu_interrogate(unsigned int cpu, cpu_report_fn report)
{
	bool answered;

	while (!begin_to_ask())
		cpu_relax();
	answered = ask(cpu, report, false);
	atomic_store(&asking, false);
	return answered;
}

bool cpu_stop(unsigned int cpu, cpu_report_fn report)
{
	/* Who asks may have been stopped while asking. */
	wait_until(begin_to_ask);
	bool answered = ask(cpu, report, true);

	atomic_store(&asking, false);
	return answered;
}
