/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's messages.
 *
 * A message is formatted in chunks on the stack, under the console lock, so
 * that it may have any length and no other CPU's text gets between. Each chunk
 * goes to the line counter, and then either to the capture or to the ring and
 * the console.
 */
#include <arch/machine.h>
#include <lib/math.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/spinlock.h>
#include <lib/string.h>

#define CHUNK    128
#define MAX_LINE 256

/* How often printk_emergency tries to get the lock: some milliseconds. */
#define EMERGENCY_TRIES 100000

/* All below: lock letter c, console_lock. */
static spinlock_t console_lock = SPINLOCK_INIT;
/* The CPU that speaks without the lock, plus 1, and the only one then. */
static _Atomic unsigned int speaker;

struct printk_ring printk_ring = {.size = PRINTK_RING_SIZE}; /* c */
static struct printk_capture *capture;                       /* c */

/* Lines are built in one buffer while the last complete one stands in the
 * other. */
static struct {
	/* c, but read without: buffer complete % 2 is being filled */
	_Atomic unsigned long complete;
	size_t len;             /* c; of the line being built */
	char text[2][MAX_LINE]; /* c */
} lines;

static void count_lines(const char *s, size_t n)
{
	for (; n; n--, s++) {
		unsigned long complete = printk_lines();
		char *line = lines.text[complete % 2];

		if (*s == '\n') {
			line[min(lines.len, (size_t)MAX_LINE - 1)] = '\0';
			atomic_store_explicit(&lines.complete, complete + 1,
					      memory_order_release);
			lines.len = 0;
		} else {
			if (lines.len < MAX_LINE - 1)
				line[lines.len] = *s;
			lines.len++;
		}
	}
}

static void append_to_ring(const char *s, size_t n)
{
	for (; n; n--)
		printk_ring.text[printk_ring.written++ % PRINTK_RING_SIZE] =
			*s++;
}

static void append_to_capture(const char *s, size_t n)
{
	n = min(n, capture->size - 1 - capture->len);
	memcpy(capture->buf + capture->len, s, n);
	capture->len += n;
	capture->buf[capture->len] = '\0';
}

static void deliver_locked(const char *s, size_t n)
{
	count_lines(s, n);
	if (capture) {
		append_to_capture(s, n);
		return;
	}
	append_to_ring(s, n);
	console_write(s, n);
}

struct chunk_sink {
	struct printf_sink sink;
	size_t len;
	char text[CHUNK];
};

static void chunk_write(struct printf_sink *sink, const char *s, size_t n)
{
	struct chunk_sink *chunk = container_of(sink, struct chunk_sink, sink);

	while (n) {
		size_t part = min(n, CHUNK - chunk->len);

		memcpy(chunk->text + chunk->len, s, part);
		chunk->len += part;
		s += part;
		n -= part;
		if (chunk->len == CHUNK) {
			deliver_locked(chunk->text, CHUNK);
			chunk->len = 0;
		}
	}
}

/* Return: whether this CPU speaks without the lock. Does not return while
 * another does: the machine ends then. */
static bool speaks_alone(void)
{
	unsigned int cpu = atomic_load(&speaker);

	while (cpu && cpu != cpu_id() + 1)
		cpu_relax();
	return cpu;
}

/* Return: the interrupt state to be restored. */
static unsigned long lock_console(void)
{
	unsigned long flags = irq_save();

	if (!speaks_alone())
		spin_lock(&console_lock);
	return flags;
}

static void unlock_console(unsigned long flags)
{
	if (!speaks_alone())
		spin_unlock(&console_lock);
	irq_restore(flags);
}

void vprintk(const char *fmt, va_list args)
{
	struct chunk_sink chunk = {.sink = {chunk_write}};
	unsigned long flags = lock_console();

	vformat(&chunk.sink, fmt, args);
	deliver_locked(chunk.text, chunk.len);
	unlock_console(flags);
}

void printk(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintk(fmt, args);
	va_end(args);
}

unsigned long printk_lines(void)
{
	return atomic_load_explicit(&lines.complete, memory_order_acquire);
}

const char *printk_last_line(void)
{
	return lines.text[(printk_lines() + 1) % 2];
}

struct printk_capture *printk_set_capture(struct printk_capture *to)
{
	unsigned long flags = lock_console();
	struct printk_capture *from = capture;

	capture = to;
	if (to)
		to->buf[to->len] = '\0';
	unlock_console(flags);
	return from;
}

void printk_emergency(void)
{
	unsigned int nobody = 0;

	if (!atomic_compare_exchange_strong(&speaker, &nobody, cpu_id() + 1))
		return;
	/* Who holds the lock may be us, or may never run again. It is taken
	 * for good, so the debug build need not know. */
	for (int i = 0; i < EMERGENCY_TRIES; i++) {
		if (ticket_trylock(&console_lock.ticket))
			break;
		cpu_relax();
	}
	capture = NULL;
	if (lines.len)
		deliver_locked("\n", 1);
}
