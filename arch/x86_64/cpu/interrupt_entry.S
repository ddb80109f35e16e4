/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where interrupts come in. A handler is a C function, which preserves half of
 * the registers by itself; the others are saved here. The saved frame pointer
 * comes to lie below the address of the interrupted instruction, which makes
 * the two a link in the chain that backtraces follow.
 */

	.macro INTERRUPT name, handler
	.globl	\name
	.type	\name, @function
	.balign	16
\name:
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	/* The CPU aligned the stack to 16 bytes; 16 words with this one. */
	pushq	$0
	cld
	incl	%gs:interrupt_depth
	call	\handler
	decl	%gs:interrupt_depth
	addq	$8, %rsp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	popq	%rbp
	iretq
	.size	\name, . - \name
	.endm

	.text
	INTERRUPT tlb_entry, tlb_vector
	INTERRUPT call_entry, call_vector
	INTERRUPT timer_entry, timer_vector
	INTERRUPT kick_entry, kick_vector

	/* Withdrawn before it was delivered: not even acknowledged. */
	.globl	spurious_entry
	.type	spurious_entry, @function
	.balign	16
spurious_entry:
	iretq
	.size	spurious_entry, . - spurious_entry

	.section .note.GNU-stack, "", @progbits
