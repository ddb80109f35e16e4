/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUs of the hosted machine, at work for tests. They have no threads to
 * switch between: each waits in its idle loop for test code to run.
 */
#include <arch/percpu.h>
#include <arch/smp.h>
#include <lib/errno.h>
#include <lib/panic.h>
#include <lib/param.h>
#include <lib/string.h>
#include <lib/test.h>
#include <stdatomic.h>
#include <tests/hosted_cpus.h>

#define DEFAULT_CPUS 4

static unsigned int max_cpus = DEFAULT_CPUS;

static int set_cpus(const char *value)
{
	uint64_t n;

	if (parse_u64(value, &n) || n == 0 || n > MAX_CPUS)
		return -EINVAL;
	max_cpus = n;
	return 0;
}

static_assert(MAX_CPUS == 64 && DEFAULT_CPUS == 4, "as the help says");
PARAM_FN("cpus", set_cpus, "how many CPUs to use, 1 to 64, otherwise 4");

struct work {
	void (*fn)(void *arg);
	void *arg;
	_Atomic unsigned int missing; /* CPUs that have not come to the gate */
	_Atomic unsigned int running;
};

static DEFINE_PER_CPU(_Atomic(struct work *), work);

/* All begin within a moment of each other. */
static void run(struct work *w)
{
	atomic_fetch_sub(&w->missing, 1);
	while (atomic_load(&w->missing))
		cpu_relax();
	w->fn(w->arg);
	atomic_fetch_sub(&w->running, 1);
}

/* What each started CPU runs. */
static void idle_loop(void)
{
	_Atomic(struct work *) *mine = this_cpu_ptr(&work);

	for (;;) {
		unsigned long flags;
		struct work *w;

		cpu_idle_wait();
		flags = irq_save();
		while ((w = atomic_exchange(mine, NULL))) {
			irq_restore(flags);
			run(w);
			flags = irq_save();
		}
	}
}

static void run_on_cpus(cpumask_t mask, void (*fn)(void *arg), void *arg)
{
	unsigned int nr = cpumask_weight(mask), cpu;
	struct work w = {fn, arg, nr, nr};
	cpumask_t others = {mask.bits & ~cpumask_of(cpu_id()).bits};

	ASSERTF(!(mask.bits & ~cpu_online_mask().bits), "CPUs %#lx", mask.bits);
	for_each_cpu(cpu, others) {
		atomic_store(per_cpu_ptr(&work, cpu), &w);
		cpu_kick(cpu);
	}
	if (others.bits != mask.bits)
		run(&w);
	while (atomic_load(&w.running))
		cpu_relax();
}

void hosted_cpus_start(void)
{
	static struct smp_cpu cpus[MAX_CPUS];

	for (unsigned int i = 0; i < MAX_CPUS; i++)
		cpus[i].apic_id = i;
	smp_start(&(struct smp_boot){
		.cpus = cpus,
		.nr = MAX_CPUS,
		.max = max_cpus,
		.entry = idle_loop,
	});
	test_set_runner(run_on_cpus);
}
