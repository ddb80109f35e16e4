/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 1: pages, addresses, the address map.
 *
 * Everything under arch/include/arch is what lib/, mm/ and kernel/ may know
 * of a machine. Each machine (x86_64, hosted) implements it: functions in its
 * .c files, the inline parts in its include/machine/ headers.
 *
 *   pa_t   physical address, bytes
 *   va_t   virtual address, bytes
 *   pfn    page frame number, pa >> PAGE_SHIFT
 *
 * Ranges are half-open: [start, end).
 */
#ifndef ARCH_PAGE_H
#define ARCH_PAGE_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t pa_t;
typedef uintptr_t va_t;

#define PAGE_SHIFT 12
#define PAGE_SIZE  (1UL << PAGE_SHIFT)
#define PAGE_MASK  (~(PAGE_SIZE - 1))

#define HUGE_PAGE_SHIFT 21 /* the next larger leaf: 2 MiB */
#define HUGE_PAGE_SIZE  (1UL << HUGE_PAGE_SHIFT)

#define PAGE_ALIGN_DOWN(x) ((x)&PAGE_MASK)
#define PAGE_ALIGN(x)      (((x) + PAGE_SIZE - 1) & PAGE_MASK)

/*
 * The machine defines, as constants:
 *   VMALLOC_START, VMALLOC_END    vmalloc space
 *   MODULES_START, MODULES_END    module area
 *   MAX_PHYS_BITS                 physical addresses are below 1 << this
 * and, as expressions:
 *   DIRECT_MAP_BASE               va_t of physical address 0
 *   VMEMMAP_BASE                  va_t of the descriptor of pfn 0
 */
#include <machine/layout.h>

/* Direct map address of physical address @pa. Any context. */
static inline void *pa_to_va(pa_t pa)
{
	return (void *)(DIRECT_MAP_BASE + pa);
}

/* Physical address behind direct map address @va. Any context. */
static inline pa_t va_to_pa(const void *va)
{
	return (pa_t)((va_t)va - DIRECT_MAP_BASE);
}

#endif
