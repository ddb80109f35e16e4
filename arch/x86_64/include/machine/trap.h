/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exceptions: the registers as trap_entry.S saves them, and the functions
 * that put an exception into words. The latter are pure, so that tests can
 * feed them exceptions that never happened.
 */
#ifndef MACHINE_TRAP_H
#define MACHINE_TRAP_H

#include <arch/pte.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VECTOR_DOUBLE_FAULT  8
#define VECTOR_NMI           2
#define VECTOR_INVALID_TSS   10
#define VECTOR_NOT_PRESENT   11
#define VECTOR_STACK         12
#define VECTOR_GP            13
#define VECTOR_PAGE_FAULT    14
#define VECTOR_MACHINE_CHECK 18
#define NR_EXCEPTIONS        32
#define NR_VECTORS           256

/* Bits of a page fault's error code (Intel SDM vol. 3, 4.7). */
#define PF_PRESENT  (1U << 0) /* the page was present, but not so usable */
#define PF_WRITE    (1U << 1)
#define PF_USER     (1U << 2)
#define PF_RESERVED (1U << 3) /* a reserved bit was set in an entry */
#define PF_FETCH    (1U << 4)

/* Lowest address first; from vector on: pushed by the stub and the CPU. */
struct trap_frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
	uint64_t rdi, rsi, rbp, rbx, rdx, rcx, rax;
	uint64_t vector, error;
	uint64_t rip, cs, rflags, rsp, ss;
};

/* What may happen at one instruction and where to go on then: both as the
 * distance from the field itself, so that the table needs no relocation. */
struct ex_entry {
	int32_t fault;
	int32_t resume;
};

/* In an asm statement: a fault at label @fault goes on at label @resume. */
#define EX_TABLE(fault, resume)                                                \
	".pushsection __ex_table, \"a\"\n\t"                                   \
	".balign 4\n\t"                                                        \
	".long " #fault " - ., " #resume " - .\n\t"                            \
	".popsection\n\t"

/*
 * Entered from trap_entry.S with the saved registers; returning goes back to
 * them.
 */
void trap_handler(struct trap_frame *frame);

/*
 * Print everything known about the exception @frame, then panic.
 * Context: any; interrupts off.
 */
_Noreturn void trap_report(const struct trap_frame *frame);

/* Context: any. Return: the vector's mnemonic, "#PF"; "IRQ" from 32 on. */
const char *trap_mnemonic(uint64_t vector);

/* Context: any. Return: the vector's name in words, "page fault". */
const char *trap_name(uint64_t vector);

/*
 * Put the error code @error of exception @vector into words, into @buf of
 * @size bytes.
 * Context: any. Return: the length of the text.
 */
size_t trap_error_text(char *buf, size_t size, uint64_t vector, uint64_t error);

/*
 * Was it the fetch of the instruction itself that failed?
 * Context: any. Return: true when nothing can be read at frame->rip.
 */
bool trap_at_fetch(const struct trap_frame *frame);

/*
 * Say which part of the address map @va lies in.
 * Context: any. Return: the length of the text.
 */
size_t trap_region_text(char *buf, size_t size, va_t va);

/*
 * Say what page-table entry @pte of level @level is: its target, what it
 * permits, its flags.
 * Context: any. Return: the length of the text.
 */
size_t trap_pte_text(char *buf, size_t size, pte_t pte, unsigned int level);

/*
 * Say in one line what happened; @cr2 is the address of a page fault.
 * Context: any. Return: the length of the text.
 */
size_t trap_summary_text(char *buf, size_t size, const struct trap_frame *frame,
			 va_t cr2);

/*
 * Load the eight bytes at @va, which may fault.
 * Context: any. Return: false when it faulted; *@value is unchanged then.
 */
bool cpu_try_load64(va_t va, uint64_t *value);

/*
 * Call the function at @va, which takes and returns nothing, and whose first
 * byte may not be executable.
 * Context: any. Return: false when fetching from @va faulted.
 */
bool cpu_try_call(va_t va);

#endif
