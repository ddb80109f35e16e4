/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract, part 9: sets of CPUs. MAX_CPUS fit one word.
 */
#ifndef ARCH_CPUMASK_H
#define ARCH_CPUMASK_H

#include <arch/cpu.h>

typedef struct {
	uint64_t bits; /* bit i: CPU i */
} cpumask_t;

static inline cpumask_t cpumask_of(unsigned int cpu)
{
	return (cpumask_t){1UL << cpu};
}

static inline bool cpumask_test(cpumask_t mask, unsigned int cpu)
{
	return cpu < MAX_CPUS && mask.bits >> cpu & 1;
}

static inline unsigned int cpumask_weight(cpumask_t mask)
{
	unsigned int n = 0;

	for (; mask.bits; mask.bits &= mask.bits - 1)
		n++;
	return n;
}

/* The CPUs that run now. Any context. */
cpumask_t cpu_online_mask(void);

/* Run the statement with @cpu, an unsigned int, each CPU of @mask. */
#define for_each_cpu(cpu, mask)                                                \
	for (uint64_t left_##cpu = (mask).bits;                                \
	     left_##cpu && ((cpu) = __builtin_ctzll(left_##cpu), 1);           \
	     left_##cpu &= left_##cpu - 1)

#endif
