/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The console: a 16550 UART at COM1, 115200 baud, 8 data bits, no parity, one
 * stop bit, polled both ways.
 *
 * A write waits until the transmitter is empty and then hands it a FIFO's
 * worth. How long it may wait is bounded, for a port that never gets ready;
 * the bound is large, since under an emulator the far side may be a reader
 * that is busy elsewhere. Once it has been reached, later writes look once
 * and drop their bytes, until the port is found ready again.
 */
#include "serial.h"
#include <arch/clock.h>
#include <arch/cpu.h>
#include <arch/machine.h>
#include <machine/cpu_init.h>
#include <machine/io.h>

#define COM1 0x3f8

/* Registers, as offsets. */
#define UART_DATA    0
#define UART_IER     1 /* interrupts */
#define UART_DIVISOR 0 /* two bytes, while LCR_DLAB is set */
#define UART_FCR     2
#define UART_LCR     3
#define UART_MCR     4
#define UART_LSR     5
#define UART_SCRATCH 7

#define FCR_ENABLE_CLEAR 0x07
#define LCR_8N1          0x03
#define LCR_DLAB         0x80
#define MCR_DTR_RTS      0x03
#define LSR_DATA         0x01
#define LSR_THR_EMPTY    0x20
#define LSR_IDLE         0x40

#define DIVISOR_115200 1
#define FIFO_SIZE      16

/* Ticks of the clock, whatever its rate: one to four minutes. */
#define MAX_WAIT (1UL << 38)

static bool present;
static uint64_t wait_limit = MAX_WAIT;

/* An absent port reads as ones. */
static bool port_found(void)
{
	static const uint8_t patterns[] = {0x5a, 0xa5};

	for (unsigned int i = 0; i < sizeof(patterns); i++) {
		outb(COM1 + UART_SCRATCH, patterns[i]);
		if (inb(COM1 + UART_SCRATCH) != patterns[i])
			return false;
	}
	return true;
}

void console_init(void)
{
	present = port_found();
	if (!present)
		return;
	outb(COM1 + UART_IER, 0);
	outb(COM1 + UART_LCR, LCR_DLAB);
	outb(COM1 + UART_DIVISOR, DIVISOR_115200);
	outb(COM1 + UART_DIVISOR + 1, 0);
	outb(COM1 + UART_LCR, LCR_8N1);
	outb(COM1 + UART_FCR, FCR_ENABLE_CLEAR);
	outb(COM1 + UART_MCR, MCR_DTR_RTS);
}

/* Wait until one of the line status bits @bits is set. */
static bool wait_status(uint8_t bits)
{
	uint64_t start = 0;

	while (!(inb(COM1 + UART_LSR) & bits)) {
		uint64_t now = clock_ticks();

		if (!start)
			start = now;
		if (now - start >= wait_limit) {
			wait_limit = 0;
			return false;
		}
		cpu_relax();
	}
	wait_limit = MAX_WAIT;
	return true;
}

static void put(char c)
{
	static unsigned int room; /* bytes that the FIFO still takes */

	if (room == 0) {
		if (!wait_status(LSR_THR_EMPTY))
			return;
		room = FIFO_SIZE;
	}
	outb(COM1 + UART_DATA, c);
	room--;
}

/* Lines end as terminals want it. */
void console_write(const char *s, size_t n)
{
	if (!present)
		return;
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\n')
			put('\r');
		put(s[i]);
	}
}

int console_getc(void)
{
	if (!present || !(inb(COM1 + UART_LSR) & LSR_DATA))
		return -1;
	return inb(COM1 + UART_DATA);
}

void console_drain(void)
{
	if (present)
		wait_status(LSR_IDLE);
}
