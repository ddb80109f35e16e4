/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first instructions at the kernel's own addresses. */
#include "boot.h"

	.text
	.globl start_high
	.type start_high, @function
start_high:
	/* The data of the low part is reached by its physical address. */
	movl %ebp, %edi
	movl %ebx, %esi
	movq boot_start_ticks, %rdx
	leaq boot_stack_end, %rsp
	xorl %ebp, %ebp /* backtraces end here */
	call boot_main
	ud2
	.size start_high, . - start_high

	/* The page below the stack stays unmapped (arch/x86_64/mm/image.c). */
	.section .bss.stacks, "aw", @nobits
	.balign 4096
	.globl boot_stack_guard
boot_stack_guard: .skip 4096
	.globl boot_stack
boot_stack: .skip BOOT_STACK_SIZE
	.globl boot_stack_end
boot_stack_end:
