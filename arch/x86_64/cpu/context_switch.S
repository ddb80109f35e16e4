/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch_context_switch(from, to): a function call that returns on another stack.
 * The caller expects only some registers to be as they were; those are kept on
 * the stack (struct switch_frame, context.c), the stack pointer in *from.
 */
	.text
	.globl	arch_context_switch
	.type	arch_context_switch, @function
arch_context_switch:
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rdi)
	movq	(%rsi), %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.size	arch_context_switch, . - arch_context_switch

	/* Where a new thread begins: calls %r12 with %r13. */
	.globl	context_start
	.type	context_start, @function
context_start:
	movq	%r13, %rdi
	sti
	call	*%r12
	ud2
	.size	context_start, . - context_start

	.section .note.GNU-stack, "", @progbits
