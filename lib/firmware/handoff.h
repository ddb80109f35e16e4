/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parsers of the loaders' structures have in common. */
#ifndef LIB_FIRMWARE_HANDOFF_H
#define LIB_FIRMWARE_HANDOFF_H

#include <arch/boot_info.h>
#include <stdbool.h>

/*
 * Add the boot module of @size bytes at @start to @info, without a name.
 * One that wraps or lies beyond MAX_PHYS_BITS, and one too many, counts in
 * @info->nr_modules_dropped; the first is printed.
 * Context: any; the caller owns @info.
 * Return: the module, to be named; NULL when it was dropped.
 */
struct boot_module *handoff_add_module(struct boot_info *info, pa_t start,
				       uint64_t size);

/*
 * Copy the string in the @n bytes at @from, which ends there or at a NUL, to
 * @to, which has room for @room bytes and ends in a NUL afterwards.
 * Context: any.
 * Return: true; false when it was cut to fit.
 */
bool handoff_copy_string(char *to, size_t room, const void *from, size_t n);

#endif
