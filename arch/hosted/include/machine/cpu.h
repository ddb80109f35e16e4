/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU of the hosted machine is a thread; "interrupts off" is a flag of its
 * own. Interrupts are taken where they are enabled and in cpu_relax(), so
 * nowhere within a C statement.
 */
#ifndef MACHINE_CPU_H
#define MACHINE_CPU_H

struct hosted_cpu {
	unsigned int id;
	bool irq_on;
	unsigned int spins; /* calls of cpu_relax() */
	ptrdiff_t percpu_offset;
	uintptr_t stack_low, stack_high; /* [low, high) */
};

extern _Thread_local struct hosted_cpu hosted_cpu; /* the running one */

/* Take what interrupts are pending. Context: interrupts on. */
void hosted_take_interrupts(void);

/* Take interrupts if they are on; then let other threads run, now and then. */
void cpu_relax(void);

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
	if (flags)
		hosted_take_interrupts();
}

static inline bool irq_were_on(unsigned long flags)
{
	return flags;
}

static inline bool irq_enabled(void)
{
	return hosted_cpu.irq_on;
}

void cpu_idle_wait(void);

static inline unsigned int cpu_id(void)
{
	return hosted_cpu.id;
}

#endif
