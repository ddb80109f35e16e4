/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MACHINE_CPU_H
#define MACHINE_CPU_H

#define RFLAGS_IF (1UL << 9)

static inline void cpu_relax(void)
{
	__builtin_ia32_pause();
}

static inline unsigned long rflags(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; popq %0" : "=r"(flags) : : "memory");
	return flags;
}

static inline unsigned long irq_save(void)
{
	unsigned long flags = rflags();

	__asm__ volatile("cli" : : : "memory");
	return flags;
}

static inline void irq_restore(unsigned long flags)
{
	if (flags & RFLAGS_IF)
		__asm__ volatile("sti" : : : "memory");
}

static inline bool irq_were_on(unsigned long flags)
{
	return flags & RFLAGS_IF;
}

static inline bool irq_enabled(void)
{
	return irq_were_on(rflags());
}

/* STI takes effect behind the next instruction: what comes before HLT is
 * delivered in it. */
static inline void cpu_idle_wait(void)
{
	__asm__ volatile("sti; hlt" : : : "memory");
}

extern unsigned int cpu_number; /* per CPU: see <machine/percpu.h> */

static inline unsigned int cpu_id(void)
{
	unsigned int id;

	__asm__ volatile("movl %%gs:%1, %0" : "=r"(id) : "m"(cpu_number));
	return id;
}

#endif
