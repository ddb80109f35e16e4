/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each CPU of this machine was given when it was started. */
#include <arch/clock.h>
#include <arch/percpu.h>
#include <arch/smp.h>
#include <arch/tlb.h>
#include <arch/va.h>
#include <arch/x86_64/cpu/local_apic.h>
#include <arch/x86_64/cpu/stacks.h>
#include <arch/x86_64/cpu/start.h>
#include <lib/compiler.h>
#include <lib/printf.h>
#include <lib/test.h>
#include <machine/regs.h>
#include <machine/trap.h>
#include <mm/vmalloc.h>
#include <tests/unit/one_line.h>

/* --- registers and tables ------------------------------------------------- */

struct state {
	uint64_t cr0, cr3, cr4, efer;
	uint64_t gdt, idt;
	uint16_t task;
	bool null_faults;
};

struct table_pointer {
	uint16_t limit;
	uint64_t base;
} __packed;

static void note_state(void *arg)
{
	struct state *state = arg;
	struct table_pointer gdt, idt;
	uint8_t byte;

	__asm__ volatile("sgdt %0" : "=m"(gdt));
	__asm__ volatile("sidt %0" : "=m"(idt));
	__asm__ volatile("str %0" : "=r"(state->task));
	state->cr0 = read_cr0();
	state->cr3 = read_cr3();
	state->cr4 = read_cr4();
	state->efer = read_msr(MSR_EFER);
	state->gdt = gdt.base;
	state->idt = idt.base;
	state->null_faults = !va_try_load8(0x1000, &byte);
}

static struct state state_of(unsigned int cpu)
{
	struct state state = {0};

	EXPECT_EQ(cpu_call(cpu, note_state, &state, true), 0);
	return state;
}

TEST(smp_x86, control_registers_are_the_same)
{
	struct state first = state_of(0);
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		struct state state = state_of(cpu);

		EXPECT_EQ(state.cr0, first.cr0);
		EXPECT_EQ(state.cr3, first.cr3);
		EXPECT_EQ(state.cr4, first.cr4);
		EXPECT_EQ(state.efer, first.efer);
		EXPECT_EQ(state.idt, first.idt);
	}
}

TEST(smp_x86, descriptor_tables_are_its_own)
{
	for (unsigned int cpu = 0; cpu < cpus_online(); cpu++) {
		struct state state = state_of(cpu);

		EXPECT_EQ(state.task, 0x18);
		for (unsigned int b = 0; b < cpu; b++)
			EXPECT_NE(state.gdt, state_of(b).gdt);
	}
}

/* Starting a CPU takes executable memory below 1 MiB: not in these tables. */
TEST(smp_x86, nothing_is_mapped_low)
{
	const pte_t *root = arch_root_table();
	unsigned int cpu;

	for (unsigned int i = 0; i < PT_ENTRIES / 2; i++)
		EXPECT(pte_none(pte_get(&root[i])));
	for_each_cpu(cpu, cpu_online_mask())
		EXPECT(state_of(cpu).null_faults);
}

/* --- stacks --------------------------------------------------------------- */

static const char *const stack_names[NR_CPU_STACKS] = {
	"double-fault stack",
	"NMI stack",
	"machine-check stack",
	"first stack",
};

TEST(smp_x86, stacks_end_at_guard_pages)
{
	for (unsigned int cpu = 1; cpu < cpus_online(); cpu++)
		for (unsigned int i = 0; i < NR_CPU_STACKS; i++) {
			va_t end = cpu_stack_end(cpu, i);
			va_t start = end - CPU_STACK_SIZE;
			unsigned int owner = MAX_CPUS;
			uint8_t byte;

			EXPECT(va_try_load8(start, &byte));
			EXPECT(va_try_load8(end - 1, &byte));
			EXPECT(!va_try_load8(start - 1, &byte));
			EXPECT(!va_try_load8(start - PAGE_SIZE, &byte));
			EXPECT_STREQ(cpu_guard_page(start - 1, &owner),
				     stack_names[i]);
			EXPECT_EQ(owner, cpu);
			EXPECT_NULL(cpu_guard_page(start, &owner));
		}
}

TEST(smp_x86, a_guard_page_is_called_by_its_name)
{
	char text[80], expected[80];

	if (cpus_online() < 2)
		SKIP("needs 2 CPUs");
	trap_region_text(text, sizeof(text),
			 cpu_stack_end(1, 1) - CPU_STACK_SIZE - 8);
	snprintf(expected, sizeof(expected), "guard page of CPU 1's NMI stack");
	EXPECT_STREQ(text, expected);
}

/* --- per-CPU variables ---------------------------------------------------- */

static DEFINE_PER_CPU(uint64_t, changed) = 0x5eed;

/* The values are those of the image, whatever CPU 0 has made of its own. */
TEST(smp_x86, areas_are_copies_of_the_pristine_image)
{
	unsigned int cpu = MAX_CPUS - 1;
	ptrdiff_t offset = per_cpu_offsets[cpu];
	va_t area = (va_t)vmalloc(percpu_size());

	REQUIRE_NE(area, 0);
	changed = 1;
	percpu_setup(cpu, area);
	EXPECT_EQ(*per_cpu_ptr(&changed, cpu), 0x5eed);
	EXPECT_EQ(*per_cpu_ptr(&cpu_number, cpu), cpu);
	EXPECT_EQ(*per_cpu_ptr(&cpu_bit, cpu), 1UL << cpu);
	EXPECT_EQ((va_t)&changed + *per_cpu_ptr(&this_cpu_offset, cpu),
		  (va_t)per_cpu_ptr(&changed, cpu));
	changed = 0x5eed;
	per_cpu_offsets[cpu] = offset;
	vfree((void *)area);
}

/* --- starting ------------------------------------------------------------- */

static unsigned int allocated, freed;

static va_t count_alloc(size_t size)
{
	allocated++;
	return (va_t)vmalloc(size);
}

static void count_free(va_t va)
{
	freed++;
	vfree((void *)va);
}

static void never_entered(void)
{
	for (;;)
		cpu_idle_wait();
}

#define ABSENT_APIC_ID 251

static bool can_start(const struct smp_boot *boot)
{
	return local_apic_works() && boot->low_page && cpus_online() < MAX_CPUS;
}

TEST(smp_x86, absent_cpu_is_left_out)
{
	static const struct smp_cpu absent = {ABSENT_APIC_ID};
	struct roster before = roster_online;
	struct smp_boot boot = {
		.cpus = &absent,
		.nr = 1,
		.max = MAX_CPUS,
		.local_apic = (va_t)local_apic.regs,
		.low_page = start_low_page,
		.alloc = count_alloc,
		.free = count_free,
		.entry = never_entered,
	};
	unsigned int online = cpus_online(), now = 0;

	if (!can_start(&boot))
		SKIP("needs an APIC, low memory, room for a CPU");
	allocated = freed = 0;
	EXPECT_ONE_LINE(now = smp_start(&boot),
			"CPU with APIC id 251: does not answer, left out");
	EXPECT_EQ(now, online);
	EXPECT_EQ(cpus_online(), online);
	EXPECT_EQ(roster_online.nr, before.nr);
	EXPECT(!roster_online.complete);
	EXPECT_EQ(allocated, 1 + NR_CPU_STACKS);
	EXPECT_EQ(freed, allocated);
	EXPECT(irq_enabled());
	roster_online.complete = before.complete;
}

static unsigned int to_fail;

static va_t fail_alloc(size_t size)
{
	return to_fail-- ? count_alloc(size) : 0;
}

TEST(smp_x86, no_memory_for_a_cpu)
{
	static const struct smp_cpu absent = {ABSENT_APIC_ID};
	bool complete = roster_online.complete;
	struct smp_boot boot = {
		.cpus = &absent,
		.nr = 1,
		.max = MAX_CPUS,
		.local_apic = (va_t)local_apic.regs,
		.low_page = start_low_page,
		.alloc = fail_alloc,
		.free = count_free,
		.entry = never_entered,
	};

	if (!can_start(&boot))
		SKIP("needs an APIC, low memory, room for a CPU");
	for (unsigned int n = 0; n < 1 + NR_CPU_STACKS; n++) {
		allocated = freed = 0;
		to_fail = n;
		EXPECT_ONE_LINE(smp_start(&boot), "no memory for it");
		EXPECT_EQ(allocated, n);
		EXPECT_EQ(freed, n);
	}
	roster_online.complete = complete;
}

/* --- interrupts ----------------------------------------------------------- */

TEST(smp_x86, spurious_interrupts_do_no_harm)
{
	__asm__ volatile("int $0xff");
	__asm__ volatile("int $0x27");
	__asm__ volatile("int $0x2f");
	EXPECT(!in_interrupt());
}

/* The general registers but the stack's two, in no order that matters. */
#define FOR_REGISTERS(do_)                                                     \
	do_(0, rbx) do_(1, rcx) do_(2, rdx) do_(3, rsi) do_(4, rdi) do_(5, r8) \
		do_(6, r9) do_(7, r10) do_(8, r11) do_(9, r12) do_(10, r13)    \
			do_(11, r14) do_(12, r15)

#define NR_REGISTERS 14 /* rax is the last */

#define LOAD(i, name)  "movq 8*" #i "(%%rax), %%" #name "\n\t"
#define STORE(i, name) "movq %%" #name ", 8*(14+" #i ")(%%rax)\n\t"

/* Fill the registers from @values, take an interrupt, and store them behind. */
#define INTERRUPTED(vector, values)                                            \
	__asm__ volatile(                                                      \
		"pushq %%rax\n\t" FOR_REGISTERS(                               \
			LOAD) "movq 8*13(%%rax), %%rax\n\t"                    \
			      "int %[v]\n\t"                                   \
			      "xchgq %%rax, (%%rsp)\n\t" FOR_REGISTERS(        \
				      STORE) "popq 8*(14+13)(%%rax)"           \
		:                                                              \
		: "a"(values), [v] "i"(vector)                                 \
		: "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", \
		  "r12", "r13", "r14", "r15", "cc", "memory")

static void expect_preserved(const uint64_t values[2 * NR_REGISTERS])
{
	for (unsigned int i = 0; i < NR_REGISTERS; i++)
		EXPECT_EQ(values[NR_REGISTERS + i], values[i]);
}

TEST(smp_x86, interrupts_preserve_registers)
{
	uint64_t values[2 * NR_REGISTERS] = {0};

	for (unsigned int i = 0; i < NR_REGISTERS; i++)
		values[i] = 0x0123456789abcdef * (i + 1);
	INTERRUPTED(VECTOR_TLB, values);
	expect_preserved(values);
	INTERRUPTED(VECTOR_CALL, values);
	expect_preserved(values);
	INTERRUPTED(VECTOR_KICK, values);
	expect_preserved(values);
	INTERRUPTED(VECTOR_TIMER, values);
	expect_preserved(values);
	INTERRUPTED(VECTOR_SPURIOUS, values);
	expect_preserved(values);
}

/* --- the shootdown -------------------------------------------------------- */

static void expect_flushed(cpumask_t mask)
{
	struct tlb_stats before[MAX_CPUS];
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask())
		before[cpu] = tlb_stats(cpu);
	tlb_flush_mask(mask, VMALLOC_START, VMALLOC_START + PAGE_SIZE);
	for_each_cpu(cpu, cpu_online_mask())
		EXPECT_EQ(tlb_stats(cpu).range_flushes,
			  before[cpu].range_flushes + cpumask_test(mask, cpu));
}

/* One message to all, where they are all there are; else one to each. */
TEST(smp_x86, all_at_once_or_one_by_one)
{
	bool complete = roster_online.complete;
	unsigned int cpu;

	roster_online.complete = false;
	expect_flushed(cpu_online_mask());
	roster_online.complete = true;
	expect_flushed(cpu_online_mask());
	for_each_cpu(cpu, cpu_online_mask())
		expect_flushed(cpumask_of(cpu));
	roster_online.complete = complete;
}

#define NR_SHOOTDOWNS 100
#define MOST_PER_CPU  75 /* instructions, of all CPUs together: 300 of four */

TEST(smp_x86, shootdown_is_cheap)
{
	cpumask_t mask = {0xf};
	uint64_t start, cost;

#ifdef QUIRE_DEBUG
	SKIP("locks are checked in this build");
#endif
	if (clock_kind() != CLOCK_INSTRUCTIONS || cpus_online() < 4)
		SKIP("needs clock=instructions and 4 CPUs");
	start = clock_ticks();
	for (unsigned int i = 0; i < NR_SHOOTDOWNS; i++)
		tlb_flush_mask(mask, VMALLOC_START, VMALLOC_START + PAGE_SIZE);
	cost = (clock_ticks() - start) / NR_SHOOTDOWNS;
	test_log("%lu instructions for a shootdown of 4 CPUs", cost);
	EXPECT_LE(cost, 4 * MOST_PER_CPU);
}
