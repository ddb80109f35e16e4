/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Get free pages" flags: what a caller of an allocator wants and permits.
 * Linux's names; only those that mean something here are defined.
 */
#ifndef MM_GFP_H
#define MM_GFP_H

#include <stdint.h>

typedef uint32_t gfp_t;

/* Where the memory may lie. Neither of the first two: anywhere. Both: as
 * __GFP_DMA. */
#define __GFP_DMA      ((gfp_t)1 << 0) /* below 16 MiB */
#define __GFP_DMA32    ((gfp_t)1 << 1) /* below 4 GiB */
#define __GFP_THISNODE ((gfp_t)1 << 2) /* in no other node than asked for */
#define GFP_ZONES      (__GFP_DMA | __GFP_DMA32 | __GFP_THISNODE)

/* What is done to it. */
#define __GFP_ZERO ((gfp_t)1 << 3) /* filled with zeros */
#define __GFP_COMP ((gfp_t)1 << 4) /* any of its pages leads to the first */

/* What the allocator may do. */
#define __GFP_NOWARN         ((gfp_t)1 << 5) /* say nothing when out of memory */
#define __GFP_DIRECT_RECLAIM ((gfp_t)1 << 6) /* wait, take back from caches */

/* For callers that may wait: threads with interrupts on and no lock held. */
#define GFP_KERNEL __GFP_DIRECT_RECLAIM
/* For callers that may not: interrupt handlers, under spinlocks. */
#define GFP_ATOMIC ((gfp_t)0)
/* The same for callers that have another way when it fails. */
#define GFP_NOWAIT __GFP_NOWARN

#endif
