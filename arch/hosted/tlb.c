/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The software TLB.
 *
 * Terms
 *   entry     one cached translation: a 4 KiB page, its frame, its protection
 *   walk      reading the page tables, root first
 *   stale     an entry that the page tables do not say any more
 *
 * Structures
 *   One table per CPU of TLB_SETS sets of TLB_WAYS entries; a page number's
 *   low bits choose the set, entries of a set are replaced in turn. So up to
 *   TLB_SETS * TLB_WAYS neighbouring pages all stay cached, and a test knows
 *   what is.
 *
 * Operations
 *   look-up    O(TLB_WAYS); on a miss one walk, and the leaf is cached. Large
 *              leaves are cached in 4 KiB pieces.
 *   flush page O(TLB_WAYS);  flush all O(entries)
 *
 * Invariants
 *   1. An entry leaves the table by a flush or by replacement, never because a
 *      PTE changed: whoever changes a PTE and does not flush goes on seeing
 *      the old page.
 *   2. Only present leaves are cached: not-present to present needs no flush.
 *   3. At most one entry per page number.
 *
 * What is stricter than hardware: where an entry forbids a write that the
 * page tables permit, a real CPU may walk again or fault; here it faults
 * always, since a kernel without a handler for such faults has to flush.
 *
 * Locking: a CPU's table is touched by that CPU alone.
 */
#include "tlb.h"
#include "ram.h"

#include <common/tlb.h>
#include <lib/panic.h>

#define TLB_SETS 64
#define TLB_WAYS 8

struct tlb_entry {
	bool valid;
	pgprot_t prot;
	uint64_t vpn; /* virtual page number, va >> PAGE_SHIFT */
	pa_t pa;      /* of the page */
};

struct soft_tlb {
	struct tlb_entry way[TLB_SETS][TLB_WAYS];
	unsigned char next[TLB_SETS]; /* the way replaced next */
};

static DEFINE_PER_CPU(struct soft_tlb, soft_tlb);

_Noreturn void hosted_bad_pte(const char *what, uint64_t v, unsigned int level)
{
	panic("page-table entry: %s: %#lx at level %u", what, v, level);
}

static struct tlb_entry *find(struct soft_tlb *tlb, va_t va)
{
	uint64_t vpn = va >> PAGE_SHIFT;
	struct tlb_entry *set = tlb->way[vpn % TLB_SETS];

	for (unsigned int i = 0; i < TLB_WAYS; i++)
		if (set[i].valid && set[i].vpn == vpn)
			return &set[i];
	return NULL;
}

static void insert(struct soft_tlb *tlb, va_t va, struct translation t)
{
	uint64_t vpn = va >> PAGE_SHIFT;
	unsigned int set = vpn % TLB_SETS;
	struct tlb_entry *e = &tlb->way[set][tlb->next[set]++ % TLB_WAYS];

	*e = (struct tlb_entry){
		.valid = true, .prot = t.prot, .vpn = vpn, .pa = t.pa};
}

static bool canonical(va_t va)
{
	unsigned int bits = pt_shift(PT_LEVELS);

	return (va_t)((intptr_t)(va << (64 - bits)) >> (64 - bits)) == va;
}

bool tlb_walk(va_t va, struct translation *t)
{
	const pte_t *table = arch_root_table();

	if (!canonical(va))
		return false;
	for (unsigned int level = PT_LEVELS; level-- > 0;) {
		pte_t pte = pte_get(&table[pt_index(va, level)]);
		pa_t offset = va & ((1UL << pt_shift(level)) - 1) & PAGE_MASK;

		if (!pte_present(pte))
			return false;
		if (pte_leaf(pte, level)) {
			t->pa = pte_pa(pte, level) + offset;
			t->prot = pte_prot(pte, level);
			return true;
		}
		if (!ram_contains(pte_pa(pte, level), PAGE_SIZE))
			return false;
		table = pa_to_va(pte_pa(pte, level));
	}
	return false;
}

bool tlb_cached(va_t va, struct translation *t)
{
	struct tlb_entry *e = find(this_cpu_ptr(&soft_tlb), va);

	if (e)
		*t = (struct translation){e->pa, e->prot};
	return e;
}

bool tlb_lookup(va_t va, bool write, struct translation *t)
{
	if (!tlb_cached(va, t)) {
		if (!tlb_walk(va, t))
			return false;
		insert(this_cpu_ptr(&soft_tlb), va, *t);
	}
	return !write || t->prot & PROT_WRITE;
}

void tlb_forget_page(va_t va)
{
	struct tlb_entry *e = find(this_cpu_ptr(&soft_tlb), va);

	if (e)
		e->valid = false;
}

void tlb_flush_page_local(va_t va)
{
	tlb_forget_page(va);
}

void tlb_forget_all(void)
{
	struct soft_tlb *tlb = this_cpu_ptr(&soft_tlb);

	for (unsigned int set = 0; set < TLB_SETS; set++)
		for (unsigned int i = 0; i < TLB_WAYS; i++)
			tlb->way[set][i].valid = false;
}
