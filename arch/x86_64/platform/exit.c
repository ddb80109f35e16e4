/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end: QEMU's isa-debug-exit device ends the emulator with the status
 * (value << 1 | 1) & 0xff. Where there is none the CPU stops for good.
 */
#include "serial.h"
#include <arch/machine.h>
#include <lib/compiler.h>
#include <machine/io.h>

#define DEBUG_EXIT_PORT 0xf4

static const char halted[] = "no exit device: halted\n";

void machine_exit(enum machine_status status)
{
	__asm__ volatile("cli" : : : "memory");
	console_drain();
	outb(DEBUG_EXIT_PORT, status);
	console_write(halted, sizeof(halted) - 1);
	for (;;)
		__asm__ volatile("hlt" : : : "memory");
}

/* A fault with no interrupt table, so that neither it nor the double fault
 * that follows can be delivered: the third one resets the machine. */
void machine_reset(void)
{
	static const struct {
		uint16_t limit;
		uint64_t base;
	} __packed no_table;

	__asm__ volatile("lidt %0; ud2" : : "m"(no_table));
	__builtin_unreachable();
}
