/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads as CPUs: what this machine promises beyond the contract. */
#include <arch/clock.h>
#include <arch/percpu.h>
#include <arch/smp.h>
#include <arch/timer.h>
#include <lib/panic.h>
#include <lib/test.h>
#include <machine/forked.h>
#include <stdatomic.h>

#define INTERRUPTS_ON 1UL
#define PANICKED      2

static char output[16384];

static DEFINE_PER_CPU(unsigned long, number) = 7;
static DEFINE_PER_CPU(char, byte) __attribute__((aligned(64)));

static void add_to_number(void *arg)
{
	for (unsigned int i = 0; i < cpu_id() + 1000; i++)
		this_cpu_inc(number);
	this_cpu_add(number, *(unsigned long *)arg);
}

TEST(hosted_cpus, variables_of_each_cpu_are_distinct)
{
	unsigned long more = 10;
	unsigned int cpu, other;

	for_each_cpu(cpu, cpu_online_mask())
		EXPECT_EQ(*per_cpu_ptr(&number, cpu), 7);
	test_run_on_cpus(cpu_online_mask(), add_to_number, &more);
	for_each_cpu(cpu, cpu_online_mask()) {
		EXPECT_EQ(*per_cpu_ptr(&number, cpu), 1017 + cpu);
		EXPECT_EQ((uintptr_t)per_cpu_ptr(&byte, cpu) % 64, 0);
		for_each_cpu(other, cpu_online_mask())
			EXPECT_EQ(per_cpu_ptr(&number, cpu) ==
					  per_cpu_ptr(&number, other),
				  cpu == other);
		*per_cpu_ptr(&number, cpu) = 7;
	}
	EXPECT_EQ(this_cpu_ptr(&number), per_cpu_ptr(&number, cpu_id()));
}

static void note_call(void *arg)
{
	EXPECT(in_interrupt());
	EXPECT(!irq_enabled());
	atomic_store((atomic_bool *)arg, true);
}

static struct {
	atomic_bool off, called, restored;
} step;

/* A call made while interrupts are off waits until they are on. */
static void take_where_enabled(void *arg)
{
	unsigned long flags;

	if (cpu_id() == 0) {
		while (!atomic_load(&step.off))
			cpu_relax();
		cpu_call(1, note_call, &step.called, false);
		atomic_store(&step.restored, true);
		return;
	}
	flags = irq_save();
	atomic_store(&step.off, true);
	while (!atomic_load(&step.restored))
		cpu_relax();
	cpu_relax();
	EXPECT(!atomic_load(&step.called));
	EXPECT(!irq_enabled());
	irq_restore(0);
	EXPECT(!atomic_load(&step.called));
	EXPECT_EQ(flags, INTERRUPTS_ON);
	irq_restore(flags);
	EXPECT(atomic_load(&step.called));
	EXPECT(!in_interrupt());
}

/* It is not taken between two statements with interrupts on either, but in
 * cpu_relax(). */
static void take_in_cpu_relax(void *arg)
{
	if (cpu_id() == 0) {
		while (!atomic_load(&step.off))
			cpu_relax();
		cpu_call(1, note_call, &step.called, false);
		atomic_store(&step.restored, true);
		return;
	}
	atomic_store(&step.off, true);
	while (!atomic_load(&step.restored))
		;
	EXPECT(!atomic_load(&step.called));
	cpu_relax();
	EXPECT(atomic_load(&step.called));
}

static void run_two(void (*fn)(void *arg))
{
	step.off = step.called = step.restored = false;
	test_run_on_cpus((cpumask_t){3}, fn, NULL);
}

TEST(hosted_cpus, interrupts_are_taken_where_enabled_and_in_cpu_relax)
{
	if (cpus_online() < 2)
		SKIP("needs 2 CPUs");
	run_two(take_where_enabled);
	run_two(take_in_cpu_relax);
}

static DEFINE_PER_CPU(atomic_uint, ticks);

static void tick(void)
{
	EXPECT(in_interrupt());
	atomic_fetch_add(this_cpu_ptr(&ticks), 1);
}

static void wait_for_ticks(void *arg)
{
	uint64_t start = clock_ticks();
	unsigned int stopped;

	timer_start();
	while (atomic_load(this_cpu_ptr(&ticks)) < 3)
		cpu_relax();
	timer_stop();
	stopped = atomic_load(this_cpu_ptr(&ticks));
	EXPECT_GE(clock_ticks() - start, 3 * clock_hz() / TIMER_HZ);
	while (clock_ticks() - start < 6 * clock_hz() / TIMER_HZ)
		cpu_relax();
	EXPECT_EQ(atomic_load(this_cpu_ptr(&ticks)), stopped);
	atomic_store(this_cpu_ptr(&ticks), 0);
}

TEST(hosted_cpus, timer_ticks_at_its_rate_while_started)
{
	timer_set_handler(tick);
	test_run_on_cpus(cpu_online_mask(), wait_for_ticks, NULL);
	timer_set_handler(NULL);
}

static void start_timer(void *arg)
{
	timer_start();
}

static void stop_timer(void *arg)
{
	timer_stop();
}

TEST(hosted_cpus, tick_comes_to_an_idle_cpu)
{
	unsigned int cpu = cpus_online() - 1;

	if (cpu == 0)
		SKIP("needs 2 CPUs");
	timer_set_handler(tick);
	cpu_call(cpu, start_timer, NULL, true);
	while (atomic_load(per_cpu_ptr(&ticks, cpu)) < 2)
		cpu_relax();
	cpu_call(cpu, stop_timer, NULL, true);
	atomic_store(per_cpu_ptr(&ticks, cpu), 0);
	timer_set_handler(NULL);
}

static noinline void hang_with_interrupts_off(void)
{
	irq_save();
	for (;;)
		cpu_relax();
}

static void start_cpus(void (*entry)(void))
{
	static const struct smp_cpu cpus[] = {{5}, {0}, {9}, {5}, {12}};
	struct smp_boot boot = {
		.cpus = cpus,
		.nr = ARRAY_SIZE(cpus),
		.max = 3,
		.entry = entry,
	};

	EXPECT_EQ(smp_start(&boot), 3);
	EXPECT_EQ(smp_apic_id(0), 0);
	EXPECT_EQ(smp_apic_id(1), 5);
	EXPECT_EQ(smp_apic_id(2), 9);
}

/* In the copies below CPU 0 has lost the others, and starts new ones. */
static void panic_with_others(void)
{
	start_cpus(hang_with_interrupts_off);
	panic("one of three");
}

TEST(hosted_cpus, panic_says_where_the_others_were)
{
	EXPECT_EQ(hosted_run_forked(panic_with_others, output, sizeof(output)),
		  PANICKED);
	EXPECT_CONTAINS(output, "PANIC: one of three\n");
	EXPECT_CONTAINS(output, "CPU 1 was at ");
	EXPECT_CONTAINS(output, "CPU 2 was at ");
}

static void return_at_once(void)
{
}

static void entry_returns(void)
{
	start_cpus(return_at_once);
	for (;;)
		cpu_relax();
}

TEST(hosted_cpus, entry_must_not_return)
{
	EXPECT_EQ(hosted_run_forked(entry_returns, output, sizeof(output)),
		  PANICKED);
	EXPECT_CONTAINS(output, "its entry returned");
}
