/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <lib/spinlock.h>
#include <lib/test.h>

TEST(spinlock, lock_and_unlock)
{
	spinlock_t lock = SPINLOCK_INIT;

	EXPECT(!spin_is_locked(&lock));
	spin_lock(&lock);
	EXPECT(spin_is_locked(&lock));
	EXPECT(!spin_trylock(&lock));
	EXPECT(spin_is_locked(&lock));
	spin_unlock(&lock);
	EXPECT(!spin_is_locked(&lock));
	EXPECT(spin_trylock(&lock));
	EXPECT(spin_is_locked(&lock));
	spin_unlock(&lock);
	EXPECT(!spin_is_locked(&lock));
}

TEST(spinlock, init)
{
	spinlock_t lock = {.ticket = {3, 2}};

	EXPECT(spin_is_locked(&lock));
	spin_lock_init(&lock);
	EXPECT(!spin_is_locked(&lock));
}

/* The tickets go round from their greatest value to 0. */
TEST(spinlock, tickets_wrap)
{
	spinlock_t lock = {.ticket = {UINT32_MAX, UINT32_MAX}};

	EXPECT(spin_trylock(&lock));
	EXPECT(!spin_trylock(&lock));
	spin_unlock(&lock);
	EXPECT(!spin_is_locked(&lock));
	spin_lock(&lock);
	EXPECT(spin_is_locked(&lock));
	spin_unlock(&lock);
	EXPECT_EQ(lock.ticket.next, 1);
	EXPECT_EQ(lock.ticket.serving, 1);
}

TEST(spinlock, irqsave_restores)
{
	spinlock_t lock = SPINLOCK_INIT;
	bool enabled = irq_enabled();
	unsigned long flags, inner;

	spin_lock_irqsave(&lock, flags);
	EXPECT(!irq_enabled());
	EXPECT(spin_is_locked(&lock));
	inner = irq_save();
	irq_restore(inner);
	EXPECT(!irq_enabled());
	spin_unlock_irqrestore(&lock, flags);
	EXPECT_EQ(irq_enabled(), enabled);
	EXPECT(!spin_is_locked(&lock));
}
