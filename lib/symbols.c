/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol table and backtraces.
 *
 * tools/symbols.py writes the table behind the kernel's code: function starts
 * in ascending order, as offsets from quire_symbols_base, and for each one
 * where its name begins in one block of strings. All of it is weak here, so
 * that a program without a table links too.
 */
#include <arch/cpu.h>
#include <lib/compiler.h>
#include <lib/printk.h>
#include <lib/symbols.h>

#define WEAK __attribute__((weak))

#define MAX_DEPTH 32

extern const uint32_t quire_symbols_count WEAK;
extern const uint32_t quire_symbols_offsets[] WEAK;
extern const uint32_t quire_symbols_names[] WEAK;
extern const char quire_symbols_strings[] WEAK;
extern const uintptr_t quire_symbols_base WEAK;

/* Return: how many entries of the table start at or before @target. */
static uint32_t count_not_above(uintptr_t target)
{
	uint32_t low = 0, high = quire_symbols_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (quire_symbols_offsets[middle] <= target)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *symbol_lookup(uintptr_t addr, size_t *offset)
{
	uintptr_t target;
	uint32_t n;
	const char *name;

	if (!&quire_symbols_count || addr < quire_symbols_base)
		return NULL;
	target = addr - quire_symbols_base;
	n = count_not_above(target);
	if (!n)
		return NULL;
	name = quire_symbols_strings + quire_symbols_names[n - 1];
	/* A nameless entry marks the end of the code. */
	if (!*name)
		return NULL;
	*offset = target - quire_symbols_offsets[n - 1];
	return name;
}

/* A call may be its function's last instruction, and @pc, where it returns to,
 * in the next one then: the byte before tells the function. */
static void print_caller(uintptr_t pc)
{
	size_t offset;
	const char *name = symbol_lookup(pc - 1, &offset);

	if (name)
		printk("  called from %016lx  %s+0x%zx\n", pc, name,
		       offset + 1);
	else
		printk("  called from %016lx\n", pc);
}

void backtrace_print_pcs(const uintptr_t *pcs, size_t depth)
{
	for (size_t i = 0; i < depth; i++)
		print_caller(pcs[i]);
}

noinline void backtrace_print(const void *frame)
{
	uintptr_t pcs[MAX_DEPTH];

	if (!frame)
		frame = __builtin_frame_address(0);
	backtrace_print_pcs(pcs, arch_backtrace(frame, pcs, MAX_DEPTH));
}
