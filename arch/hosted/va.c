/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Access to mapped addresses. Each piece of an access that lies within one
 * page is translated on its own, through the software TLB. Direct-map and
 * descriptor addresses, which a report may pass here, are plain memory.
 */
#include "ram.h"
#include "tlb.h"

#include <arch/va.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <string.h>

/* Host address of the bytes [va, va + n), within one page; NULL: a fault. */
static void *translate(va_t va, size_t n, bool write)
{
	struct translation t;

	if (ram_direct(va, n))
		return (void *)va;
	if (!tlb_lookup(va, write, &t) || !ram_contains(t.pa, PAGE_SIZE))
		return NULL;
	return (char *)pa_to_va(t.pa) + (va & ~PAGE_MASK);
}

/* One line per level, as far as the tables go. */
static void print_walk(va_t va)
{
	const pte_t *table = arch_root_table();

	for (unsigned int level = PT_LEVELS; level-- > 0;) {
		unsigned int i = pt_index(va, level);
		pte_t pte = pte_get(&table[i]);

		printk("  level %u[%u] = %#lx\n", level, i, pte.v);
		if (!pte_present(pte) || pte_leaf(pte, level) ||
		    !ram_contains(pte_pa(pte, level), PAGE_SIZE))
			return;
		table = pa_to_va(pte_pa(pte, level));
	}
}

static void print_translation(const char *from, bool found,
			      struct translation t)
{
	if (!found)
		printk("  %s: not present\n", from);
	else
		printk("  %s: pa %#lx %s%s%s\n", from, t.pa,
		       t.prot & PROT_WRITE ? "writable" : "read-only",
		       t.prot & PROT_EXEC ? " exec" : "",
		       ram_contains(t.pa, PAGE_SIZE) ? "" : ", not RAM");
}

static _Noreturn void fault(va_t va, size_t n, bool write)
{
	struct translation walked = {0}, cached = {0};
	bool in_tables = tlb_walk(va, &walked);
	bool in_tlb = tlb_cached(va, &cached);

	printk("page fault: %s of %zu bytes at %#lx\n",
	       write ? "store" : "load", n, va);
	print_walk(va);
	print_translation("page tables", in_tables, walked);
	print_translation("TLB", in_tlb, cached);
	if (in_tlb && (!in_tables || walked.pa != cached.pa ||
		       walked.prot != cached.prot))
		printk("  the TLB entry is stale: a flush is missing\n");
	panic("page fault: %s at %#lx", write ? "store" : "load", va);
}

static void *access(va_t va, size_t n, bool write)
{
	void *p = translate(va, n, write);

	if (!p)
		fault(va, n, write);
	return p;
}

/* Bytes from @va to the end of its page, at most @n. */
static size_t piece(va_t va, size_t n)
{
	size_t left = PAGE_SIZE - (va & ~PAGE_MASK);

	return n < left ? n : left;
}

uint8_t va_load8(va_t va)
{
	return *(uint8_t *)access(va, 1, false);
}

void va_store8(va_t va, uint8_t v)
{
	*(uint8_t *)access(va, 1, true) = v;
}

uint64_t va_load64(va_t va)
{
	ASSERTF(va % 8 == 0, "va_load64(%#lx): not aligned", va);
	return *(uint64_t *)access(va, 8, false);
}

void va_store64(va_t va, uint64_t v)
{
	ASSERTF(va % 8 == 0, "va_store64(%#lx): not aligned", va);
	*(uint64_t *)access(va, 8, true) = v;
}

void va_zero(va_t va, size_t n)
{
	for (size_t k; n > 0; va += k, n -= k) {
		k = piece(va, n);
		memset(access(va, k, true), 0, k);
	}
}

void va_copy_to(va_t va, const void *from, size_t n)
{
	const char *s = from;

	for (size_t k; n > 0; va += k, s += k, n -= k) {
		k = piece(va, n);
		memcpy(access(va, k, true), s, k);
	}
}

void va_copy_from(void *to, va_t va, size_t n)
{
	char *d = to;

	for (size_t k; n > 0; va += k, d += k, n -= k) {
		k = piece(va, n);
		memcpy(d, access(va, k, false), k);
	}
}

void va_copy_va(va_t to, va_t from, size_t n)
{
	for (size_t k; n > 0; to += k, from += k, n -= k) {
		k = piece(from, piece(to, n));
		memcpy(access(to, k, true), access(from, k, false), k);
	}
}

bool va_try_load8(va_t va, uint8_t *value)
{
	const uint8_t *p = translate(va, 1, false);

	if (p)
		*value = *p;
	return p;
}

bool va_try_store8(va_t va, uint8_t value)
{
	uint8_t *p = translate(va, 1, true);

	if (p)
		*p = value;
	return p;
}
