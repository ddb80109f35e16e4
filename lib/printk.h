/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's messages: to the console, and into a ring that keeps the last
 * of them for a memory dump. Messages carry no prefix, since the console speaks
 * KTAP; each ends its line itself. Calls of several CPUs never mix within one
 * call. Any context.
 */
#ifndef LIB_PRINTK_H
#define LIB_PRINTK_H

#include <lib/compiler.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTK_RING_SIZE (16 * 1024)

/* The ring, found in a dump by its symbol: byte i of all that was ever printed
 * stands at text[i % size], if i + size >= written. */
struct printk_ring {
	uint64_t size;    /* bytes of text */
	uint64_t written; /* bytes printed so far */
	char text[PRINTK_RING_SIZE];
};

extern struct printk_ring printk_ring;

/* Print a message of any length. */
void printk(const char *fmt, ...) __printf(1, 2);
void vprintk(const char *fmt, va_list args) __printf(1, 0);

/* Return: how many lines were completed so far, captured ones included. */
unsigned long printk_lines(void);

/* Return: the line that was completed last, without its newline, cut to 255
 * bytes; "" at first. Stays as it is until the next line is complete. */
const char *printk_last_line(void);

/* Where messages go instead of the console while captured, for tests. */
struct printk_capture {
	char *buf;   /* NUL-terminated always, cut to fit */
	size_t size; /* > 0 */
	size_t len;  /* of what stands in buf */
};

/* A capture into @buf, an array of char. */
#define PRINTK_CAPTURE(array)                                                  \
	((struct printk_capture){(array), sizeof(array), 0})

/*
 * Send all messages into @capture, or to the console with NULL.
 * Return: where they went before, to be set again later.
 */
struct printk_capture *printk_set_capture(struct printk_capture *capture);

/* From now on messages go to the console whatever lock or capture is in the
 * way, since the machine is about to end. */
void printk_emergency(void);

#endif
