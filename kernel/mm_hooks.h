/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's threads do for mm. */
#ifndef KERNEL_MM_HOOKS_H
#define KERNEL_MM_HOOKS_H

#include <stddef.h>
#include <stdint.h>

/* Fill in the table of <mm/hooks.h>. Context: boot, once, after
 * workqueue_init() and grace_init(). */
void kernel_mm_hooks_init(void);

/*
 * mm_snapshot() once all that was put off is done: works, and callbacks after
 * grace periods; and the number of threads.
 * Context: thread, waits. Return: as mm_snapshot().
 */
size_t kernel_snapshot(uint64_t values[], const char *names[], size_t max);

/*
 * With purge=generation have every CPU flush when a generation is new.
 * Context: boot, all CPUs online, timer_init() done.
 */
void kernel_purge_init(void);

#endif
