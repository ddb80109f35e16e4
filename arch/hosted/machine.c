/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Console, exit, image, clock and CPU of the hosted machine. */
#include "os.h"

#include <arch/clock.h>
#include <arch/cpu.h>
#include <arch/machine.h>

void console_write(const char *s, size_t n)
{
	os_write(s, n);
}

int console_getc(void)
{
	return os_getc();
}

_Noreturn void machine_exit(enum machine_status status)
{
	switch (status) {
	case MACHINE_PASSED:
		os_exit(0);
	case MACHINE_FAILED:
		os_exit(1);
	case MACHINE_PANIC:
		os_print_stack();
		break;
	}
	os_exit(2);
}

_Noreturn void machine_reset(void)
{
	os_exit(3);
}

const struct image_section *arch_image_sections(size_t *nr)
{
	*nr = 0;
	return NULL;
}

size_t arch_guard_pages(va_t out[], size_t max)
{
	return 0;
}

void arch_image_range(pa_t *start, pa_t *end)
{
	*start = 0;
	*end = 0;
}

/* Linux's clock needs no calibration, and instructions are not counted. */
void clock_init(enum clock_kind kind, const struct clock_hardware *hw)
{
	(void)kind;
	(void)hw;
}

uint64_t clock_ticks(void)
{
	return os_now_ns();
}

enum clock_kind clock_kind(void)
{
	return CLOCK_NS;
}

uint64_t clock_hz(void)
{
	return 1000000000;
}

const char *clock_source(void)
{
	return "clock_gettime";
}

uint64_t clock_ticks_to_ns(uint64_t ticks)
{
	return ticks;
}

/* A frame is the caller's frame pointer, then the return address. What is no
 * frame may be anything, also what a sanitizer guards. */
__attribute__((no_sanitize_address)) size_t
arch_backtrace(const void *frame, uintptr_t *pcs, size_t max)
{
	const uintptr_t *fp = frame ? frame : __builtin_frame_address(0);
	uintptr_t low = hosted_cpu.stack_low, high = hosted_cpu.stack_high;
	size_t n = 0;

	while (n < max && (uintptr_t)fp >= low &&
	       (uintptr_t)fp <= high - 2 * sizeof(*fp) &&
	       (uintptr_t)fp % sizeof(*fp) == 0) {
		pcs[n++] = fp[1];
		low = (uintptr_t)(fp + 2);
		fp = (const uintptr_t *)fp[0];
	}
	return n;
}
