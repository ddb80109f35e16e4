/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 10: per-CPU variables.
 *
 *   static DEFINE_PER_CPU(unsigned long, nr_events);
 *   this_cpu_inc(nr_events);                  on this CPU's own
 *   sum += *per_cpu_ptr(&nr_events, cpu);     on another's
 *
 * Each CPU has a copy of the section that these variables stand in, at a
 * distance of its own from it: per_cpu_offset(cpu) bytes. CPU 0 uses the
 * section itself (distance 0), so that they work from the first instruction.
 */
#ifndef ARCH_PERCPU_H
#define ARCH_PERCPU_H

#include <arch/cpu.h>

/*
 * The machine defines, as macros or inline functions, any context:
 *   DEFINE_PER_CPU(type, name)  DECLARE_PER_CPU(type, name)
 *   this_cpu_ptr(&name)       valid while the code stays on this CPU
 *   this_cpu_read(name)  this_cpu_write(name, v)
 *   this_cpu_add(name, n)  this_cpu_inc(name)  this_cpu_dec(name)
 *       scalars; each a single operation for this CPU's interrupts
 *   ptrdiff_t per_cpu_offset(cpu)
 */
#include <machine/percpu.h>

/* @ptr and @offset bytes, which is another object than @ptr's as far as the
 * compiler can know. The machine may define it better. */
#ifndef percpu_shift
#	define percpu_shift(ptr, offset)                                      \
		({                                                             \
			uintptr_t percpu_ptr_;                                 \
			__asm__("" : "=r"(percpu_ptr_) : "0"(ptr));            \
			(__typeof__(ptr))(percpu_ptr_ + (offset));             \
		})
#endif

/* @cpu's copy of the variable at @ptr, @cpu online or having been so. */
#define per_cpu_ptr(ptr, cpu) percpu_shift(ptr, per_cpu_offset(cpu))

/* One untorn read of @cpu's copy of the scalar @name, which @cpu may be about
 * to change. */
#define per_cpu_read(name, cpu)                                                \
	__atomic_load_n(per_cpu_ptr(&(name), cpu), __ATOMIC_RELAXED)

#endif
