/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of the machine when it can't go on, and the checks that lead there.
 * They are for our own mistakes; a caller's bad input gets an error value.
 */
#ifndef LIB_PANIC_H
#define LIB_PANIC_H

#include <lib/compiler.h>

/*
 * Print `PANIC: ` and the message on one line, then how we came here, and end
 * the machine with MACHINE_PANIC. When several CPUs panic, the first one
 * speaks. Any context. Return: never.
 */
_Noreturn void panic(const char *fmt, ...) __printf(1, 2);

/* The same, with the backtrace from frame pointer @frame on: for traps. */
_Noreturn void panic_from(const void *frame, const char *fmt, ...)
	__printf(2, 3);

/* The same as panic_from(), and behind the backtrace what print(@arg) prints.
 */
_Noreturn void panic_with(const void *frame, void (*print)(const void *arg),
			  const void *arg, const char *fmt, ...) __printf(4, 5);

/* Have @print say, in lines of its own, what runs on @cpu when the machine
 * ends, for each CPU; NULL: nobody. @print takes no lock. */
void panic_set_context(void (*print)(unsigned int cpu));

/* Checked in every build. */
#define ASSERT(cond)                                                           \
	do {                                                                   \
		if (unlikely(!(cond)))                                         \
			panic("ASSERT(%s) failed at %s:%d", #cond, __FILE__,   \
			      __LINE__);                                       \
	} while (0)

/* The same with a message, which should carry the values. */
#define ASSERTF(cond, fmt, ...)                                                \
	do {                                                                   \
		if (unlikely(!(cond)))                                         \
			panic("ASSERT(%s) failed at %s:%d: " fmt, #cond,       \
			      __FILE__, __LINE__, ##__VA_ARGS__);              \
	} while (0)

/* Checked in the debug and the hosted build only. */
#ifdef QUIRE_DEBUG
#	define DEBUG_ASSERT(cond) ASSERT(cond)
#else
#	define DEBUG_ASSERT(cond) ((void)sizeof(!(cond)))
#endif

#endif
