/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `map`: the kernel's own page tables, as the kernel walks them. A test
 * outside compares this with what the emulator finds in the same tables.
 */
#include <arch/machine.h>
#include <kernel/prompt.h>
#include <lib/compiler.h>
#include <lib/math.h>
#include <lib/printk.h>
#include <mm/pgtable.h>

#define MAX_GUARDS 32

/* Addresses are canonical in two halves of so many bytes; the last page is
 * left out, since its end has no address. */
#define ADDRESS_HALF (1UL << (pt_shift(PT_LEVELS) - 1))
#define LAST_PAGE    (-(va_t)PAGE_SIZE)

static void print_guards(void)
{
	va_t guards[MAX_GUARDS];
	size_t nr =
		min(arch_guard_pages(guards, MAX_GUARDS), (size_t)MAX_GUARDS);

	for (size_t i = 0; i < nr; i++)
		printk("guard page %#lx\n", guards[i]);
}

static void run_map(const char *argument)
{
	const va_t half = 1UL << (pt_shift(PT_LEVELS) - 1);

	/* Between the two halves there are no addresses. */
	pgtable_dump(arch_root_table(), 0, half);
	pgtable_dump(arch_root_table(), -half, LAST_PAGE);
	print_guards();
}

PROMPT_COMMAND(map, "map", NULL, "the page tables, equal ranges merged",
	       run_map);
