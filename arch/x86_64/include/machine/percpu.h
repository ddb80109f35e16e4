/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-CPU variables stand in the section .percpu (linker.ld). The base of GS
 * is this CPU's distance from it, so that %gs: before a variable's address
 * makes it this CPU's own within the instruction that uses it.
 */
#ifndef MACHINE_PERCPU_H
#define MACHINE_PERCPU_H

#include <arch/cpu.h>

#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name
#define DEFINE_PER_CPU(type, name)                                             \
	__attribute__((section(".percpu"))) __typeof__(type) name

/* The distance of each CPU that is or was online, and this CPU's own. */
extern ptrdiff_t per_cpu_offsets[MAX_CPUS];
DECLARE_PER_CPU(ptrdiff_t, this_cpu_offset);

/* A variable as an operand that the compiler does not take for a constant. */
#define percpu_operand(name) (*(volatile __typeof__(name) *)&(name))

#define this_cpu_read(name)                                                    \
	({                                                                     \
		__typeof__(name) percpu_value_;                                \
		__asm__ volatile("mov %%gs:%1, %0"                             \
				 : "=r"(percpu_value_)                         \
				 : "m"(percpu_operand(name)));                 \
		percpu_value_;                                                 \
	})

#define this_cpu_write(name, value)                                            \
	do {                                                                   \
		__typeof__(name) percpu_value_ = (value);                      \
		__asm__ volatile("mov %1, %%gs:%0"                             \
				 : "=m"(percpu_operand(name))                  \
				 : "r"(percpu_value_));                        \
	} while (0)

#define this_cpu_add(name, n)                                                  \
	do {                                                                   \
		__typeof__(name) percpu_value_ = (n);                          \
		__asm__ volatile("add %1, %%gs:%0"                             \
				 : "+m"(percpu_operand(name))                  \
				 : "r"(percpu_value_)                          \
				 : "cc");                                      \
	} while (0)

#define this_cpu_inc(name) this_cpu_add(name, 1)
#define this_cpu_dec(name) this_cpu_add(name, -1)

#define this_cpu_ptr(ptr) percpu_shift(ptr, this_cpu_read(this_cpu_offset))

static inline ptrdiff_t per_cpu_offset(unsigned int cpu)
{
	return per_cpu_offsets[cpu];
}

#endif
