/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses that must fault do, and leave everything as it was. */
#include <arch/cpu.h>
#include <arch/machine.h>
#include <arch/va.h>
#include <lib/test.h>
#include <machine/cpu_init.h>
#include <machine/trap.h>

#define RET_INSTRUCTION 0xc3

static uint8_t data_code[16] = {RET_INSTRUCTION};
static const uint8_t rodata_code[16] = {RET_INSTRUCTION};
static unsigned int calls;

static void count_call(void)
{
	calls++;
}

static void *alias(const void *image)
{
	return pa_to_va((va_t)image - KERNEL_BASE);
}

/* Neither readable nor writable. */
static bool absent(va_t va)
{
	uint8_t value = 0x5a;

	return !va_try_load8(va, &value) && value == 0x5a &&
	       !va_try_store8(va, 1);
}

/* Readable but not writable; a store is refused and changes nothing. */
static bool read_only(const void *p)
{
	uint8_t before, after;

	return va_try_load8((va_t)p, &before) &&
	       !va_try_store8((va_t)p, before ^ 0xff) &&
	       va_try_load8((va_t)p, &after) && before == after;
}

TEST(trap, good_accesses_succeed)
{
	static uint8_t byte = 0x11;
	static uint64_t word = 0x1122334455667788;
	uint8_t value = 0;
	uint64_t value64 = 0;

	EXPECT(va_try_store8((va_t)&byte, 0xa5));
	EXPECT(va_try_load8((va_t)&byte, &value));
	EXPECT_EQ(value, 0xa5);
	EXPECT(cpu_try_load64((va_t)&word, &value64));
	EXPECT_EQ(value64, 0x1122334455667788u);
}

TEST(trap, null_page_faults)
{
	uint64_t word = 7;

	EXPECT(absent(0));
	EXPECT(absent(8));
	EXPECT(absent(PAGE_SIZE - 1));
	EXPECT(!cpu_try_load64(0, &word));
	EXPECT_EQ(word, 7);
}

TEST(trap, low_addresses_are_unmapped)
{
	EXPECT(absent(PAGE_SIZE));
	EXPECT(absent(0x100000));
	EXPECT(absent(0x7fffffffffff));
}

TEST(trap, non_canonical_faults)
{
	EXPECT(absent(0x0000800000000000));
	EXPECT(absent(0xffff7fffffffffff));
	EXPECT(absent(0x123456789abcdef0));
}

TEST(trap, ends_of_the_address_space_fault)
{
	uint64_t word;

	EXPECT(absent(0xffffffffffffffff));
	EXPECT(absent(0xffff800000000000));
	EXPECT(!cpu_try_load64(0xfffffffffffffffc, &word));
}

TEST(trap, text_is_read_only)
{
	EXPECT(read_only((const void *)trap_handler));
	EXPECT(read_only(alias((const void *)trap_handler)));
}

TEST(trap, rodata_is_read_only)
{
	EXPECT(read_only(rodata_code));
	EXPECT(read_only(alias(rodata_code)));
}

TEST(trap, text_executes)
{
	unsigned int before = calls;

	EXPECT(cpu_try_call((va_t)count_call));
	EXPECT_EQ(calls, before + 1);
}

TEST(trap, data_does_not_execute)
{
	uint8_t stack_code[16] = {RET_INSTRUCTION};

	EXPECT(!cpu_try_call((va_t)data_code));
	EXPECT(!cpu_try_call((va_t)rodata_code));
	EXPECT(!cpu_try_call((va_t)stack_code));
}

TEST(trap, aliases_do_not_execute)
{
	EXPECT(!cpu_try_call((va_t)alias(data_code)));
	EXPECT(!cpu_try_call((va_t)alias(rodata_code)));
	EXPECT(!cpu_try_call((va_t)alias((const void *)count_call)));
}

TEST(trap, absent_code_does_not_execute)
{
	EXPECT(!cpu_try_call(0));
	EXPECT(!cpu_try_call(0x100000));
	EXPECT(!cpu_try_call(0x0000800000000000));
}

TEST(trap, guard_pages_fault)
{
	size_t nr;
	const struct guarded_stack *stacks = cpu_guarded_stacks(&nr);
	uint8_t value;

	EXPECT_GE(nr, 4);
	for (size_t i = 0; i < nr; i++) {
		EXPECT_EQ(stacks[i].start - stacks[i].guard, PAGE_SIZE);
		EXPECTF(absent(stacks[i].guard), "%s", stacks[i].name);
		EXPECTF(absent(stacks[i].start - 1), "%s", stacks[i].name);
		EXPECT(va_try_load8(stacks[i].start, &value));
		EXPECT(va_try_load8(stacks[i].end - 1, &value));
	}
}

/* A fault that is fixed up costs no stack. */
TEST(trap, many_faults)
{
	unsigned int faults = 0;

	for (unsigned int i = 0; i < 1000; i++) {
		faults += absent(i);
		faults += !cpu_try_call(i);
	}
	EXPECT_EQ(faults, 2000);
}

TEST(trap, flags_survive_a_fault)
{
	unsigned long flags = irq_save();

	EXPECT(absent(0));
	EXPECT(!irq_enabled());
	irq_restore(flags);
}

/* Load nine registers, fault, and see what has become of them. */
TEST(trap, registers_survive_a_fault)
{
	uint64_t seen[9];

	__asm__ volatile("movl $101, %%ebx\n\t"
			 "movl $102, %%esi\n\t"
			 "movl $108, %%r8d\n\t"
			 "movl $109, %%r9d\n\t"
			 "movl $110, %%r10d\n\t"
			 "movl $111, %%r11d\n\t"
			 "movl $112, %%r12d\n\t"
			 "movl $113, %%r13d\n\t"
			 "movl $115, %%r15d\n\t"
			 "xorl %%eax, %%eax\n"
			 "1: movq (%%rax), %%rbx\n"
			 "2:\n\t" EX_TABLE(1b, 2b) "movq %%rbx, 0(%%rdi)\n\t"
						   "movq %%rsi, 8(%%rdi)\n\t"
						   "movq %%r8, 16(%%rdi)\n\t"
						   "movq %%r9, 24(%%rdi)\n\t"
						   "movq %%r10, 32(%%rdi)\n\t"
						   "movq %%r11, 40(%%rdi)\n\t"
						   "movq %%r12, 48(%%rdi)\n\t"
						   "movq %%r13, 56(%%rdi)\n\t"
						   "movq %%r15, 64(%%rdi)\n\t"
			 :
			 : "D"(seen)
			 : "rax", "rbx", "rsi", "r8", "r9", "r10", "r11", "r12",
			   "r13", "r15", "memory");
	EXPECT_EQ(seen[0], 101);
	EXPECT_EQ(seen[1], 102);
	for (unsigned int i = 2; i < 8; i++)
		EXPECT_EQ(seen[i], 106 + i);
	EXPECT_EQ(seen[8], 115);
}
