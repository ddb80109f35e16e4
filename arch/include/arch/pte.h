/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 2: page-table entries.
 *
 * A tree of PT_LEVELS tables of PT_ENTRIES entries. Level 0 entries map 4 KiB
 * pages; an entry of level 1 or 2 is either a leaf (2 MiB, 1 GiB) or points to
 * a table; those of the root, level PT_LEVELS - 1, only point to tables.
 */
#ifndef ARCH_PTE_H
#define ARCH_PTE_H

#include <arch/page.h>
#include <stdbool.h>
#include <stdint.h>

#define PT_LEVELS  4
#define PT_ENTRIES 512

/* What a mapping permits, machine-neutral. Reading always is. */
typedef uint32_t pgprot_t;
#define PROT_WRITE    ((pgprot_t)1)
#define PROT_EXEC     ((pgprot_t)2)
#define PROT_UNCACHED ((pgprot_t)4) /* device memory */

#define PAGE_KERNEL         PROT_WRITE
#define PAGE_KERNEL_RO      ((pgprot_t)0)
#define PAGE_KERNEL_ROX     PROT_EXEC
#define PAGE_KERNEL_NOCACHE (PROT_WRITE | PROT_UNCACHED)

typedef struct {
	uint64_t v;
} pte_t;

/* log2 of the bytes that one entry of level @level covers. */
static inline unsigned int pt_shift(unsigned int level)
{
	return PAGE_SHIFT + 9 * level;
}

/* Index of @va in a table of level @level: 0..PT_ENTRIES - 1. */
static inline unsigned int pt_index(va_t va, unsigned int level)
{
	return (va >> pt_shift(level)) & (PT_ENTRIES - 1);
}

/*
 * The machine defines, as inline functions, any context:
 *
 *   bool  pte_none(pte_t)              nothing there; all bits zero
 *   bool  pte_present(pte_t)
 *   bool  pte_leaf(pte_t, level)       present and maps memory
 *   bool  pte_table(pte_t, level)      present and points to a table
 *   pa_t  pte_pa(pte_t, level)         of a leaf's memory or of the next table
 *   pa_t  pte_table_pa(pte_t)          of the next table alone; cheaper
 *   pgprot_t pte_prot(pte_t, level)    of a leaf
 *   pte_t pte_make(pa_t, pgprot_t, level)   a leaf; pa aligned to its size
 *   pte_t pte_at(pte_t like, pa_t)     the leaf @like, made for pa 0, at pa:
 *                                      for a run of equal leaves
 *   pte_t pte_make_table(pa_t)         points to the table at pa
 *   pte_t pte_get(const pte_t *)       one untorn read
 *   void  pte_set(pte_t *, pte_t)      one untorn write, ordered after the
 *                                      writes before it
 *   void  pte_clear(pte_t *)           pte_set to none
 */
#include <machine/pte.h>

/* The root table that translation goes through now. Any context. */
pte_t *arch_root_table(void);

/* Translate through the root table at @root from now on, with nothing
 * remembered of the old one. Context: interrupts off. */
void arch_set_root_table(pa_t root);

/* Largest level (1 or 2) of which this machine's CPUs take leaves. */
unsigned int arch_max_leaf_level(void);

#endif
