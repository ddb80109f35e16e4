/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tick: each CPU's APIC has a timer, which counts down at the rate of a
 * clock that nothing tells. Where the machine's clock is time the rate is
 * measured against it, by the first CPU that needs it; where it is
 * instructions the emulator counts 10^9 a second of both.
 */
#include "interrupt.h"
#include <arch/clock.h>
#include <arch/timer.h>
#include <lib/math.h>
#include <machine/muldiv.h>
#include <stdatomic.h>

#define WINDOW_US   1000
#define EMULATED_HZ 1000000000
#define US_PER_S    1000000
#define PERIOD_MIN  1000 /* counts: else ticks would be all there is */

static void (*handler)(void);

/* Counts per tick; 0: not measured yet. */
static _Atomic uint32_t period;

void timer_set_handler(void (*tick)(void))
{
	handler = tick;
}

void timer_interrupt(void)
{
	if (handler)
		handler();
}

static void count_down_from(uint32_t count, uint32_t mode)
{
	apic_write(&local_apic, APIC_LVT_TIMER, mode | VECTOR_TIMER);
	apic_write(&local_apic, APIC_TIMER_DIVIDE, APIC_DIVIDE_BY_1);
	apic_write(&local_apic, APIC_TIMER_INITIAL, count);
}

/* Return: counts of the timer per second. */
static uint64_t measure_once(void)
{
	uint64_t ticks = clock_hz() / US_PER_S * WINDOW_US;
	uint64_t start = clock_ticks(), now;
	uint32_t from = apic_read(&local_apic, APIC_TIMER_CURRENT), to;

	do {
		cpu_relax();
		now = clock_ticks();
		to = apic_read(&local_apic, APIC_TIMER_CURRENT);
	} while (now - start < ticks);
	return mul_div_u64(from - to, clock_hz(), now - start);
}

/* The host may take the CPU away between two reads: the median counts. */
static uint64_t measure(void)
{
	uint64_t a, b, c, low, high;

	count_down_from(UINT32_MAX, APIC_LVT_MASKED);
	a = measure_once();
	b = measure_once();
	c = measure_once();
	low = min(a, b);
	high = max(a, b);
	return clamp(c, low, high);
}

static uint32_t get_period(void)
{
	uint32_t counts = atomic_load(&period);

	if (!counts) {
		uint64_t hz = clock_kind() == CLOCK_INSTRUCTIONS ? EMULATED_HZ
								 : measure();

		counts = clamp(hz / TIMER_HZ, (uint64_t)PERIOD_MIN,
			       (uint64_t)UINT32_MAX);
		atomic_store(&period, counts);
	}
	return counts;
}

void timer_start(void)
{
	if (local_apic_works())
		count_down_from(get_period(), APIC_TIMER_PERIODIC);
}

void timer_stop(void)
{
	if (local_apic_works())
		count_down_from(0, APIC_LVT_MASKED);
}
