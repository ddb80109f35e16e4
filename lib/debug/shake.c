/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Delays at random. Each CPU draws from a generator of its own, so that the
 * n-th delay of a CPU is the same in every run with the same seed, whatever the
 * other CPUs do. Most points do not wait at all; the delays of the others
 * spread evenly over the orders of magnitude: what they have to cover may last
 * ten instructions or a thousand.
 */
#include <arch/percpu.h>
#include <lib/errno.h>
#include <lib/param.h>
#include <lib/printk.h>
#include <lib/shake.h>
#include <lib/string.h>

uint64_t shake_seed;

static int set_seed(const char *value)
{
	if (parse_u64(value, &shake_seed))
		return -EINVAL;
	if (shake_seed)
		printk("shake: seed %lu\n", shake_seed);
	return 0;
}

PARAM_FN("shake", set_seed, "seed of random delays; 0: none (default)");

/* One point in so many waits. Entries are written by the thousand. */
static const unsigned int one_in[SHAKE_NR_POINTS] = {
	[SHAKE_LOCK] = 4,
	[SHAKE_IPI] = 2,
	[SHAKE_PTE] = 32,
};

#define MIN_DELAY 4
#define DOUBLINGS 8 /* of the least delay */

static DEFINE_PER_CPU(struct shaker, shakers);

unsigned int shaker_delay(struct shaker *shaker, uint64_t seed,
			  unsigned int cpu, enum shake_point point)
{
	unsigned int most;

	if (shaker->seed != seed) {
		shaker->seed = seed;
		rng_seed(&shaker->rng, seed + ((uint64_t)cpu << 32));
	}
	if (rng_below(&shaker->rng, one_in[point]))
		return 0;
	most = MIN_DELAY << rng_below(&shaker->rng, DOUBLINGS);
	return MIN_DELAY + rng_below(&shaker->rng, most);
}

void shake_now(enum shake_point point)
{
	unsigned long flags = irq_save();
	unsigned int delay = shaker_delay(this_cpu_ptr(&shakers), shake_seed,
					  cpu_id(), point);

	irq_restore(flags);
	while (delay--)
		cpu_relax();
}
