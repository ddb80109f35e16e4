/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the hosted machine needs from Linux. os.c alone includes the system's
 * headers: some of their names (PROT_WRITE) are the contract's too.
 */
#ifndef HOSTED_OS_H
#define HOSTED_OS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reserve @size bytes of address space, aligned to @align (a power of two),
 * at @hint where that is free. Any access to it faults.
 * Return: its address; 0 when there is none.
 */
uintptr_t os_reserve(uintptr_t hint, size_t size, size_t align);

/*
 * Make [addr, addr + size) of a reservation zeroed memory. Pages cost memory
 * once they are touched. Return: 0, or -1 when the system refuses.
 */
int os_commit(uintptr_t addr, size_t size);

/* Write all of [s, s + n) to standard output. */
void os_write(const char *s, size_t n);

/* A byte from standard input, or -1 when none waits. */
int os_getc(void);

/* Nanoseconds of a monotonic clock. */
uint64_t os_now_ns(void);

/* The calling thread's stack: [*low, *high). */
void os_stack_bounds(uintptr_t *low, uintptr_t *high);

/* Print the calling thread's functions and source lines on standard error. */
void os_print_stack(void);

/* End the process. */
_Noreturn void os_exit(int status);

#endif
