/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The physical memory of the hosted machine. */
#ifndef HOSTED_RAM_H
#define HOSTED_RAM_H

#include <arch/boot_info.h>
#include <stdbool.h>

/* Where RAM beyond the hole begins, as on a PC. */
#define HIGH_RAM_START 0x100000000UL

#define RAM_LOW_MIN (4UL << 20)
#define RAM_LOW_MAX (3UL << 30)

/*
 * Make @low bytes of RAM from address 0 on (less the PC's hole below 1 MiB)
 * and @high bytes from HIGH_RAM_START on, both whole pages; the root page
 * table, in the last page of the low RAM; address space for the descriptors.
 * Enter all of it into the memory map of @info.
 * Return: 0, or -1 when Linux does not give that much.
 */
int ram_init(size_t low, size_t high, struct boot_info *info);

/* Does [pa, pa + size) lie in one range of RAM? */
bool ram_contains(pa_t pa, size_t size);

/* Is [va, va + size) direct-map or descriptor memory? */
bool ram_direct(va_t va, size_t size);

#endif
