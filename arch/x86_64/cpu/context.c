/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of execution: what arch_context_switch() (context_switch.S) leaves on
 * the stack of a thread that does not run. */
#include <arch/context.h>
#include <arch/cpu.h>

extern const uint8_t context_start[];

/* Lowest address first. */
struct switch_frame {
	uint64_t r15, r14, r13, r12, rbx, rbp;
	uint64_t return_address;
	uint64_t no_return; /* where a caller's address would be */
};

/* As if the thread had left from the first instruction of context_start. */
void arch_context_init(struct arch_context *context, va_t stack, size_t size,
		       void (*entry)(void *), void *arg)
{
	va_t top = (stack + size) & ~(va_t)15;
	struct switch_frame *frame = (struct switch_frame *)top - 1;

	*frame = (struct switch_frame){
		.r12 = (uint64_t)entry,
		.r13 = (uint64_t)arg,
		.return_address = (uint64_t)context_start,
	};
	context->sp = (va_t)frame;
}
