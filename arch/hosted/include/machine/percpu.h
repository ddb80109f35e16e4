/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Per-CPU variables of the one CPU that runs: ordinary variables. */
#ifndef MACHINE_PERCPU_H
#define MACHINE_PERCPU_H

#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name
#define DEFINE_PER_CPU(type, name)  __typeof__(type) name

#define this_cpu_ptr(ptr)           (ptr)
#define this_cpu_read(name)         (name)
#define this_cpu_write(name, value) ((void)((name) = (value)))
#define this_cpu_add(name, n)       ((void)((name) += (n)))
#define this_cpu_inc(name)          this_cpu_add(name, 1)
#define this_cpu_dec(name)          this_cpu_add(name, -1)

static inline ptrdiff_t per_cpu_offset(unsigned int cpu)
{
	(void)cpu;
	return 0;
}

#endif
