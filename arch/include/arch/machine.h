/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 7: console, exit, image.
 */
#ifndef ARCH_MACHINE_H
#define ARCH_MACHINE_H

#include <arch/pte.h>
#include <stddef.h>

/* Write @n bytes to the console; waits for the transmitter. Any context. */
void console_write(const char *s, size_t n);

/* One byte typed at the console, or -1 when none waits. Any context. */
int console_getc(void);

/* The verdict that the host reads as an exit status. */
enum machine_status {
	MACHINE_PASSED = 0x10, /* status 33 */
	MACHINE_FAILED = 0x11, /* status 35 */
	MACHINE_PANIC = 0x12,  /* status 37 */
};

/* End the machine with @status; halts where it can't be ended. */
_Noreturn void machine_exit(enum machine_status status);

/* Reset the machine at once, as a CPU does that can't report a fault. */
_Noreturn void machine_reset(void);

/* A piece of the kernel image and the protection that it is mapped with. */
struct image_section {
	const char *name;
	va_t va; /* page aligned */
	pa_t pa;
	size_t size; /* bytes, whole pages */
	pgprot_t prot;
};

/* The image's sections in address order, @nr of them; none when hosted. */
const struct image_section *arch_image_sections(size_t *nr);

/*
 * The pages below the image's stacks, never mapped, so that a stack that
 * runs over faults.
 * Return: how many there are, none when hosted; the first @max are in @out.
 */
size_t arch_guard_pages(va_t out[], size_t max);

/* The physical memory [*start, *end) that the image takes; empty when
 * hosted. */
void arch_image_range(pa_t *start, pa_t *end);

#endif
