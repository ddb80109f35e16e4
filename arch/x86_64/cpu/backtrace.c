/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Backtraces by frame pointer. Every function starts with
 *
 *	push %rbp; mov %rsp, %rbp
 *
 * so that rbp points to a pair (the caller's rbp, the return address), and
 * the pairs form a chain towards the top of the stack, which ends in a zero.
 * The chain may be broken by whatever is being reported: each pair is read
 * through the exception table and must lie above the one before, within the
 * size of a stack.
 */
#include <arch/cpu.h>
#include <machine/trap.h>

#define MAX_STACK (64UL * 1024) /* bytes; larger than any stack */

struct frame_pair {
	uint64_t next;
	uint64_t return_address;
};

static bool pair_read(va_t fp, struct frame_pair *pair)
{
	return fp % sizeof(uint64_t) == 0 && fp >= DIRECT_MAP_BASE &&
	       fp < FIXMAP_START && cpu_try_load64(fp, &pair->next) &&
	       cpu_try_load64(fp + 8, &pair->return_address);
}

size_t arch_backtrace(const void *frame, uintptr_t *pcs, size_t max)
{
	va_t fp = (va_t)(frame ? frame : __builtin_frame_address(0));
	struct frame_pair pair;
	size_t n = 0;

	while (n < max && pair_read(fp, &pair) && pair.return_address) {
		pcs[n++] = pair.return_address;
		if (pair.next <= fp || pair.next - fp > MAX_STACK)
			break;
		fp = pair.next;
	}
	return n;
}
