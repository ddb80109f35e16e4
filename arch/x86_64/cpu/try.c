/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses that may fault. Each writes its verdict after the instruction that
 * may fault, and a fault resumes behind both: a faulting access leaves
 * "false", and nothing is stored.
 */
#include <arch/va.h>
#include <machine/trap.h>

bool va_try_load8(va_t va, uint8_t *value)
{
	uint8_t v;
	uint32_t ok = 0;

	__asm__ volatile("1: movb (%[va]), %[v]\n\t"
			 "movl $1, %[ok]\n"
			 "2:\n\t" EX_TABLE(1b, 2b)
			 : [v] "=q"(v), [ok] "+r"(ok)
			 : [va] "r"(va)
			 : "memory");
	if (ok)
		*value = v;
	return ok;
}

bool va_try_store8(va_t va, uint8_t value)
{
	uint32_t ok = 0;

	__asm__ volatile("1: movb %[v], (%[va])\n\t"
			 "movl $1, %[ok]\n"
			 "2:\n\t" EX_TABLE(1b, 2b)
			 : [ok] "+r"(ok)
			 : [v] "q"(value), [va] "r"(va)
			 : "memory");
	return ok;
}

bool cpu_try_load64(va_t va, uint64_t *value)
{
	uint64_t v;
	uint32_t ok = 0;

	__asm__ volatile("1: movq (%[va]), %[v]\n\t"
			 "movl $1, %[ok]\n"
			 "2:\n\t" EX_TABLE(1b, 2b)
			 : [v] "=r"(v), [ok] "+r"(ok)
			 : [va] "r"(va)
			 : "memory");
	if (ok)
		*value = v;
	return ok;
}

/*
 * A fault of the fetch comes with the call already done: the table names the
 * return address, label 1, for it (see trap.c). A call to a non-canonical
 * address faults at the call itself on some CPUs, label 0.
 */
bool cpu_try_call(va_t va)
{
	uint64_t ok = 0;

	__asm__ volatile("0: callq *%[va]\n"
			 "1: movl $1, %k[ok]\n"
			 "2:\n\t" EX_TABLE(0b, 2b) EX_TABLE(1b, 2b)
			 : [ok] "+b"(ok)
			 : [va] "r"(va)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
			   "r11", "cc", "memory");
	return ok;
}
