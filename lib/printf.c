/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formatted text.
 *
 * A conversion is read into a `struct spec`, its argument made into at most
 * three pieces, and these are laid out in the field:
 *
 *   spaces  prefix  zeros  body  spaces
 *
 * (prefix: the sign, 0x, or both). The text goes piece by piece to a sink,
 * which may be a buffer, the console, or anything else that takes bytes.
 */
#include <lib/limits.h>
#include <lib/math.h>
#include <lib/printf.h>
#include <lib/string.h>
#include <lib/symbols.h>
#include <stdbool.h>
#include <stdint.h>

/* Octal needs most digits: 64 bits, three a digit. */
#define MAX_DIGITS 22

#define MAX_SYMBOL 96

enum length {
	LEN_INT,
	LEN_CHAR,
	LEN_SHORT,
	LEN_LONG, /* and everything else that has 64 bits */
};

struct spec {
	bool left, plus, space, alternate, zero;
	int width;     /* >= 0 */
	int precision; /* < 0: none given */
	enum length length;
};

struct output {
	struct printf_sink *sink;
	size_t total; /* bytes written */
};

static void emit(struct output *out, const char *s, size_t n)
{
	if (!n)
		return;
	out->sink->write(out->sink, s, n);
	out->total += n;
}

static void emit_repeated(struct output *out, const char *block, size_t n)
{
	size_t size = strlen(block);

	for (; n > size; n -= size)
		emit(out, block, size);
	emit(out, block, n);
}

static void emit_spaces(struct output *out, size_t n)
{
	emit_repeated(out, "                ", n);
}

static void emit_zeros(struct output *out, size_t n)
{
	emit_repeated(out, "0000000000000000", n);
}

/* Lay out the pieces in the field that @spec asks for. */
static void emit_field(struct output *out, const struct spec *spec,
		       const char *prefix, size_t zeros, const char *body,
		       size_t n)
{
	size_t length = strlen(prefix) + zeros + n;
	size_t width = (size_t)spec->width;
	size_t padding = width > length ? width - length : 0;

	if (!spec->left)
		emit_spaces(out, padding);
	emit(out, prefix, strlen(prefix));
	emit_zeros(out, zeros);
	emit(out, body, n);
	if (spec->left)
		emit_spaces(out, padding);
}

/* Write the digits of @value before @end. Return: where they begin; @end for
 * the value 0. */
static char *put_digits(char *end, uint64_t value, unsigned int base,
			const char *digits)
{
	for (; value; value /= base)
		*--end = digits[value % base];
	return end;
}

/* Print the number @magnitude in @base behind @prefix. */
static void emit_number(struct output *out, const struct spec *spec,
			const char *prefix, uint64_t magnitude,
			unsigned int base, const char *digits)
{
	char buf[MAX_DIGITS];
	char *end = buf + sizeof(buf);
	char *start = put_digits(end, magnitude, base, digits);
	size_t n = (size_t)(end - start);
	size_t least = spec->precision < 0 ? 1 : (size_t)spec->precision;

	if (base == 8 && spec->alternate)
		least = max(least, n + 1);
	if (spec->zero && !spec->left && spec->precision < 0 &&
	    (size_t)spec->width > strlen(prefix))
		least = max(least, (size_t)spec->width - strlen(prefix));
	emit_field(out, spec, prefix, least > n ? least - n : 0, start, n);
}

static void format_signed(struct output *out, const struct spec *spec,
			  int64_t value)
{
	uint64_t magnitude = (uint64_t)value;
	const char *sign = spec->plus ? "+" : spec->space ? " " : "";

	if (value < 0) {
		magnitude = -magnitude;
		sign = "-";
	}
	emit_number(out, spec, sign, magnitude, 10, "0123456789");
}

static void format_unsigned(struct output *out, const struct spec *spec,
			    char conversion, uint64_t value)
{
	bool prefixed = spec->alternate && value;

	switch (conversion) {
	case 'u':
		emit_number(out, spec, "", value, 10, "0123456789");
		break;
	case 'o':
		emit_number(out, spec, "", value, 8, "01234567");
		break;
	case 'x':
		emit_number(out, spec, prefixed ? "0x" : "", value, 16,
			    "0123456789abcdef");
		break;
	case 'X':
		emit_number(out, spec, prefixed ? "0X" : "", value, 16,
			    "0123456789ABCDEF");
		break;
	}
}

static void format_string(struct output *out, const struct spec *spec,
			  const char *s)
{
	size_t n = 0;

	if (!s)
		s = "(null)";
	/* With a precision the string need not be terminated. */
	while ((spec->precision < 0 || n < (size_t)spec->precision) && s[n])
		n++;
	emit_field(out, spec, "", 0, s, n);
}

static void format_pointer(struct output *out, const struct spec *spec,
			   const void *p)
{
	struct spec digits = {.precision = 2 * sizeof(p),
			      .width = spec->width,
			      .left = spec->left};

	format_unsigned(out, &digits, 'x', (uintptr_t)p);
}

static void format_symbol(struct output *out, const struct spec *spec,
			  const void *p)
{
	char text[MAX_SYMBOL];
	size_t offset;
	const char *name = symbol_lookup((uintptr_t)p, &offset);

	if (name)
		snprintf(text, sizeof(text), "%s+0x%zx", name, offset);
	else
		snprintf(text, sizeof(text), "0x%p", p);
	format_string(out, spec, text);
}

static int64_t signed_argument(enum length length, va_list *args)
{
	switch (length) {
	case LEN_CHAR:
		return (signed char)va_arg(*args, int);
	case LEN_SHORT:
		return (short)va_arg(*args, int);
	case LEN_INT:
		return va_arg(*args, int);
	default:
		return va_arg(*args, int64_t);
	}
}

static uint64_t unsigned_argument(enum length length, va_list *args)
{
	switch (length) {
	case LEN_CHAR:
		return (unsigned char)va_arg(*args, unsigned int);
	case LEN_SHORT:
		return (unsigned short)va_arg(*args, unsigned int);
	case LEN_INT:
		return va_arg(*args, unsigned int);
	default:
		return va_arg(*args, uint64_t);
	}
}

static const char *parse_flags(const char *p, struct spec *spec)
{
	for (;; p++) {
		switch (*p) {
		case '-':
			spec->left = true;
			break;
		case '+':
			spec->plus = true;
			break;
		case ' ':
			spec->space = true;
			break;
		case '#':
			spec->alternate = true;
			break;
		case '0':
			spec->zero = true;
			break;
		default:
			return p;
		}
	}
}

/* Read a number or a `*`, whose argument may be negative. */
static const char *parse_int(const char *p, va_list *args, int *value)
{
	if (*p == '*') {
		*value = va_arg(*args, int);
		return p + 1;
	}
	for (*value = 0; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, *p - '0', value))
			*value = INT_MAX;
	}
	return p;
}

static const char *parse_length(const char *p, enum length *length)
{
	switch (*p) {
	case 'h':
		*length = p[1] == 'h' ? LEN_CHAR : LEN_SHORT;
		return p + 1 + (p[1] == 'h');
	case 'l':
		*length = LEN_LONG;
		return p + 1 + (p[1] == 'l');
	case 'z':
	case 'j':
	case 't':
		*length = LEN_LONG;
		return p + 1;
	default:
		*length = LEN_INT;
		return p;
	}
}

/* Read the conversion behind a `%` up to its letter. Return: the letter. */
static const char *parse_spec(const char *p, struct spec *spec, va_list *args)
{
	*spec = (struct spec){.precision = -1};
	p = parse_flags(p, spec);
	p = parse_int(p, args, &spec->width);
	if (spec->width < 0) {
		spec->left = true;
		spec->width = spec->width == INT_MIN ? INT_MAX : -spec->width;
	}
	if (*p == '.')
		p = parse_int(p + 1, args, &spec->precision);
	return parse_length(p, &spec->length);
}

/* Format the conversion behind the `%` at @percent. Return: what follows it. */
static const char *convert(struct output *out, const char *percent,
			   va_list *args)
{
	struct spec spec;
	const char *p = parse_spec(percent + 1, &spec, args);
	char c;

	switch (*p) {
	case 'd':
	case 'i':
		format_signed(out, &spec, signed_argument(spec.length, args));
		break;
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		format_unsigned(out, &spec, *p,
				unsigned_argument(spec.length, args));
		break;
	case 'c':
		c = (char)va_arg(*args, int);
		emit_field(out, &spec, "", 0, &c, 1);
		break;
	case 's':
		format_string(out, &spec, va_arg(*args, const char *));
		break;
	case 'p':
		if (p[1] == 'S') {
			format_symbol(out, &spec, va_arg(*args, void *));
			return p + 2;
		}
		format_pointer(out, &spec, va_arg(*args, void *));
		break;
	case '%':
		emit(out, "%", 1);
		break;
	default:
		p -= !*p;
		emit(out, percent, (size_t)(p + 1 - percent));
	}
	return p + 1;
}

int vformat(struct printf_sink *sink, const char *fmt, va_list args)
{
	struct output out = {.sink = sink};
	va_list copy;

	/* A va_list parameter may be an array that decayed: only a copy can be
	 * handed on by address. */
	va_copy(copy, args);
	while (*fmt) {
		const char *end = fmt;

		while (*end && *end != '%')
			end++;
		emit(&out, fmt, (size_t)(end - fmt));
		fmt = *end ? convert(&out, end, &copy) : end;
	}
	va_end(copy);
	return out.total > INT_MAX ? INT_MAX : (int)out.total;
}

struct buffer_sink {
	struct printf_sink sink;
	char *buf;
	size_t room; /* bytes left, the final NUL not counted */
};

static void buffer_write(struct printf_sink *sink, const char *s, size_t n)
{
	struct buffer_sink *buffer =
		container_of(sink, struct buffer_sink, sink);

	n = min(n, buffer->room);
	if (!n)
		return;
	memcpy(buffer->buf, s, n);
	buffer->buf += n;
	buffer->room -= n;
}

int vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	struct buffer_sink buffer = {{buffer_write}, buf, size ? size - 1 : 0};
	int length = vformat(&buffer.sink, fmt, args);

	if (size)
		*buffer.buf = '\0';
	return length;
}

int snprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return length;
}

int vscnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	int length = vsnprintf(buf, size, fmt, args);

	if (!size)
		return 0;
	return (size_t)length < size ? length : (int)(size - 1);
}

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int length;

	va_start(args, fmt);
	length = vscnprintf(buf, size, fmt, args);
	va_end(args);
	return length;
}
