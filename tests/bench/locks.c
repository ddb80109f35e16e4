/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a spinlock costs that nobody else wants: lock and unlock together. */
#include <lib/bench.h>
#include <lib/spinlock.h>

static spinlock_t lock = SPINLOCK_INIT;

BENCH(spin_lock_pair, .ops = 10000)
{
	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++) {
		spin_lock(&lock);
		spin_unlock(&lock);
	}
	bench_end(b);
}

BENCH(spin_lock_irqsave_pair, .ops = 10000)
{
	unsigned long flags;

	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++) {
		spin_lock_irqsave(&lock, flags);
		spin_unlock_irqrestore(&lock, flags);
	}
	bench_end(b);
}
