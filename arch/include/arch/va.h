/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 4: access to mapped kernel addresses (vmalloc, per-CPU
 * and module space).
 *
 * mm/ and its tests touch such addresses only through these, so that the
 * hosted machine can look each access up in its software TLB, where a stale
 * entry is seen at the very access. On x86_64 they are plain accesses.
 * Direct-map memory is touched by pointer.
 */
#ifndef ARCH_VA_H
#define ARCH_VA_H

#include <arch/page.h>
#include <stdbool.h>

/*
 * The machine defines, as inline functions or externs, any context:
 *   uint8_t  va_load8(va)      void va_store8(va, v)
 *   uint64_t va_load64(va)     void va_store64(va, v)   8-byte aligned
 *   void va_zero(va, n)        n bytes
 *   void va_copy_to(va, const void *from, n)
 *   void va_copy_from(void *to, va, n)
 *   void va_copy_va(va_to, va_from, n)  ranges do not overlap; va_copy is
 *                                       a name of <stdarg.h>
 * An access that the page tables (or a stale TLB entry) do not permit is a
 * bug in the caller: the machine reports it and panics.
 */
#include <machine/va.h>

/*
 * Load or store one byte at @va, which may fault.
 * For tests ("this access faults") and for reports that read any address.
 * Return: true when the access succeeded; false when it faulted, and nothing
 * was changed.
 */
bool va_try_load8(va_t va, uint8_t *value);
bool va_try_store8(va_t va, uint8_t value);

#endif
