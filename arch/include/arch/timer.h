/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 12: a timer interrupt on every CPU.
 */
#ifndef ARCH_TIMER_H
#define ARCH_TIMER_H

#define TIMER_HZ 100

/* What runs at each tick, on each CPU, in interrupt context. NULL: nothing.
 * Context: boot, before the first timer_start(). */
void timer_set_handler(void (*tick)(void));

/*
 * Start, or stop, this CPU's tick, TIMER_HZ times a second. Under load ticks
 * may be lost. Context: this CPU, thread.
 */
void timer_start(void);
void timer_stop(void);

#endif
