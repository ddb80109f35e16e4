/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 6: the clock.
 */
#ifndef ARCH_CLOCK_H
#define ARCH_CLOCK_H

#include <arch/page.h>
#include <stdbool.h>
#include <stdint.h>

/* What one tick of clock_ticks() is. The host says which (clock=). */
enum clock_kind {
	CLOCK_NS,           /* ticks are time; clock_hz() of them a second */
	CLOCK_INSTRUCTIONS, /* the emulator counts one tick per instruction */
};

/* Counters of known rate to measure the clock against; 0: not there. */
struct clock_hardware {
	va_t hpet;       /* its registers, mapped uncached */
	va_t local_apic; /* the same */
	uint16_t pm_timer_port;
	bool pm_timer_32bit; /* else 24 bits wide */
};

/*
 * Say what the clock counts and, for CLOCK_NS, measure how fast: in at most
 * about 10 ms, against the first of HPET, ACPI PM timer, PIT and local APIC
 * timer that works.
 * Context: once, at boot; clock_ticks() works before it too.
 */
void clock_init(enum clock_kind kind, const struct clock_hardware *hw);

/* Monotonic. Any context. */
uint64_t clock_ticks(void);

enum clock_kind clock_kind(void);

/* Ticks per second: as calibrated, or 10^9 for instructions. */
uint64_t clock_hz(void);

/* How that is known: "hpet", "pm-timer", "pit", "lapic" (whose rate is assumed
 * to be 1.00 GHz), "instructions", or "assumed" when nothing worked. */
const char *clock_source(void);

/* Convert a difference of ticks to nanoseconds, exact for any 64-bit value
 * whose result fits. */
uint64_t clock_ticks_to_ns(uint64_t ticks);

#endif
