/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For suites of the software TLB: 1 GiB of addresses that nothing else uses,
 * with page tables made by hand, and two frames to map there.
 */
#ifndef TESTS_TLB_WINDOW_H
#define TESTS_TLB_WINDOW_H

#include <arch/pte.h>

#define WINDOW_START 0xffff900000000000UL

extern pte_t *window_table[PT_LEVELS - 1]; /* of level 0, 1 and 2 */
extern uint8_t *window_frame[2];

/* Set-up and tear-down of a suite. */
void window_make(void);
void window_drop(void);

/* The address of page @i. */
va_t window_page(unsigned long i);

/* Map page @i, below PT_ENTRIES, to the frame @to. */
void window_map(unsigned long i, const void *to, pgprot_t prot);

/* Unmap all pages below PT_ENTRIES, and flush all. */
void window_clear(void);

/* Does a load at @va fault? */
bool window_faults(va_t va);

/* The byte at @va, or -1 where it faults. */
int window_peek(va_t va);

#endif
