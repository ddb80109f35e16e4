/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU of the hosted machine is a thread; "interrupts off" is a flag of its
 * own. One CPU runs now.
 */
#ifndef MACHINE_CPU_H
#define MACHINE_CPU_H

struct hosted_cpu {
	unsigned int id;
	bool irq_on;
};

extern _Thread_local struct hosted_cpu hosted_cpu; /* the running one */

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#else
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
}

static inline unsigned long irq_save(void)
{
	unsigned long flags = hosted_cpu.irq_on;

	hosted_cpu.irq_on = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return flags;
}

static inline void irq_restore(unsigned long flags)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hosted_cpu.irq_on = flags;
}

static inline bool irq_enabled(void)
{
	return hosted_cpu.irq_on;
}

static inline unsigned int cpu_id(void)
{
	return hosted_cpu.id;
}

#endif
