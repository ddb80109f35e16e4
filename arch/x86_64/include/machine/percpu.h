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

#define percpu_add(operation, name, value)                                     \
	__asm__ volatile(operation " %1, %%gs:%0"                              \
			 : "+m"(percpu_operand(name))                          \
			 : "re"(value)                                         \
			 : "cc")

#define this_cpu_add(name, n)                                                  \
	do {                                                                   \
		switch (sizeof(name)) {                                        \
		case 1:                                                        \
			percpu_add("addb", name, (int8_t)(n));                 \
			break;                                                 \
		case 2:                                                        \
			percpu_add("addw", name, (int16_t)(n));                \
			break;                                                 \
		case 4:                                                        \
			percpu_add("addl", name, (int32_t)(n));                \
			break;                                                 \
		default:                                                       \
			percpu_add("addq", name, (int64_t)(n));                \
		}                                                              \
	} while (0)

#define this_cpu_inc(name) this_cpu_add(name, 1)
#define this_cpu_dec(name) this_cpu_add(name, -1)

#define percpu_shift(ptr, offset)                                              \
	((__typeof__(ptr))((uintptr_t)(ptr) + (offset)))

#define this_cpu_ptr(ptr) percpu_shift(ptr, this_cpu_read(this_cpu_offset))

#define per_cpu_offset(cpu) (per_cpu_offsets[cpu])

/* Saves every register that it uses, so that who calls it need not. */
#define CALLED_IN_INTERRUPT                                                    \
	__attribute__((no_caller_saved_registers, __noinline__))

DECLARE_PER_CPU(uint64_t, cpu_bit);

static inline uint64_t this_cpu_bit(void)
{
	return this_cpu_read(cpu_bit);
}

extern _Atomic uint64_t cpu_online_bits;

static inline uint64_t online_bits(void)
{
	return cpu_online_bits;
}

static inline unsigned long lowest_bit(uint64_t bits)
{
	unsigned long i;

	__asm__("bsfq %1, %0" : "=r"(i) : "r"(bits) : "cc");
	return i;
}

#endif
