/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translation on the hosted machine: page tables and the software TLB. */
#ifndef HOSTED_TLB_H
#define HOSTED_TLB_H

#include <arch/pte.h>

/* Where a page lies, and what may be done there. */
struct translation {
	pa_t pa; /* of the page */
	pgprot_t prot;
};

/*
 * Read the page tables for the page at @va; touches no TLB.
 * Return: true and *@t; false when no leaf is present.
 */
bool tlb_walk(va_t va, struct translation *t);

/* This CPU's entry for the page at @va. Return: false when there is none. */
bool tlb_cached(va_t va, struct translation *t);

/*
 * Translate the page at @va as an access of this CPU does: the TLB first, the
 * page tables on a miss, which then are cached.
 * Return: true and *@t when the access is permitted.
 */
bool tlb_lookup(va_t va, bool write, struct translation *t);

#endif
