/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the hosted machine needs from Linux. os.c alone includes the system's
 * headers: some of their names (PROT_WRITE) are the contract's too.
 */
#ifndef HOSTED_OS_H
#define HOSTED_OS_H

#include <stdbool.h>
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

/* Zeroed memory of @size bytes at least. Return: its address, 0: none. */
uintptr_t os_map(size_t size);

/*
 * Run @fn in a new thread.
 * Return: 0 and its name in *@thread, or -1 when the system refuses.
 */
int os_thread_start(void *(*fn)(void *unused), uintptr_t *thread);

/* The name of the calling thread. */
uintptr_t os_thread_self(void);

/*
 * Sleep while *@word is @value, at most until os_now_ns() is @until (0: for
 * ever). Returns early at times.
 */
void os_wait(const _Atomic uint32_t *word, uint32_t value, uint64_t until);

/* Wake who sleeps on @word. */
void os_wake(const _Atomic uint32_t *word);

/* Let the core do something else: for an instant; another thread; a signal. */
void os_relax(void);
void os_yield(void);
void os_pause(void);

/* Have @handler run in the thread that an NMI is sent to, told where that
 * thread was: instruction and frame pointer. */
void os_on_nmi(bool (*handler)(uintptr_t pc, const void *frame));
void os_send_nmi(uintptr_t thread);

/* The calling thread's stack: [*low, *high). */
void os_stack_bounds(uintptr_t *low, uintptr_t *high);

/* Print the calling thread's functions and source lines on standard error. */
void os_print_stack(void);

/* End the process. */
_Noreturn void os_exit(int status);

#endif
