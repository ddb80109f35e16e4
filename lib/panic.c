/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of the machine when it can't go on. */
#include <arch/cpu.h>
#include <arch/machine.h>
#include <lib/panic.h>
#include <lib/panic_cpus.h>
#include <lib/printk.h>
#include <lib/spinlock.h>
#include <lib/symbols.h>
#include <lib/test.h>
#include <stdarg.h>
#include <stdatomic.h>

/* The CPU that panics, plus 1; 0: none does. */
static _Atomic unsigned int panic_owner;

static void (*print_context)(unsigned int cpu);

void panic_set_context(void (*print)(unsigned int cpu))
{
	print_context = print;
}

void panic_print_context(unsigned int cpu)
{
	if (print_context)
		print_context(cpu);
}

/* Become the CPU that panics, or stop here for good. */
static void take_over(void)
{
	unsigned int self = cpu_id() + 1;
	unsigned int owner = 0;

	irq_save();
	if (atomic_compare_exchange_strong(&panic_owner, &owner, self))
		return;
	while (owner != self)
		cpu_relax();
	printk("PANIC: again, while reporting the first\n");
	machine_exit(MACHINE_PANIC);
}

/* What is printed behind the backtrace. */
struct details {
	void (*print)(const void *arg);
	const void *arg;
};

static _Noreturn void vpanic(const void *frame, const struct details *details,
			     const char *fmt, va_list args)
{
	take_over();
	printk_emergency();
	printk("PANIC: ");
	vprintk(fmt, args);
	printk("\n");
	panic_print_context(cpu_id());
	backtrace_print(frame);
	if (details)
		details->print(details->arg);
	spin_print_cpu(cpu_id());
	panic_stop_cpus();
	test_print_reproduce();
	machine_exit(MACHINE_PANIC);
}

noinline void panic(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vpanic(__builtin_frame_address(0), NULL, fmt, args);
}

void panic_from(const void *frame, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vpanic(frame, NULL, fmt, args);
}

void panic_with(const void *frame, void (*print)(const void *arg),
		const void *arg, const char *fmt, ...)
{
	struct details details = {print, arg};
	va_list args;

	va_start(args, fmt);
	vpanic(frame, &details, fmt, args);
}
