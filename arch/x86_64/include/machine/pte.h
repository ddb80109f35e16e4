/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86_64 page-table entries (Intel SDM vol. 3, 4.5). Kernel mappings are
 * global, and accessed and dirty are set ahead, so that no CPU writes to a
 * page table behind our back.
 */
#ifndef MACHINE_PTE_H
#define MACHINE_PTE_H

#include <lib/shake.h>

#define PTE_P    (1UL << 0)
#define PTE_RW   (1UL << 1)
#define PTE_PWT  (1UL << 3)
#define PTE_PCD  (1UL << 4)
#define PTE_A    (1UL << 5)
#define PTE_D    (1UL << 6)
#define PTE_PS   (1UL << 7) /* leaf, in levels 1 and 2 */
#define PTE_G    (1UL << 8)
#define PTE_NX   (1UL << 63)
#define PTE_ADDR 0x000ffffffffff000UL

static inline bool pte_none(pte_t pte)
{
	return pte.v == 0;
}

static inline bool pte_present(pte_t pte)
{
	return pte.v & PTE_P;
}

static inline bool pte_leaf(pte_t pte, unsigned int level)
{
	return (pte.v & PTE_P) && (level == 0 || (pte.v & PTE_PS));
}

static inline bool pte_table(pte_t pte, unsigned int level)
{
	return level > 0 && (pte.v & (PTE_P | PTE_PS)) == PTE_P;
}

static inline pa_t pte_table_pa(pte_t pte)
{
	return pte.v & PTE_ADDR;
}

static inline pa_t pte_pa(pte_t pte, unsigned int level)
{
	/* A large leaf has its PAT bit where the address's low bits are. */
	if (level > 0 && (pte.v & PTE_PS))
		return pte.v & PTE_ADDR & ~((1UL << pt_shift(level)) - 1);
	return pte.v & PTE_ADDR;
}

static inline pgprot_t pte_prot(pte_t pte, unsigned int level)
{
	(void)level;
	return (pte.v & PTE_RW ? PROT_WRITE : 0) |
	       (pte.v & PTE_NX ? 0 : PROT_EXEC) |
	       (pte.v & PTE_PCD ? PROT_UNCACHED : 0);
}

static inline pte_t pte_make(pa_t pa, pgprot_t prot, unsigned int level)
{
	uint64_t v = pa | PTE_P | PTE_A | PTE_D | PTE_G;

	if (prot & PROT_WRITE)
		v |= PTE_RW;
	if (!(prot & PROT_EXEC))
		v |= PTE_NX;
	if (prot & PROT_UNCACHED)
		v |= PTE_PCD | PTE_PWT;
	if (level > 0)
		v |= PTE_PS;
	return (pte_t){v};
}

static inline pte_t pte_at(pte_t like, pa_t pa)
{
	return (pte_t){like.v | pa};
}

static inline pte_t pte_make_table(pa_t pa)
{
	return (pte_t){pa | PTE_P | PTE_RW | PTE_A};
}

static inline pte_t pte_get(const pte_t *p)
{
	return (pte_t){__atomic_load_n(&p->v, __ATOMIC_RELAXED)};
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
