/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watchdog's timers: one on each CPU, once a second. So no CPU of the debug
 * build is ever without a tick.
 */
#include <arch/percpu.h>
#include <arch/smp.h>
#include <kernel/debug/watchdog.h>
#include <kernel/timer.h>
#include <lib/debug/lock_watch.h>

static void beat(struct timer *timer)
{
	lock_watch_beat();
	timer_arm(timer, WATCH_SECOND);
}

static DEFINE_PER_CPU(struct timer, timer) = TIMER_INIT(beat);

static void start_here(void *arg)
{
	beat(this_cpu_ptr(&timer));
}

void watchdog_start(void)
{
	if (lock_watch_seconds())
		cpu_call_mask(cpu_online_mask(), start_here, NULL, true);
}
