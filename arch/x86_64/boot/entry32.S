/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the loader's 32-bit protected mode into long mode.
 *
 * Both loaders leave us with flat 4 GiB segments, paging and interrupts off,
 * and the address of their information in %ebx. We check that the CPU can do
 * what the kernel needs, build the early page tables, and jump up.
 *
 * The early tables map the first 4 GiB three times, by 2 MiB pages, without
 * protection: at 0 (we run there), at the direct map, and the first GiB of it
 * at KERNEL_BASE. The kernel replaces them by its own tree as soon as it
 * knows its memory (mm/kernel_map.c).
 *
 * Registers kept throughout: %ebx loader's information, %ebp which loader.
 */
#include "boot.h"

#define PTE_TABLE 0x003 /* present, writable */
#define PTE_LARGE 0x083 /* and a 2 MiB leaf */

#define CR0_PE (1 << 0)
#define CR0_WP (1 << 16)
#define CR0_PG (1 << 31)
#define CR4_PAE (1 << 5)
#define MSR_EFER 0xc0000080
#define EFER_LME (1 << 8)
#define EFER_NXE (1 << 11)

/* CPUID leaf 1, EDX; the compiler's code has CMOV, and LFENCE is of SSE2. */
#define CPUID_TSC (1 << 4)
#define CPUID_PAE (1 << 6)
#define CPUID_CMOV (1 << 15)
#define CPUID_SSE2 (1 << 26)

/* CPUID leaf 0x80000001, EDX. */
#define CPUID_NX (1 << 20)
#define CPUID_LONG_MODE (1 << 29)

#define COM1 0x3f8
#define DEBUG_EXIT_PORT 0xf4
#define DEBUG_EXIT_PANIC 0x12

	.section .boot.text, "ax"
	.code32

	.globl pvh_entry
pvh_entry:
	movl $BOOT_PVH, %ebp
	jmp start

	.globl multiboot2_entry
multiboot2_entry:
	cmpl $MULTIBOOT2_LOADER_MAGIC, %eax
	movl $no_loader, %esi
	jne refuse
	movl $BOOT_MULTIBOOT2, %ebp

start:
	cli
	cld
	movl $early_stack_end, %esp

	/* CPUID exists where EFLAGS.ID can be flipped. */
	pushfl
	popl %eax
	movl %eax, %ecx
	xorl $(1 << 21), %eax
	pushl %eax
	popfl
	pushfl
	popl %eax
	xorl %ecx, %eax
	testl $(1 << 21), %eax
	movl $no_cpuid, %esi
	jz refuse

	movl $1, %eax
	pushl %ebx
	cpuid
	popl %ebx
	testl $CPUID_TSC, %edx
	movl $no_tsc, %esi
	jz refuse
	movl %edx, %edi
	rdtsc
	movl %eax, boot_start_ticks
	movl %edx, boot_start_ticks + 4
	testl $CPUID_PAE, %edi
	movl $no_pae, %esi
	jz refuse
	testl $CPUID_CMOV, %edi
	movl $no_cmov, %esi
	jz refuse
	testl $CPUID_SSE2, %edi
	movl $no_sse2, %esi
	jz refuse

	movl $0x80000000, %eax
	pushl %ebx
	cpuid
	popl %ebx
	cmpl $0x80000001, %eax
	movl $no_long_mode, %esi
	jb refuse
	movl $0x80000001, %eax
	pushl %ebx
	cpuid
	popl %ebx
	testl $CPUID_LONG_MODE, %edx
	jz refuse
	testl $CPUID_NX, %edx
	movl $no_nx, %esi
	jz refuse

	/* Four page directories side by side: 2048 leaves of 2 MiB. */
	movl $early_pd, %edi
	movl $PTE_LARGE, %eax
	movl $0, %edx
1:	movl %eax, (%edi)
	movl %edx, 4(%edi)
	addl $8, %edi
	addl $0x200000, %eax
	jnc 1b

	movl $early_pd + PTE_TABLE, %eax
	movl $early_pdpt_low, %edi
	movl %eax, early_pdpt_high + 510 * 8
2:	movl %eax, (%edi)
	addl $8, %edi
	addl $0x1000, %eax
	cmpl $early_pd + PTE_TABLE + 4 * 0x1000, %eax
	jne 2b

	movl $early_pdpt_low + PTE_TABLE, early_pml4
	movl $early_pdpt_low + PTE_TABLE, early_pml4 + 273 * 8
	movl $early_pdpt_high + PTE_TABLE, early_pml4 + 511 * 8

	movl %cr4, %eax
	orl $CR4_PAE, %eax
	movl %eax, %cr4
	movl $early_pml4, %eax
	movl %eax, %cr3
	movl $MSR_EFER, %ecx
	rdmsr
	orl $(EFER_LME | EFER_NXE), %eax
	wrmsr
	movl %cr0, %eax
	orl $(CR0_PG | CR0_WP | CR0_PE), %eax
	movl %eax, %cr0

	lgdt early_gdt_pointer
	ljmp $0x08, $start64

/* Say on COM1 why there is no going on (%esi), and end the machine. */
refuse:
	movl $early_stack_end, %esp
	movl $prefix, %edi
	call early_print
	movl %esi, %edi
	call early_print
	movl $newline, %edi
	call early_print
	movl $DEBUG_EXIT_PANIC, %eax
	movw $DEBUG_EXIT_PORT, %dx
	outb %al, %dx
3:	cli
	hlt
	jmp 3b

/* Write the string at %edi. Waits for the transmitter, but not for ever. */
early_print:
	movl $0x100000, %ecx
4:	movw $COM1 + 5, %dx
	inb %dx, %al
	testb $0x20, %al
	jnz 5f
	pause
	loop 4b
5:	movb (%edi), %al
	testb %al, %al
	jz 6f
	movw $COM1, %dx
	outb %al, %dx
	incl %edi
	jmp early_print
6:	ret

	.code64
start64:
	movl $0x10, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	xorl %eax, %eax
	movl %eax, %fs
	movl %eax, %gs
	movabsq $start_high, %rax
	jmp *%rax

	.section .boot.data, "aw"
prefix:	.asciz "Quire: cannot run here: "
newline: .asciz "\r\n"
no_loader: .asciz "not entered by a multiboot2 loader"
no_cpuid: .asciz "the CPU has no CPUID"
no_tsc:	.asciz "the CPU has no time stamp counter"
no_pae:	.asciz "the CPU has no PAE"
no_cmov: .asciz "the CPU has no conditional moves (CMOV)"
no_sse2: .asciz "the CPU has no SSE2"
no_long_mode: .asciz "the CPU has no long mode (64-bit)"
no_nx:	.asciz "the CPU has no NX (no-execute pages)"

	.balign 8
early_gdt:
	.quad 0
	.quad 0x00af9a000000ffff /* 64-bit code */
	.quad 0x00cf92000000ffff /* data */
early_gdt_pointer:
	.short . - early_gdt - 1
	.long early_gdt

	.section .boot.bss, "aw", @nobits
	.balign 4096
	.globl early_pml4
early_pml4: .skip 4096
early_pdpt_low: .skip 4096
early_pdpt_high: .skip 4096
early_pd: .skip 4 * 4096
early_stack: .skip 256
early_stack_end:
	.balign 8
	.globl boot_start_ticks
boot_start_ticks: .skip 8
