/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU is set up: protections on where it has them, tables loaded. */
#include <arch/cpu.h>
#include <lib/test.h>
#include <machine/cpu_init.h>
#include <machine/regs.h>

TEST(cpu, read_only_holds_for_the_kernel)
{
	EXPECT(read_cr0() & CR0_WP);
}

TEST(cpu, protections_are_on_where_the_cpu_has_them)
{
	struct cpu_features features = cpu_features_read();
	uint64_t cr4 = read_cr4();

	EXPECT_EQ((cr4 & CR4_PGE) != 0, features.pge);
	EXPECT_EQ((cr4 & CR4_SMEP) != 0, features.smep);
	EXPECT_EQ((cr4 & CR4_SMAP) != 0, features.smap);
	EXPECT_EQ((cr4 & CR4_UMIP) != 0, features.umip);
	EXPECT_EQ((cr4 & CR4_MCE) != 0, features.mce);
}

TEST(cpu, segments_and_task)
{
	uint16_t cs, ss, task;

	__asm__ volatile("movw %%cs, %0" : "=r"(cs));
	__asm__ volatile("movw %%ss, %0" : "=r"(ss));
	__asm__ volatile("str %0" : "=r"(task));
	EXPECT_EQ(cs, 0x08);
	EXPECT_EQ(ss, 0x10);
	EXPECT_EQ(task, 0x18);
}

TEST(cpu, interrupts_off_and_back)
{
	bool before = irq_enabled();
	unsigned long flags = irq_save();

	EXPECT(!irq_enabled());
	irq_restore(flags);
	EXPECT_EQ(irq_enabled(), before);
}

TEST(cpu, this_cpu_is_online)
{
	EXPECT_GE(cpus_online(), 1);
	EXPECT_LT(cpu_id(), cpus_online());
}
