/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page-table entries of the hosted machine. No hardware reads them, so their
 * form is our own, on purpose unlike x86_64's: code above the contract that
 * knew a bit of the real ones would fail here. A leaf also carries its level,
 * which makes an entry read at the wrong level visible.
 *
 *   63            16 15     7 6     5  4       3    2     1     0
 *   | page frame    |  zero  | level | uncac. | exec | write | leaf | present
 */
#ifndef MACHINE_PTE_H
#define MACHINE_PTE_H

#include <lib/shake.h>

#define HPTE_PRESENT     (1UL << 0)
#define HPTE_LEAF        (1UL << 1)
#define HPTE_WRITE       (1UL << 2)
#define HPTE_EXEC        (1UL << 3)
#define HPTE_UNCACHED    (1UL << 4)
#define HPTE_LEVEL_SHIFT 5
#define HPTE_LEVEL_MASK  (3UL << HPTE_LEVEL_SHIFT)
#define HPTE_PFN_SHIFT   16

/* Report an entry that no correct caller makes or reads, and panic. */
_Noreturn void hosted_bad_pte(const char *what, uint64_t v, unsigned int level);

static inline bool pte_none(pte_t pte)
{
	return pte.v == 0;
}

static inline bool pte_present(pte_t pte)
{
	return pte.v & HPTE_PRESENT;
}

static inline bool pte_leaf(pte_t pte, unsigned int level)
{
	if (!(pte.v & HPTE_PRESENT))
		return false;
	if (!(pte.v & HPTE_LEAF)) {
		if (level == 0)
			hosted_bad_pte("table entry at level 0", pte.v, level);
		return false;
	}
	if ((pte.v & HPTE_LEVEL_MASK) >> HPTE_LEVEL_SHIFT != level)
		hosted_bad_pte("leaf of another level", pte.v, level);
	return true;
}

static inline pa_t pte_pa(pte_t pte, unsigned int level)
{
	if (!(pte.v & HPTE_PRESENT))
		hosted_bad_pte("address of an absent entry", pte.v, level);
	return (pte.v >> HPTE_PFN_SHIFT) << PAGE_SHIFT;
}

static inline bool pte_table(pte_t pte, unsigned int level)
{
	return level > 0 && pte_present(pte) && !pte_leaf(pte, level);
}

static inline pa_t pte_table_pa(pte_t pte)
{
	if (pte.v & HPTE_LEAF)
		hosted_bad_pte("a leaf read as a table", pte.v, 0);
	return pte_pa(pte, 1);
}

static inline pgprot_t pte_prot(pte_t pte, unsigned int level)
{
	if (!pte_leaf(pte, level))
		hosted_bad_pte("protection of no leaf", pte.v, level);
	return (pte.v & HPTE_WRITE ? PROT_WRITE : 0) |
	       (pte.v & HPTE_EXEC ? PROT_EXEC : 0) |
	       (pte.v & HPTE_UNCACHED ? PROT_UNCACHED : 0);
}

static inline pte_t pte_make(pa_t pa, pgprot_t prot, unsigned int level)
{
	uint64_t v = pa >> PAGE_SHIFT << HPTE_PFN_SHIFT;

	if (level > 2 || pa & ((1UL << pt_shift(level)) - 1) ||
	    pa >> MAX_PHYS_BITS)
		hosted_bad_pte("leaf's address", pa, level);
	v |= HPTE_PRESENT | HPTE_LEAF | (uint64_t)level << HPTE_LEVEL_SHIFT;
	if (prot & PROT_WRITE)
		v |= HPTE_WRITE;
	if (prot & PROT_EXEC)
		v |= HPTE_EXEC;
	if (prot & PROT_UNCACHED)
		v |= HPTE_UNCACHED;
	return (pte_t){v};
}

static inline pte_t pte_at(pte_t like, pa_t pa)
{
	unsigned int level = (like.v & HPTE_LEVEL_MASK) >> HPTE_LEVEL_SHIFT;

	if (pte_pa(like, level))
		hosted_bad_pte("pattern that has an address", like.v, level);
	return pte_make(pa, pte_prot(like, level), level);
}

static inline pte_t pte_make_table(pa_t pa)
{
	if (pa & (PAGE_SIZE - 1) || pa >> MAX_PHYS_BITS)
		hosted_bad_pte("table's address", pa, 0);
	return (pte_t){pa >> PAGE_SHIFT << HPTE_PFN_SHIFT | HPTE_PRESENT};
}

static inline pte_t pte_get(const pte_t *p)
{
	/* The walk reads the next table through what is read here; C orders
	 * such reads by acquire alone. */
	return (pte_t){__atomic_load_n(&p->v, __ATOMIC_ACQUIRE)};
}

static inline void pte_set(pte_t *p, pte_t pte)
{
	shake(SHAKE_PTE);
	__atomic_store_n(&p->v, pte.v, __ATOMIC_RELEASE);
}

static inline void pte_clear(pte_t *p)
{
	pte_set(p, (pte_t){0});
}

#endif
