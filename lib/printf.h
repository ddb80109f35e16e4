/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formatted text. Any context; nothing here allocates.
 *
 * Conversions: %d %i %u %x %X %o %c %s %p %%, with the flags - 0 + space #,
 * width and precision (both may be *), and the lengths hh h l ll z j t, all as
 * in C. Beyond C: %p prints 16 hexadecimal digits, %pS the function that the
 * address lies in, as name+0x1c (the address, as 0x… where it is unknown). %s
 * of NULL prints (null). There is no floating point and no %n; a conversion
 * that is not known is printed as it stands.
 */
#ifndef LIB_PRINTF_H
#define LIB_PRINTF_H

#include <lib/compiler.h>
#include <stdarg.h>
#include <stddef.h>

/* Where formatted text goes, piece by piece. */
struct printf_sink {
	void (*write)(struct printf_sink *sink, const char *s, size_t n);
};

/* Format to @sink. Return: the number of bytes written to it. */
int vformat(struct printf_sink *sink, const char *fmt, va_list args)
	__printf(2, 0);

/*
 * Format into the @size bytes at @buf, cut to fit; NUL-terminated whenever
 * @size > 0. @buf may be NULL when @size is 0.
 * Return: the length that the whole text has, whether it fitted or not.
 */
int vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
	__printf(3, 0);
int snprintf(char *buf, size_t size, const char *fmt, ...) __printf(3, 4);

/* The same. Return: the length of what stands in @buf. */
int vscnprintf(char *buf, size_t size, const char *fmt, va_list args)
	__printf(3, 0);
int scnprintf(char *buf, size_t size, const char *fmt, ...) __printf(3, 4);

#endif
