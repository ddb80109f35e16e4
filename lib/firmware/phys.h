/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the firmware parsers reach memory that they know by physical address.
 */
#ifndef LIB_FIRMWARE_PHYS_H
#define LIB_FIRMWARE_PHYS_H

#include <arch/page.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Copy @n bytes at physical address @pa to @buf. @ctx is the caller's own.
 * Return: true; false when any of the bytes can't be read. @pa comes from
 * firmware and may be anything, but @pa + @n never passes 1 << MAX_PHYS_BITS.
 */
typedef bool (*phys_read_fn)(void *ctx, pa_t pa, void *buf, size_t n);

/* A reader and what it reads from. */
struct phys_reader {
	phys_read_fn read;
	void *ctx;
};

/*
 * Copy @n bytes at @pa, which may be any number, to @buf.
 * Context: the reader's.
 * Return: true; false when any of the bytes can't be read.
 */
static inline bool phys_read(const struct phys_reader *from, pa_t pa, void *buf,
			     size_t n)
{
	const pa_t end = (pa_t)1 << MAX_PHYS_BITS;

	return pa < end && n <= end - pa && from->read(from->ctx, pa, buf, n);
}

#endif
