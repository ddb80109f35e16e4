/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The watchdog's timers. In the debug build only. */
#ifndef KERNEL_DEBUG_WATCHDOG_H
#define KERNEL_DEBUG_WATCHDOG_H

#ifdef QUIRE_DEBUG

/* Have every CPU that is online watched (lib/debug/lock_watch.h), unless the
 * watchdog is off. Context: boot, interrupts on. */
void watchdog_start(void);

#else

static inline void watchdog_start(void)
{
}

#endif
#endif
