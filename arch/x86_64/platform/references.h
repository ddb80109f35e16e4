/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of known rate, for the calibration of the clock. */
#ifndef X86_64_REFERENCES_H
#define X86_64_REFERENCES_H

#include <arch/clock.h>

struct reference {
	const char *name;
	uint64_t hz;   /* of the counter */
	uint64_t mask; /* its width: it wraps to 0 after this value */
	va_t regs;     /* where it is in memory, */
	uint16_t port; /* or among the ports */

	/* The counter's value, counting up. */
	uint64_t (*read)(const struct reference *ref);
	/* Leave the device as it was found; NULL: nothing to do. */
	void (*stop)(const struct reference *ref);
};

/*
 * Start a reference and describe it in @ref.
 * Return: false when this machine has none of its kind.
 */
typedef bool (*reference_start_fn)(const struct clock_hardware *hw,
				   struct reference *ref);

/* The most trustworthy first; the last is NULL. */
extern const reference_start_fn reference_starts[];

#endif
