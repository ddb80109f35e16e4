/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the CPU comes in: one stub for each of the 256 vectors, 16 bytes
 * apart, each pushing its vector; then the common part, which completes
 * struct trap_frame (<machine/trap.h>) and calls trap_handler.
 */

#define STUB_SIZE 16

/* The exceptions for which the CPU itself pushes an error code: 8, 10 to 14,
 * 17, 21, 29 and 30, one bit each. The other stubs push a 0 in its place. */
#define HAS_ERROR_CODE 0x60227d00

	.text
	.globl	trap_stubs
	.type	trap_stubs, @function
	.balign	STUB_SIZE
trap_stubs:
	.set	vector, 0
	.rept	256
	.balign	STUB_SIZE
	.if	(vector >= 32) || !((HAS_ERROR_CODE >> (vector & 31)) & 1)
	pushq	$0
	.endif
	pushq	$vector
	jmp	trap_common
	.set	vector, vector + 1
	.endr
	.size	trap_stubs, . - trap_stubs

	.type	trap_common, @function
trap_common:
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rbx
	pushq	%rbp
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	/* The CPU aligned the stack to 16 bytes and 22 words followed. */
	cld
	movq	%rsp, %rdi
	call	trap_handler
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rbp
	popq	%rbx
	popq	%rdx
	popq	%rcx
	popq	%rax
	addq	$16, %rsp
	iretq
	.size	trap_common, . - trap_common

	.section .note.GNU-stack, "", @progbits
