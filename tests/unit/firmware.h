/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the suites of the firmware parsers share: a builder for their blobs,
 * memory that a sanitizer guards to the byte, and silence.
 */
#ifndef TESTS_UNIT_FIRMWARE_H
#define TESTS_UNIT_FIRMWARE_H

#include <arch/boot_info.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test.h>

#define BLOB_MAX 8192

struct blob {
	uint8_t bytes[BLOB_MAX];
	size_t len;
};

/* Append @n bytes of @from. */
static inline void blob_put(struct blob *b, const void *from, size_t n)
{
	ASSERT(n <= sizeof(b->bytes) - b->len);
	memcpy(b->bytes + b->len, from, n);
	b->len += n;
}

static inline void blob_u8(struct blob *b, uint8_t v)
{
	blob_put(b, &v, sizeof(v));
}

static inline void blob_u16(struct blob *b, uint16_t v)
{
	blob_put(b, &v, sizeof(v));
}

static inline void blob_u32(struct blob *b, uint32_t v)
{
	blob_put(b, &v, sizeof(v));
}

static inline void blob_u64(struct blob *b, uint64_t v)
{
	blob_put(b, &v, sizeof(v));
}

/* Append zeroes until the length is @len. */
static inline void blob_fill_to(struct blob *b, size_t len)
{
	while (b->len < len)
		blob_u8(b, 0);
}

/* Append @s with its NUL. */
static inline void blob_string(struct blob *b, const char *s)
{
	blob_put(b, s, strlen(s) + 1);
}

/* Overwrite the 32-bit word at @at. */
static inline void blob_set_u32(struct blob *b, size_t at, uint32_t v)
{
	ASSERT(at + sizeof(v) <= b->len);
	memcpy(b->bytes + at, &v, sizeof(v));
}

static inline uint32_t blob_get_u32(const struct blob *b, size_t at)
{
	uint32_t v;

	ASSERT(at + sizeof(v) <= b->len);
	memcpy(&v, b->bytes + at, sizeof(v));
	return v;
}

/* Change one to eight bytes anywhere in @b. */
static inline void blob_corrupt(struct blob *b, struct rng *rng)
{
	static const uint8_t nasty[] = {0, 1, 7, 8, 0x7f, 0x80, 0xff};
	unsigned int n = 1 + rng_below(rng, 8);

	while (n-- > 0) {
		uint64_t pick = rng_below(rng, 2 * sizeof(nasty));

		b->bytes[rng_below(rng, b->len)] =
			pick < sizeof(nasty) ? nasty[pick] : rng_u64(rng);
	}
}

/*
 * The first @n bytes of @b where nothing readable follows them: they end with
 * the array, and the address sanitizer guards what lies behind.
 */
static inline const void *blob_at_edge(const struct blob *b, size_t n)
{
	static uint8_t edge[BLOB_MAX];

	return memcpy(edge + sizeof(edge) - n, b->bytes, n);
}

/* Physical memory that holds one blob and nothing else. */
struct blob_memory {
	pa_t pa;
	const uint8_t *bytes;
	size_t len;
};

/* A phys_read_fn of a struct blob_memory. */
static inline bool blob_memory_read(void *ctx, pa_t pa, void *buf, size_t n)
{
	const struct blob_memory *m = ctx;

	if (pa < m->pa || pa - m->pa > m->len || n > m->len - (pa - m->pa))
		return false;
	memcpy(buf, m->bytes + (pa - m->pa), n);
	return true;
}

/* Messages between the two are kept from the console; they may be read as
 * quiet_text until the next quiet_begin. */
static char quiet_text[512];
static struct printk_capture quiet_capture;
static struct printk_capture *quiet_before;
static unsigned long quiet_first_line;

static inline void quiet_begin(void)
{
	quiet_capture = PRINTK_CAPTURE(quiet_text);
	quiet_text[0] = '\0';
	quiet_before = printk_set_capture(&quiet_capture);
	quiet_first_line = printk_lines();
}

/* Return: how many lines were printed since quiet_begin. */
static inline unsigned long quiet_end(void)
{
	printk_set_capture(quiet_before);
	return printk_lines() - quiet_first_line;
}

#endif
