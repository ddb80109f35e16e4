/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tlb_window.h"
#include <arch/tlb.h>
#include <arch/va.h>
#include <lib/compiler.h>
#include <lib/test.h>
#include <mm/page_alloc.h>

pte_t *window_table[PT_LEVELS - 1]; /* of level 0, 1 and 2 */
uint8_t *window_frame[2];

static void *zeroed_page(void)
{
	return get_zeroed_page(GFP_KERNEL);
}

static void free_all(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(window_table); i++)
		free_pages(window_table[i], 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(window_frame); i++)
		free_pages(window_frame[i], 0);
}

static bool allocate_all(void)
{
	bool all = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(window_table); i++)
		all &= (window_table[i] = zeroed_page()) != NULL;
	for (unsigned int i = 0; i < ARRAY_SIZE(window_frame); i++)
		all &= (window_frame[i] = zeroed_page()) != NULL;
	if (!all)
		free_all();
	return all;
}

void window_make(void)
{
	REQUIRE(allocate_all());
	for (unsigned int level = 1; level < PT_LEVELS; level++) {
		pte_t *t = level == PT_LEVELS - 1 ? arch_root_table()
						  : window_table[level];

		pte_set(&t[pt_index(WINDOW_START, level)],
			pte_make_table(va_to_pa(window_table[level - 1])));
	}
}

void window_drop(void)
{
	pte_clear(&arch_root_table()[pt_index(WINDOW_START, PT_LEVELS - 1)]);
	tlb_flush_all();
	free_all();
}

va_t window_page(unsigned long i)
{
	return WINDOW_START + i * PAGE_SIZE;
}

void window_map(unsigned long i, const void *to, pgprot_t prot)
{
	pte_set(&window_table[0][i], pte_make(va_to_pa(to), prot, 0));
}

void window_clear(void)
{
	for (unsigned int i = 0; i < PT_ENTRIES; i++)
		pte_clear(&window_table[0][i]);
	tlb_flush_all();
}

bool window_faults(va_t va)
{
	uint8_t v;

	return !va_try_load8(va, &v);
}

/* The byte at @va, or -1 where it faults. */
int window_peek(va_t va)
{
	uint8_t v;

	return va_try_load8(va, &v) ? v : -1;
}
