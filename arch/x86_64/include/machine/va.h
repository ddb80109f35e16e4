/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mapped addresses are the CPU's own: plain accesses. */
#ifndef MACHINE_VA_H
#define MACHINE_VA_H

static inline uint8_t va_load8(va_t va)
{
	return *(volatile uint8_t *)va;
}

static inline void va_store8(va_t va, uint8_t v)
{
	*(volatile uint8_t *)va = v;
}

static inline uint64_t va_load64(va_t va)
{
	return *(volatile uint64_t *)va;
}

static inline void va_store64(va_t va, uint64_t v)
{
	*(volatile uint64_t *)va = v;
}

static inline void va_zero(va_t va, size_t n)
{
	__builtin_memset((void *)va, 0, n);
}

static inline void va_copy_to(va_t va, const void *from, size_t n)
{
	__builtin_memcpy((void *)va, from, n);
}

static inline void va_copy_from(void *to, va_t va, size_t n)
{
	__builtin_memcpy(to, (const void *)va, n);
}

static inline void va_copy_va(va_t to, va_t from, size_t n)
{
	__builtin_memcpy((void *)to, (const void *)from, n);
}

#endif
