/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-CPU variables stand in a section of the executable, which is CPU 0's own;
 * each other CPU has a copy of it. Interrupts come between C statements only,
 * so an addition needs no single instruction. The accesses are atomic all the
 * same, since other CPUs may read: per_cpu_read().
 */
#ifndef MACHINE_PERCPU_H
#define MACHINE_PERCPU_H

#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name
#define DEFINE_PER_CPU(type, name)                                             \
	__attribute__((section("quire_percpu"))) __typeof__(type) name

#define this_cpu_ptr(ptr) percpu_shift(ptr, hosted_cpu.percpu_offset)

#define this_cpu_read(name)                                                    \
	__atomic_load_n(this_cpu_ptr(&(name)), __ATOMIC_RELAXED)
#define this_cpu_write(name, value)                                            \
	__atomic_store_n(this_cpu_ptr(&(name)), value, __ATOMIC_RELAXED)
#define this_cpu_add(name, n)                                                  \
	do {                                                                   \
		__typeof__(&(name)) percpu_own_ = this_cpu_ptr(&(name));       \
		__atomic_store_n(                                              \
			percpu_own_,                                           \
			__atomic_load_n(percpu_own_, __ATOMIC_RELAXED) + (n),  \
			__ATOMIC_RELAXED);                                     \
	} while (0)
#define this_cpu_inc(name) this_cpu_add(name, 1)
#define this_cpu_dec(name) this_cpu_add(name, -1)

extern ptrdiff_t hosted_percpu_offsets[MAX_CPUS];

static inline ptrdiff_t per_cpu_offset(unsigned int cpu)
{
	return hosted_percpu_offsets[cpu];
}

#endif
