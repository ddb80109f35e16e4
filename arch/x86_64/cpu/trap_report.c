/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of an exception that nobody expected. Whatever it reads by an
 * address that the exception may have spoilt, it reads through the exception
 * table.
 */
#include <arch/cpu.h>
#include <arch/va.h>
#include <lib/panic.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <machine/regs.h>
#include <machine/trap.h>

#define TEXT_MAX   160 /* bytes of a line */
#define CODE_BYTES 16

static void print_registers(const struct trap_frame *f)
{
	printk("  rax %016lx  rbx %016lx  rcx %016lx  rdx %016lx\n", f->rax,
	       f->rbx, f->rcx, f->rdx);
	printk("  rsi %016lx  rdi %016lx  rbp %016lx  rsp %016lx\n", f->rsi,
	       f->rdi, f->rbp, f->rsp);
	printk("  r8  %016lx  r9  %016lx  r10 %016lx  r11 %016lx\n", f->r8,
	       f->r9, f->r10, f->r11);
	printk("  r12 %016lx  r13 %016lx  r14 %016lx  r15 %016lx\n", f->r12,
	       f->r13, f->r14, f->r15);
	printk("  rip %016lx  cs %04lx  ss %04lx  rflags %08lx\n", f->rip,
	       f->cs, f->ss, f->rflags);
	printk("  cr0 %016lx  cr2 %016lx  cr3 %016lx  cr4 %016lx\n", read_cr0(),
	       read_cr2(), read_cr3(), read_cr4());
}

/* The bytes of the instruction, as far as they can be read. */
static void print_code(va_t rip)
{
	uint8_t byte;

	printk("  code");
	for (unsigned int i = 0; i < CODE_BYTES; i++) {
		if (!va_try_load8(rip + i, &byte)) {
			printk(" (unreadable)");
			break;
		}
		printk(" %02x", byte);
	}
	printk("\n");
}

static void print_walk(va_t va)
{
	const pte_t *table = arch_root_table();
	char text[TEXT_MAX];

	printk("  page-table walk of %016lx\n", va);
	for (unsigned int level = PT_LEVELS; level-- > 0;) {
		unsigned int i = pt_index(va, level);
		pte_t pte = {0};

		if (!cpu_try_load64((va_t)&table[i], &pte.v)) {
			printk("    level %u: table unreadable\n", level);
			return;
		}
		trap_pte_text(text, sizeof(text), pte, level);
		printk("    level %u [%3u] %s\n", level, i, text);
		if (!pte_present(pte) || pte_leaf(pte, level))
			return;
		table = pa_to_va(pte_pa(pte, level));
	}
}

/* Where a fetch failed nothing says who called, but the stack's top. */
static void print_caller(const struct trap_frame *frame)
{
	va_t caller;

	if (cpu_try_load64(frame->rsp, &caller))
		printk("  called from, by the stack: %pS\n", (void *)caller);
}

void trap_report(const struct trap_frame *frame)
{
	static const uint64_t no_frames[2]; /* a chain of none */
	va_t cr2 = read_cr2();
	char text[TEXT_MAX];

	printk_emergency();
	printk("\nEXCEPTION %lu %s %s on CPU %u at %pS\n", frame->vector,
	       trap_mnemonic(frame->vector), trap_name(frame->vector), cpu_id(),
	       (void *)frame->rip);
	trap_error_text(text, sizeof(text), frame->vector, frame->error);
	printk("  error code 0x%lx: %s\n", frame->error, text);
	print_registers(frame);
	print_code(frame->rip);
	if (frame->vector == VECTOR_PAGE_FAULT ||
	    frame->vector == VECTOR_DOUBLE_FAULT) {
		trap_region_text(text, sizeof(text), cr2);
		printk("  address %016lx: %s\n", cr2, text);
		print_walk(cr2);
	}
	if (trap_at_fetch(frame))
		print_caller(frame);
	trap_summary_text(text, sizeof(text), frame, cr2);
	panic_from(frame->rbp ? (void *)frame->rbp : no_frames, "%s at %pS",
		   text, (void *)frame->rip);
}
