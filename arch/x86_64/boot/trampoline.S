/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a started CPU begins: in real mode, at the start of a page below 1 MiB
 * that start.c copied this code to, with everything that it cannot know yet
 * behind the code (struct trampoline_values, trampoline.h).
 *
 * It goes straight to long mode, through the early page tables, which map this
 * page at its physical address as well as the kernel at its own, as they did
 * for the first CPU.
 */

#include "trampoline.h"

	/* Addresses in the copy, seen from its segment. */
#define HERE(symbol) (symbol - trampoline_start)

	.section .rodata.trampoline, "a"
	.balign 16
	.globl trampoline_start
trampoline_start:
	.code16
	cli
	cld
	movw	%cs, %ax
	movw	%ax, %ds
	lgdtl	HERE(gdt_limit)
	movl	HERE(cr4), %eax
	movl	%eax, %cr4
	movl	HERE(cr3), %eax
	movl	%eax, %cr3
	movl	$0xc0000080, %ecx /* EFER */
	movl	HERE(efer), %eax
	xorl	%edx, %edx
	wrmsr
	movl	HERE(cr0), %eax
	movl	%eax, %cr0
	ljmpl	*HERE(jump)

	.code64
	.globl trampoline_long
trampoline_long:
	movl	$0x10, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	xorl	%eax, %eax
	movl	%eax, %fs
	movl	%eax, %gs
	movq	entry(%rip), %rax
	jmp	*%rax

	.balign 8
	.globl trampoline_gdt
trampoline_gdt:
	.quad	0
	.quad	0x00af9b000000ffff /* 64-bit code */
	.quad	0x00cf93000000ffff /* data */

	.globl trampoline_values
trampoline_values:
entry:	.quad	0
cr0:	.long	0
cr3:	.long	0
cr4:	.long	0
efer:	.long	0
jump:	.long	0
	.short	0x08
gdt_limit: .short 3 * 8 - 1
gdt_base: .long	0
	.globl trampoline_end
trampoline_end:

	.text
	.code64
	/*
	 * Here it arrives at the kernel's addresses. If nobody waits for it any
	 * more it must touch nothing; else it takes the kernel's page tables
	 * and the stack made for it.
	 */
	.globl	ap_entry
	.type	ap_entry, @function
ap_entry:
	movl	$AP_AWAITED, %eax
	movl	$AP_ANSWERED, %ecx
	lock cmpxchgl %ecx, ap_state
	jne	1f
	movq	ap_root, %rax
	movq	%rax, %cr3
	movq	ap_stack_end, %rsp
	xorl	%ebp, %ebp /* backtraces end here */
	call	ap_main
	ud2
1:	cli
	hlt
	jmp	1b
	.size	ap_entry, . - ap_entry

	.section .note.GNU-stack, "", @progbits
