/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spinlocks that several CPUs want at once. */
#include <arch/smp.h>
#include <lib/random.h>
#include <lib/spinlock.h>
#include <lib/test.h>

#define ROUNDS 2000

TEST_SUITE(spinlock_cpus, .min_cpus = 2, .why = "to want a lock at once");

static spinlock_t lock = SPINLOCK_INIT;

/* Written under the lock alone: wrong sums if two CPUs were ever inside. */
static unsigned long counter, halves[2];
static unsigned int inside;
static _Atomic unsigned long refused;

static void count_one(void)
{
	EXPECT_EQ(inside++, 0);
	counter++;
	halves[counter % 2]++;
	EXPECT_EQ(--inside, 0);
}

static void count_locked(void *arg)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		spin_lock(&lock);
		count_one();
		spin_unlock(&lock);
	}
}

static void expect_count(unsigned long n)
{
	EXPECT_EQ(counter, n);
	EXPECT_EQ(halves[0], n / 2);
	EXPECT_EQ(halves[1], n - n / 2);
	EXPECT(!spin_is_locked(&lock));
	counter = halves[0] = halves[1] = 0;
}

TEST(spinlock_cpus, one_cpu_at_a_time)
{
	test_run_on_cpus(cpu_online_mask(), count_locked, NULL);
	expect_count((unsigned long)ROUNDS * cpus_online());
}

static void count_tried(void *arg)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		if (i % 2)
			spin_lock(&lock);
		else if (!spin_trylock(&lock)) {
			atomic_fetch_add(&refused, 1);
			continue;
		}
		count_one();
		spin_unlock(&lock);
	}
}

TEST(spinlock_cpus, tries_come_between)
{
	refused = 0;
	test_run_on_cpus(cpu_online_mask(), count_tried, NULL);
	EXPECT_LE(refused, ROUNDS / 2 * cpus_online());
	expect_count((unsigned long)ROUNDS * cpus_online() - refused);
}

/* A handler takes the lock as threads do: whoever holds it with interrupts on
 * would wait for itself. */
static spinlock_t shared = SPINLOCK_INIT;
static unsigned long shared_counter;

static void count_shared(void *arg)
{
	unsigned long flags;

	spin_lock_irqsave(&shared, flags);
	shared_counter++;
	spin_unlock_irqrestore(&shared, flags);
}

static void count_here_and_there(void *arg)
{
	unsigned int next = (cpu_id() + 1) % cpus_online();

	for (unsigned int i = 0; i < ROUNDS / 20; i++) {
		count_shared(NULL);
		cpu_call(next, count_shared, NULL, i % 2);
		count_shared(NULL);
	}
	cpu_call(next, count_shared, NULL, true);
}

TEST(spinlock_cpus, threads_and_handlers)
{
	shared_counter = 0;
	test_run_on_cpus(cpu_online_mask(), count_here_and_there, NULL);
	EXPECT_EQ(shared_counter, (ROUNDS / 20 * 3 + 1UL) * cpus_online());
	EXPECT(!spin_is_locked(&shared));
}

/* The first word of a lock is the ticket that the next comer draws. */
static uint32_t tickets_drawn(spinlock_t *of)
{
	return atomic_load((_Atomic uint32_t *)of);
}

static struct {
	uint32_t first;                /* ticket, the lock's holder has it */
	unsigned int order[MAX_CPUS];  /* CPUs as they are to come */
	unsigned int served[MAX_CPUS]; /* and as their turns came */
	unsigned int nr_served;
} queue;

static void wait_for_comers(unsigned int n)
{
	while (tickets_drawn(&lock) - queue.first != n)
		cpu_relax();
}

/* The first CPU holds the lock until all others wait, each of which asks for it
 * when those before it have. */
static void queue_up(void *arg)
{
	unsigned int place = 0;

	while (queue.order[place] != cpu_id())
		place++;
	wait_for_comers(place);
	spin_lock(&lock);
	if (place == 0)
		wait_for_comers(cpus_online());
	queue.served[queue.nr_served++] = cpu_id();
	spin_unlock(&lock);
}

static void shuffle(struct rng *rng)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		unsigned int other = rng_below(rng, cpu + 1);

		queue.order[cpu] = queue.order[other];
		queue.order[other] = cpu;
	}
}

TEST(spinlock_cpus, first_come_first_served)
{
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (unsigned int round = 0; round < 20; round++) {
		shuffle(&rng);
		queue.first = tickets_drawn(&lock);
		queue.nr_served = 0;
		test_run_on_cpus(cpu_online_mask(), queue_up, NULL);
		REQUIRE_EQ(queue.nr_served, cpus_online());
		for (unsigned int i = 0; i < cpus_online(); i++)
			EXPECT_EQ(queue.served[i], queue.order[i]);
	}
}
