/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From addresses to the names of functions, by a table that the build makes of
 * the linked kernel. Without a table (in the hosted build) no name is known.
 */
#ifndef LIB_SYMBOLS_H
#define LIB_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Look up the function that @addr lies in. O(log n). Any context.
 * Return: its name, and in @offset the bytes from its start; NULL when the
 * table has none, @offset is unchanged then.
 */
const char *symbol_lookup(uintptr_t addr, size_t *offset);

/*
 * Print the chain of calls, innermost first, one a line, from frame pointer
 * @frame on; NULL: the caller's own. Any context.
 */
void backtrace_print(const void *frame);

/* Print the @depth return addresses @pcs, innermost first, in the same way. Any
 * context. */
void backtrace_print_pcs(const uintptr_t *pcs, size_t depth);

#endif
