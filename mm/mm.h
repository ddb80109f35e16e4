/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory as a whole: bring-up in order, draining, what must balance. */
#ifndef MM_MM_H
#define MM_MM_H

#include <arch/boot_info.h>
#include <stddef.h>
#include <stdint.h>

/* With less usable memory than this (bytes) the kernel does not start. */
#define MM_MIN_MEMORY (16UL << 20)

/*
 * Tell memblock what memory there is and what of it is taken: the first MiB,
 * the image, the loader's structures, the boot modules.
 * Context: boot, once.
 * Return: 0; -ENOMEM after one line when less than MM_MIN_MEMORY is usable.
 */
int mm_early_init(const struct boot_info *info);

/*
 * Bring up the allocators, bottom up. The page tables that hold the direct
 * map and the page descriptors are in force.
 * Context: boot, once, after mm_early_init().
 */
void mm_init(const struct boot_info *info);

/*
 * Give back what caches hold: lazily freed areas, empty slabs.
 * Context: may flush the TLBs of all CPUs.
 */
void mm_drain_all(void);

/*
 * Drain, then list what must be the same before and after work that freed
 * all it allocated: free pages plus kept page tables, live objects, areas.
 * Names are constant strings.
 * Context: as mm_drain_all(). Return: how many of @max were filled in.
 */
size_t mm_snapshot(uint64_t values[], const char *names[], size_t max);

#endif
