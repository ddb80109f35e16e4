/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 6: the clock.
 */
#ifndef ARCH_CLOCK_H
#define ARCH_CLOCK_H

#include <stdint.h>

/* What one tick of clock_ticks() is. The host says which (clock=). */
enum clock_kind {
	CLOCK_NS,           /* ticks are time; clock_hz() of them a second */
	CLOCK_INSTRUCTIONS, /* the emulator counts one tick per instruction */
};

/* Monotonic. Any context. */
uint64_t clock_ticks(void);

enum clock_kind clock_kind(void);

/* Ticks per second: as calibrated, or 10^9 for instructions. */
uint64_t clock_hz(void);

/* How that is known: "hpet", "pm-timer", "pit", "lapic", "instructions". */
const char *clock_source(void);

/* Convert a difference of ticks to nanoseconds, exact for any 64-bit value
 * whose result fits. */
uint64_t clock_ticks_to_ns(uint64_t ticks);

#endif
