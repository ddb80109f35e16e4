/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks and the interrupt state, which a test may choose only here. */
#include <lib/spinlock.h>
#include <lib/test.h>

#define INTERRUPTS_ON 1UL

TEST(hosted_spinlock, irqsave_from_either_state)
{
	unsigned long outer = irq_save(), flags;
	spinlock_t lock = SPINLOCK_INIT;

	for (int on = 0; on < 2; on++) {
		irq_restore(on ? INTERRUPTS_ON : 0);
		spin_lock_irqsave(&lock, flags);
		EXPECT(!irq_enabled());
		spin_unlock_irqrestore(&lock, flags);
		EXPECT_EQ(irq_enabled(), on);
	}
	irq_restore(outer);
}
