/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an exception goes: on behind the instruction if the exception table
 * expects it there, else into the report and a panic.
 */
#include "interrupt.h"
#include <arch/machine.h>
#include <machine/regs.h>
#include <machine/trap.h>

/* All EX_TABLE entries, in no order; bounded by the linker script. */
extern const struct ex_entry __start_ex_table[], __stop_ex_table[];

/* How many of its exceptions this CPU reports, one inside the other. */
static DEFINE_PER_CPU(unsigned int, reports);

static va_t relative(const int32_t *field)
{
	return (va_t)field + *field;
}

/* The address to go on at after a fault at @ip; 0: none. */
static va_t ex_table_find(va_t ip)
{
	for (const struct ex_entry *e = __start_ex_table; e < __stop_ex_table;
	     e++)
		if (relative(&e->fault) == ip)
			return relative(&e->resume);
	return 0;
}

/* Resume @frame elsewhere if the exception table says so. */
static bool fixup(struct trap_frame *frame)
{
	va_t resume, caller;

	if (frame->vector != VECTOR_PAGE_FAULT && frame->vector != VECTOR_GP &&
	    frame->vector != VECTOR_STACK)
		return false;
	resume = ex_table_find(frame->rip);
	if (!resume && trap_at_fetch(frame) &&
	    cpu_try_load64(frame->rsp, &caller)) {
		resume = ex_table_find(caller);
		if (resume)
			frame->rsp += sizeof(caller);
	}
	if (resume)
		frame->rip = resume;
	return resume;
}

/* Without printk, which may be what faulted. */
static void print_hex(const char *what, uint64_t v)
{
	char digits[16];

	for (int i = 15; i >= 0; i--, v >>= 4)
		digits[i] = "0123456789abcdef"[v & 15];
	console_write(what, __builtin_strlen(what));
	console_write(digits, sizeof(digits));
}

static void print_nested(const struct trap_frame *frame)
{
	print_hex("\nfault inside a fault's report: vector ", frame->vector);
	print_hex(" rip ", frame->rip);
	print_hex(" cr2 ", read_cr2());
	console_write("\n", 1);
}

void trap_handler(struct trap_frame *frame)
{
	if (fixup(frame))
		return;
	if (frame->vector == VECTOR_NMI &&
	    nmi_interrupt(frame->rip, (void *)frame->rbp))
		return;
	this_cpu_inc(reports);
	switch (this_cpu_read(reports) - 1) {
	case 0:
		trap_report(frame);
	case 1:
		print_nested(frame);
		machine_exit(MACHINE_PANIC);
	default:
		machine_exit(MACHINE_PANIC);
	}
}
