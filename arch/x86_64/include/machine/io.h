/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Port input and output, and device registers in memory. Any context. */
#ifndef MACHINE_IO_H
#define MACHINE_IO_H

#include <arch/page.h>
#include <stdint.h>

static inline uint8_t inb(uint16_t port)
{
	uint8_t v;

	__asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port) : "memory");
	return v;
}

static inline uint32_t inl(uint16_t port)
{
	uint32_t v;

	__asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port) : "memory");
	return v;
}

static inline void outb(uint16_t port, uint8_t v)
{
	__asm__ volatile("outb %0, %1" : : "a"(v), "Nd"(port) : "memory");
}

/* The 32-bit device register at @va, mapped uncached. */
static inline uint32_t mmio_read32(va_t va)
{
	return *(volatile uint32_t *)va;
}

static inline void mmio_write32(va_t va, uint32_t v)
{
	*(volatile uint32_t *)va = v;
}

#endif
