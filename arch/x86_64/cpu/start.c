/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starting the other CPUs (Intel SDM vol. 3, 9.4).
 *
 * A CPU that is not in use waits for two messages: INIT resets it, STARTUP
 * makes it run from a page below 1 MiB. CPUs are started one after the other,
 * so there is one of everything that a CPU needs to know.
 *
 *   here, for each CPU                   the new CPU
 *   memory, its per-CPU variables
 *   ap_state = AP_AWAITED
 *   INIT, STARTUP                        trampoline.S: long mode
 *                                        AP_AWAITED -> AP_ANSWERED
 *                                        ap_main(): tables, APIC
 *                                        counts itself as online, flushes
 *                                        AP_ONLINE
 *   the next one                         boot->entry()
 *
 * The book wants 10 ms after INIT and a second STARTUP after 200 us. CPUs of
 * this century need neither, so at first we go without and look for the
 * answer; only a CPU that did not answer is asked again by the book. Who does
 * not answer then is sent INIT once more, lest it come when nobody waits.
 */
#include "start.h"
#include "../boot/trampoline.h"
#include "descriptors.h"
#include "interrupt.h"
#include "roster.h"
#include "stacks.h"
#include <arch/clock.h>
#include <arch/pte.h>
#include <arch/tlb.h>
#include <lib/errno.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <machine/cpu_init.h>
#include <machine/regs.h>
#include <stdatomic.h>

#define US_PER_S        1000000
#define FIRST_WAIT_US   1000
#define INIT_WAIT_US    10000
#define STARTUP_WAIT_US 200

/* An emulator's clock leaps when a CPU gets INIT (QEMU takes the instructions
 * that it might have run for run), so looks are counted too. */
#define MIN_LOOKS 100

/*
 * Emulated CPUs are threads, which their host may let wait. Where instructions
 * are the clock CPUs take turns, and none is late.
 */
#define LAST_WAIT_US              1000000
#define LAST_WAIT_US_INSTRUCTIONS 10000

/* What the new CPU reads, trampoline.S and ap_main(). */
_Atomic uint32_t ap_state;
uint64_t ap_root;
va_t ap_stack_end;
static unsigned int ap_cpu;
static void (*ap_entry_point)(void);

_Noreturn void ap_main(void);

extern const uint8_t trampoline_start[], trampoline_end[], trampoline_long[],
	trampoline_gdt[], trampoline_values[], ap_entry[];
extern uint8_t early_pml4[]; /* linked at its physical address */

struct roster roster_online = {.nr = 1};

/* What the next CPU gets: kept for the one after it if it does not answer. */
struct cpu_memory {
	va_t percpu;
	struct cpu_stacks stacks;
};

pa_t start_low_page;

/* While smp_start() runs. */
static const struct smp_boot *boot;
static struct cpu_memory memory;

uint32_t smp_apic_id(unsigned int cpu)
{
	return roster_online.apic_id[cpu];
}

static bool take_memory(void)
{
	bool all =
		memory.percpu || (memory.percpu = boot->alloc(percpu_size()));

	for (unsigned int i = 0; i < NR_CPU_STACKS; i++) {
		va_t *start = &memory.stacks.start[i];

		all = all && (*start || (*start = boot->alloc(CPU_STACK_SIZE)));
	}
	return all;
}

static void release(va_t *va)
{
	if (*va)
		boot->free(*va);
	*va = 0;
}

static void release_memory(void)
{
	release(&memory.percpu);
	for (unsigned int i = 0; i < NR_CPU_STACKS; i++)
		release(&memory.stacks.start[i]);
}

static uint32_t low_address(const uint8_t *in_trampoline)
{
	return boot->low_page + (in_trampoline - trampoline_start);
}

/* The new CPU gets the control registers of this one. */
static void write_trampoline(void)
{
	uint8_t *copy = pa_to_va(boot->low_page);
	struct trampoline_values values = {
		.entry = (uint64_t)ap_entry,
		.cr0 = read_cr0(),
		.cr3 = (uint64_t)early_pml4,
		.cr4 = read_cr4(),
		.efer = read_msr(MSR_EFER) & ~EFER_LMA,
		.jump_offset = low_address(trampoline_long),
		.jump_selector = KERNEL_CS,
		.gdt_limit = trampoline_values - trampoline_gdt - 1,
		.gdt_base = low_address(trampoline_gdt),
	};

	memcpy(copy, trampoline_start, trampoline_end - trampoline_start);
	memcpy(copy + (trampoline_values - trampoline_start), &values,
	       sizeof(values));
}

/* Look for @us, or until the new CPU answers. Return: whether it did. */
static bool answers_within(uint64_t us)
{
	uint64_t start = clock_ticks(), ticks = clock_hz() / US_PER_S * us;

	for (unsigned int looks = 0;
	     looks < MIN_LOOKS || clock_ticks() - start < ticks; looks++) {
		if (atomic_load(&ap_state) != AP_AWAITED)
			return true;
		cpu_relax();
	}
	return false;
}

/* From here on the new CPU won't go on if it comes. Return: false when it is
 * there already. */
static bool stop_waiting(void)
{
	uint32_t awaited = AP_AWAITED;

	return atomic_compare_exchange_strong(&ap_state, &awaited,
					      AP_NOT_AWAITED);
}

static void send(uint32_t apic_id, uint32_t what)
{
	unsigned long flags = irq_save();

	apic_send(&local_apic, apic_id, what);
	irq_restore(flags);
}

/* Return: false when it does not answer, and never will. */
static bool wake(uint32_t apic_id)
{
	uint32_t startup = APIC_SEND_STARTUP(boot->low_page >> PAGE_SHIFT);
	uint64_t last_wait = clock_kind() == CLOCK_INSTRUCTIONS
				     ? LAST_WAIT_US_INSTRUCTIONS
				     : LAST_WAIT_US;

	atomic_store(&ap_state, AP_AWAITED);
	send(apic_id, APIC_SEND_INIT);
	send(apic_id, startup);
	if (answers_within(FIRST_WAIT_US) || !stop_waiting())
		return true;
	send(apic_id, APIC_SEND_INIT);
	atomic_store(&ap_state, AP_AWAITED);
	answers_within(INIT_WAIT_US);
	send(apic_id, startup);
	if (answers_within(STARTUP_WAIT_US))
		return true;
	send(apic_id, startup);
	if (answers_within(last_wait) || !stop_waiting())
		return true;
	send(apic_id, APIC_SEND_INIT);
	return false;
}

static int start(unsigned int cpu, uint32_t apic_id)
{
	if (!take_memory())
		return -ENOMEM;
	percpu_setup(cpu, memory.percpu);
	cpu_set_stacks(cpu, &memory.stacks);
	ap_cpu = cpu;
	ap_stack_end = cpu_stack_end(cpu, FIRST_STACK);
	if (!wake(apic_id))
		return -ENOENT;
	while (atomic_load(&ap_state) != AP_ONLINE)
		cpu_relax();
	memory = (struct cpu_memory){0};
	return 0;
}

void ap_main(void)
{
	void (*entry)(void) = ap_entry_point;

	cpu_init_started(ap_cpu);
	cpu_go_online(ap_cpu);
	atomic_store(&ap_state, AP_ONLINE);
	entry();
	panic("CPU %u: its entry returned", cpu_id());
}

unsigned int smp_start(const struct smp_boot *of)
{
	boot = of;
	if (!start_low_page)
		start_low_page = boot->low_page;
	unsigned long flags = irq_save();
	bool works = local_apic_works() || local_apic_init(boot->local_apic);

	irq_restore(flags | RFLAGS_IF);
	if (!works) {
		printk("CPUs: no local APIC, one CPU\n");
		return 1;
	}
	roster_online.apic_id[0] = apic_id(&local_apic);
	if (boot->max > 1 && boot->nr > 1 && !boot->low_page)
		printk("CPUs: no memory below 1 MiB to start others in\n");
	else if (boot->max > 1) {
		ap_root = va_to_pa(arch_root_table());
		ap_entry_point = boot->entry;
		write_trampoline();
		roster_start(&roster_online, boot, &local_apic, start);
		release_memory();
	}
	return cpus_online();
}
