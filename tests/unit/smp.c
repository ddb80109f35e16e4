/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many CPUs, as the contract promises them: ids, per-CPU variables, calls from
 * CPU to CPU, questions by NMI. What needs another CPU is checked of each that
 * there is.
 */
#include <arch/percpu.h>
#include <arch/smp.h>
#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/test.h>
#include <stdatomic.h>
#include <tests/unit/one_line.h>

#define NR_CALLS 200

static cpumask_t others(void)
{
	return (cpumask_t){cpu_online_mask().bits & ~cpumask_of(cpu_id()).bits};
}

static unsigned int nr_cpus(void)
{
	return cpumask_weight(cpu_online_mask());
}

/* --- ids ------------------------------------------------------------------ */

static unsigned int id_of[MAX_CPUS];
static _Atomic unsigned int visits[MAX_CPUS];

static void visit(void *arg)
{
	unsigned int cpu = cpu_id();

	if (cpu < MAX_CPUS)
		atomic_fetch_add(&visits[cpu], 1);
}

static void forget_visits(void)
{
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++)
		atomic_store(&visits[cpu], 0);
}

static void expect_visits(cpumask_t mask, unsigned int n)
{
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++)
		EXPECTF(visits[cpu] == (cpumask_test(mask, cpu) ? n : 0),
			"CPU %u: %u visits", cpu, visits[cpu]);
}

static void note_id(void *arg)
{
	*(unsigned int *)arg = cpu_id();
}

TEST(smp, every_cpu_has_its_own_id)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		id_of[cpu] = MAX_CPUS;
		EXPECT_EQ(cpu_call(cpu, note_id, &id_of[cpu], true), 0);
		EXPECT_EQ(id_of[cpu], cpu);
	}
}

TEST(smp, those_online_are_the_first_ones)
{
	EXPECT_EQ(nr_cpus(), cpus_online());
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++)
		EXPECT_EQ(cpumask_test(cpu_online_mask(), cpu),
			  cpu < cpus_online());
	EXPECT(!cpumask_test(cpu_online_mask(), MAX_CPUS));
}

TEST(smp, firmware_ids_are_distinct)
{
	for (unsigned int a = 0; a < cpus_online(); a++)
		for (unsigned int b = 0; b < a; b++)
			EXPECT_NE(smp_apic_id(a), smp_apic_id(b));
}

/* --- per-CPU variables ---------------------------------------------------- */

#define PROBE_VALUE 0x1234567890abcdefUL

static DEFINE_PER_CPU(uint64_t, probe) = PROBE_VALUE;
static DEFINE_PER_CPU(uint64_t, counter);
static DEFINE_PER_CPU(uint8_t[3], bytes) = {1, 2, 3};

static struct {
	uint64_t *address;
	uint64_t value;
	uint64_t read;
} probed[MAX_CPUS];

static void look_at_probe(void *arg)
{
	unsigned int cpu = cpu_id();

	probed[cpu].address = this_cpu_ptr(&probe);
	probed[cpu].value = *this_cpu_ptr(&probe);
	probed[cpu].read = this_cpu_read(probe);
}

TEST(smp, each_has_its_own_variables_initialised)
{
	unsigned int cpu;

	EXPECT_EQ(cpu_call_mask(cpu_online_mask(), look_at_probe, NULL, true),
		  0);
	for_each_cpu(cpu, cpu_online_mask()) {
		EXPECT_EQ(probed[cpu].address, per_cpu_ptr(&probe, cpu));
		EXPECT_EQ(probed[cpu].value, PROBE_VALUE);
		EXPECT_EQ(probed[cpu].read, PROBE_VALUE);
		EXPECT_EQ((*per_cpu_ptr(&bytes, cpu))[2], 3);
		for (unsigned int b = 0; b < cpu; b++)
			EXPECT_NE(probed[cpu].address, probed[b].address);
	}
	EXPECT_EQ(per_cpu_ptr(&probe, 0), &probe);
}

static void add_to_counter(void *arg)
{
	this_cpu_write(counter, 40);
	this_cpu_inc(counter);
	this_cpu_add(counter, cpu_id() + 2UL);
	this_cpu_dec(counter);
}

TEST(smp, a_change_is_this_cpus_alone)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask())
		*per_cpu_ptr(&counter, cpu) = 7;
	for_each_cpu(cpu, cpu_online_mask()) {
		EXPECT_EQ(cpu_call(cpu, add_to_counter, NULL, true), 0);
		for (unsigned int b = 0; b < cpus_online(); b++)
			EXPECT_EQ(per_cpu_read(counter, b),
				  b <= cpu ? 42 + b : 7);
	}
}

static DEFINE_PER_CPU(uint8_t, small);
static DEFINE_PER_CPU(int16_t, shorter);
static DEFINE_PER_CPU(int32_t, middle);
static DEFINE_PER_CPU(void *, pointer);
static DEFINE_PER_CPU(bool, truth);

/* Neighbours in memory, whichever the linker made them, stay as they are. */
TEST(smp, variables_of_every_size)
{
	this_cpu_write(small, 255);
	this_cpu_write(shorter, -1);
	this_cpu_write(middle, -1);
	this_cpu_write(pointer, &small);
	this_cpu_write(truth, true);
	this_cpu_inc(small);
	EXPECT_EQ(this_cpu_read(small), 0);
	this_cpu_add(shorter, -0x7fff);
	EXPECT_EQ(this_cpu_read(shorter), -0x8000);
	this_cpu_add(middle, 0x7fffffff);
	EXPECT_EQ(this_cpu_read(middle), 0x7ffffffe);
	this_cpu_dec(small);
	EXPECT_EQ(this_cpu_read(small), 255);
	EXPECT_EQ(this_cpu_read(pointer), &small);
	EXPECT(this_cpu_read(truth));
}

/* --- calls ---------------------------------------------------------------- */

struct context {
	unsigned int cpu;
	bool in_interrupt, irqs_on;
};

static void note_context(void *arg)
{
	*(struct context *)arg = (struct context){
		.cpu = cpu_id(),
		.in_interrupt = in_interrupt(),
		.irqs_on = irq_enabled(),
	};
}

TEST(smp, a_call_runs_in_interrupt_context)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		struct context c = {MAX_CPUS, false, true};

		EXPECT_EQ(cpu_call(cpu, note_context, &c, true), 0);
		EXPECT_EQ(c.cpu, cpu);
		EXPECT(c.in_interrupt);
		EXPECT(!c.irqs_on);
	}
	EXPECT(!in_interrupt());
	EXPECT(irq_enabled());
}

TEST(smp, a_call_to_some_runs_once_on_each)
{
	cpumask_t every_second = {cpu_online_mask().bits &
				  0x5555555555555555UL};
	const cpumask_t masks[] = {cpu_online_mask(),
				   others(),
				   every_second,
				   cpumask_of(cpu_id()),
				   {0}};

	for (unsigned int i = 0; i < ARRAY_SIZE(masks); i++) {
		forget_visits();
		EXPECT_EQ(cpu_call_mask(masks[i], visit, NULL, true), 0);
		expect_visits(masks[i], 1);
	}
}

/* It has run when the call returns, however long it takes. */
static void be_slow(void *arg)
{
	for (unsigned int i = 0; i < 1000; i++)
		cpu_relax();
	*(unsigned int *)arg += 1;
}

TEST(smp, a_call_that_is_waited_for_has_run)
{
	unsigned int cpu, runs = 0, calls = 0;

	for_each_cpu(cpu, cpu_online_mask()) {
		EXPECT_EQ(cpu_call(cpu, be_slow, &runs, true), 0);
		EXPECT_EQ(runs, ++calls);
		EXPECT_EQ(cpu_call_mask(cpumask_of(cpu), be_slow, &runs, true),
			  0);
		EXPECT_EQ(runs, ++calls);
	}
}

static struct order {
	unsigned int next; /* the number that is expected */
	bool wrong;
} order_on[MAX_CPUS];

static unsigned int numbers[NR_CALLS];

static void check_order(void *arg)
{
	struct order *order = &order_on[cpu_id()];

	order->wrong |= *(unsigned int *)arg != order->next++;
}

/* Nobody waits for any but the last, and none is lost or overtakes. */
TEST(smp, calls_keep_their_order)
{
	cpumask_t all = cpu_online_mask();
	unsigned int cpu;

	for (unsigned int i = 0; i < MAX_CPUS; i++)
		order_on[i] = (struct order){0};
	for (unsigned int i = 0; i < NR_CALLS; i++) {
		numbers[i] = i;
		EXPECT_EQ(cpu_call_mask(all, check_order, &numbers[i],
					i == NR_CALLS - 1),
			  0);
	}
	for_each_cpu(cpu, all) {
		EXPECT_EQ(order_on[cpu].next, NR_CALLS);
		EXPECT(!order_on[cpu].wrong);
	}
}

/* The more CPUs, the less often each: an emulated CPU that waits for another
 * may keep it from running. */
static unsigned int nr_rounds(void)
{
	return 2 + 48 / nr_cpus();
}

static void call_all_the_others(void *arg)
{
	unsigned int cpu;

	for (unsigned int i = 0; i < nr_rounds(); i++) {
		for_each_cpu(cpu, others())
			cpu_call(cpu, visit, NULL, i % 2);
		cpu_call_mask(others(), visit, NULL, i % 3);
	}
	/* What was not waited for runs before what is. */
	cpu_call_mask(others(), visit, NULL, true);
}

TEST(smp, all_call_each_other_at_once)
{
	unsigned int each = (nr_cpus() - 1) * (2 * nr_rounds() + 1);

	forget_visits();
	test_run_on_cpus(cpu_online_mask(), call_all_the_others, NULL);
	expect_visits(cpu_online_mask(), each);
}

/* A CPU with interrupts off runs the call when they are on again. */
struct deaf {
	_Atomic unsigned int step;
	bool ran_early, ran;
	_Atomic bool called;
};

static void note_called(void *arg)
{
	atomic_store((_Atomic bool *)arg, true);
}

static void be_deaf(void *arg)
{
	struct deaf *deaf = arg;
	unsigned long flags = irq_save();

	atomic_store(&deaf->step, 1);
	while (atomic_load(&deaf->step) != 2)
		cpu_relax();
	deaf->ran_early = atomic_load(&deaf->called);
	irq_restore(flags);
	for (unsigned long i = 0; i < 100000000; i++) {
		if (atomic_load(&deaf->called))
			break;
		cpu_relax();
	}
	deaf->ran = atomic_load(&deaf->called);
}

static void be_deaf_or_call(void *arg)
{
	struct deaf *deaf = arg;

	if (cpu_id() == 1) {
		be_deaf(deaf);
		return;
	}
	while (atomic_load(&deaf->step) != 1)
		cpu_relax();
	cpu_call(1, note_called, (void *)&deaf->called, false);
	for (unsigned int i = 0; i < 100; i++)
		cpu_relax();
	atomic_store(&deaf->step, 2);
}

TEST(smp, a_call_waits_for_interrupts)
{
	struct deaf deaf = {0};

	if (nr_cpus() < 2)
		SKIP("needs 2 CPUs");
	test_run_on_cpus((cpumask_t){3}, be_deaf_or_call, &deaf);
	EXPECT(!deaf.ran_early);
	EXPECT(deaf.ran);
}

/* CPU 1 listens to nobody while CPU 0 and then CPU 2 call it. */
static struct {
	_Atomic unsigned int step;
	unsigned int caller[2], nr;
} queue;

static void note_caller(void *arg)
{
	if (queue.nr < ARRAY_SIZE(queue.caller))
		queue.caller[queue.nr] = *(unsigned int *)arg;
	queue.nr++;
}

static void wait_for_step(unsigned int step)
{
	while (atomic_load(&queue.step) != step)
		cpu_relax();
}

static void call_in_turn(void *arg)
{
	static unsigned int names[] = {0, 1, 2};
	unsigned int me = cpu_id();
	unsigned long flags;

	if (me == 1) {
		flags = irq_save();
		atomic_store(&queue.step, 1);
		wait_for_step(3);
		irq_restore(flags);
		return;
	}
	wait_for_step(me == 0 ? 1 : 2);
	cpu_call(1, note_caller, &names[me], false);
	atomic_fetch_add(&queue.step, 1);
}

TEST(smp, calls_of_several_keep_their_order_too)
{
	if (nr_cpus() < 3)
		SKIP("needs 3 CPUs");
	queue.step = queue.nr = 0;
	test_run_on_cpus((cpumask_t){7}, call_in_turn, NULL);
	EXPECT_EQ(cpu_call(1, visit, NULL, true), 0);
	EXPECT_EQ(queue.nr, 2);
	EXPECT_EQ(queue.caller[0], 0);
	EXPECT_EQ(queue.caller[1], 2);
}

TEST(smp, who_is_not_there_can_not_be_called)
{
	cpumask_t too_many = {cpu_online_mask().bits << 1 | 1};
	int err = 0;

	forget_visits();
	EXPECT_ONE_LINE(err = cpu_call(MAX_CPUS, visit, NULL, true),
			"CPU 64 is not online");
	EXPECT_EQ(err, -EINVAL);
	EXPECT_ONE_LINE(err = cpu_call(UINT32_MAX, visit, NULL, false),
			"CPU 4294967295 is not online");
	EXPECT_EQ(err, -EINVAL);
	if (nr_cpus() < MAX_CPUS) {
		EXPECT_ONE_LINE(err = cpu_call(nr_cpus(), visit, NULL, true),
				"is not online");
		EXPECT_EQ(err, -EINVAL);
		EXPECT_ONE_LINE(
			err = cpu_call_mask(too_many, visit, NULL, true),
			"are not online");
		EXPECT_EQ(err, -EINVAL);
	}
	expect_visits((cpumask_t){0}, 0);
}

TEST(smp, calls_and_interrupts_are_counted)
{
	unsigned int me = cpu_id(), cpu;
	struct smp_stats before = smp_stats(me);

	EXPECT_EQ(cpu_call(me, visit, NULL, true), 0);
	EXPECT_EQ(smp_stats(me).calls_run, before.calls_run + 1);
	EXPECT_EQ(smp_stats(me).ipis_sent, before.ipis_sent);
	for_each_cpu(cpu, others()) {
		struct smp_stats there = smp_stats(cpu);

		EXPECT_EQ(cpu_call(cpu, visit, NULL, true), 0);
		EXPECT_EQ(smp_stats(cpu).calls_run, there.calls_run + 1);
		cpu_kick(cpu);
	}
	EXPECT_GE(smp_stats(me).ipis_sent,
		  before.ipis_sent + 2 * (nr_cpus() - 1));
}

/* Nothing is seen of a kick but what the scheduler makes of it. */
TEST(smp, a_kick_does_no_harm)
{
	unsigned int cpu;

	forget_visits();
	for (unsigned int i = 0; i < NR_CALLS; i++)
		for_each_cpu(cpu, cpu_online_mask())
			cpu_kick(cpu);
	EXPECT_EQ(cpu_call_mask(cpu_online_mask(), visit, NULL, true), 0);
	expect_visits(cpu_online_mask(), 1);
}

/* --- questions by NMI ----------------------------------------------------- */

static struct {
	unsigned int answers, cpu;
	bool in_interrupt;
	uintptr_t pc;
	const void *frame;
} answer;

static void note_answer(unsigned int cpu, uintptr_t pc, const void *frame)
{
	answer.answers++;
	answer.cpu = cpu;
	answer.in_interrupt = in_interrupt();
	answer.pc = pc;
	answer.frame = frame;
}

static void expect_answer(unsigned int cpu, unsigned int n)
{
	EXPECT_EQ(answer.answers, n);
	EXPECT_EQ(answer.cpu, cpu);
	EXPECT(answer.in_interrupt);
	EXPECT_NE(answer.pc, 0);
}

TEST(smp, an_idle_cpu_answers_and_goes_on)
{
	unsigned int cpu, n = 0;

	answer.answers = 0;
	for_each_cpu(cpu, others()) {
		EXPECT(cpu_interrogate(cpu, note_answer));
		expect_answer(cpu, ++n);
	}
	forget_visits();
	EXPECT_EQ(cpu_call_mask(cpu_online_mask(), visit, NULL, true), 0);
	expect_visits(cpu_online_mask(), 1);
}

static _Atomic unsigned int deaf_step;

static void ask_the_deaf(void *arg)
{
	if (cpu_id() == 1) {
		unsigned long flags = irq_save();

		atomic_store(&deaf_step, 1);
		while (atomic_load(&deaf_step) != 2)
			cpu_relax();
		irq_restore(flags);
		return;
	}
	while (atomic_load(&deaf_step) != 1)
		cpu_relax();
	*(bool *)arg = cpu_interrogate(1, note_answer);
	atomic_store(&deaf_step, 2);
}

TEST(smp, a_cpu_with_interrupts_off_answers_too)
{
	bool answered = false;

	if (nr_cpus() < 2)
		SKIP("needs 2 CPUs");
	answer.answers = 0;
	deaf_step = 0;
	test_run_on_cpus((cpumask_t){3}, ask_the_deaf, &answered);
	EXPECT(answered);
	expect_answer(1, 1);
}

/* Each asks the next one; one question is under way at a time. */
static void count_answer(unsigned int cpu, uintptr_t pc, const void *frame)
{
	atomic_fetch_add(&visits[cpu], 1);
}

static void ask_the_next(void *arg)
{
	unsigned int next = (cpu_id() + 1) % nr_cpus();

	if (!cpu_interrogate(next, count_answer))
		atomic_fetch_add((_Atomic unsigned int *)arg, 1);
}

TEST(smp, all_ask_at_once)
{
	_Atomic unsigned int unanswered = 0;

	if (nr_cpus() < 2)
		SKIP("needs 2 CPUs");
	forget_visits();
	test_run_on_cpus(cpu_online_mask(), ask_the_next, (void *)&unanswered);
	EXPECT_EQ(unanswered, 0);
	expect_visits(cpu_online_mask(), 1);
}
