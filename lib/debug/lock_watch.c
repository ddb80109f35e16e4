/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watchdog of lock_watch.h.
 *
 * What a CPU waits for is written by itself alone, and read by whoever
 * complains; an interrupt handler that waits in the middle of a wait puts back
 * what it found. The CPU that complains panics, and the panic stops the others
 * by NMI and prints where each one was.
 */
#include <arch/clock.h>
#include <arch/cpumask.h>
#include <arch/percpu.h>
#include <lib/compiler.h>
#include <lib/debug/lock_check.h>
#include <lib/debug/lock_watch.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/param.h>
#include <lib/printf.h>
#include <lib/printk.h>

#define SPINS_BETWEEN_LOOKS 1024

static unsigned int limit = 5;
PARAM_UINT("watchdog", limit,
	   "seconds without progress of a CPU until a panic (default 5); "
	   "0: off");

unsigned int lock_watch_seconds(void)
{
	return limit;
}

/* What a CPU waits for. */
struct wait {
	spinlock_t *_Atomic lock; /* NULL: nothing */
	const struct lock_site *_Atomic site;
	_Atomic uint64_t waited; /* ns */
};

struct watch {
	struct wait wait;
	_Atomic unsigned int beats;
	_Atomic unsigned int missed; /* in turn, as its neighbour counts */
	unsigned int seen;           /* the other neighbour's last beat */
};

static DEFINE_PER_CPU(struct watch, watch);

/* --- the decision --------------------------------------------------------- */

struct watch_verdict watch_decide(const struct watch_state cpus[],
				  unsigned int nr, unsigned int seconds)
{
	struct watch_verdict verdict = {WATCH_FINE, 0};
	uint64_t longest = 0;
	unsigned int most = seconds;

	for (unsigned int i = 0; seconds && i < nr; i++)
		if (cpus[i].waits && cpus[i].waited >= seconds * WATCH_SECOND &&
		    cpus[i].waited > longest) {
			longest = cpus[i].waited;
			verdict = (struct watch_verdict){WATCH_WAITS, i};
		}
	for (unsigned int i = 0; seconds && !longest && i < nr; i++)
		if (cpus[i].missed > most) {
			most = cpus[i].missed;
			verdict = (struct watch_verdict){WATCH_SILENT, i};
		}
	return verdict;
}

/* --- the report ----------------------------------------------------------- */

/* ` (held by CPU 0, taken at …)`, or nothing when it is free just now. */
static void holder_text(char *buf, size_t size, spinlock_t *lock)
{
	unsigned int holder = lock->holder;
	const struct lock_site *taken = lock->taken;

	buf[0] = '\0';
	if (holder && taken)
		scnprintf(buf, size, " (held by CPU %u, taken at %s:%d (%s))",
			  holder - 1, taken->file, taken->line,
			  taken->function);
}

static _Noreturn void complain(const struct watch_verdict *verdict,
			       const struct watch_state *state)
{
	struct wait *wait = &per_cpu_ptr(&watch, verdict->cpu)->wait;
	const struct lock_site *site = wait->site;
	spinlock_t *lock = wait->lock;
	char holder[128];

	if (verdict->trouble == WATCH_SILENT || !lock)
		panic("watchdog: CPU %u has not taken interrupts for %u s",
		      verdict->cpu, state->missed);
	holder_text(holder, sizeof(holder), lock);
	panic("watchdog: CPU %u has waited %lu s for lock %s%s", verdict->cpu,
	      state->waited / WATCH_SECOND, lock_name(lock, site), holder);
}

void spin_print_cpu(unsigned int cpu)
{
	struct wait *wait = &per_cpu_ptr(&watch, cpu)->wait;
	const struct lock_site *site = wait->site;
	spinlock_t *lock = wait->lock;
	char holder[128];

	lock_check_print_held(cpu);
	if (!lock)
		return;
	holder_text(holder, sizeof(holder), lock);
	printk("  CPU %u waits for %s at %s:%d (%s)%s\n", cpu,
	       lock_name(lock, site), site->file, site->line, site->function,
	       holder);
}

/* --- the looks ------------------------------------------------------------ */

static void check_all(void)
{
	struct watch_state states[MAX_CPUS];
	unsigned int nr = cpus_online();
	struct watch_verdict verdict;

	for (unsigned int cpu = 0; cpu < nr; cpu++) {
		struct watch *of = per_cpu_ptr(&watch, cpu);

		states[cpu] = (struct watch_state){of->wait.lock != NULL,
						   of->wait.waited, of->missed};
	}
	verdict = watch_decide(states, nr, limit);
	if (verdict.trouble != WATCH_FINE)
		complain(&verdict, &states[verdict.cpu]);
}

/* Add to this CPU's wait what passed since *@before. */
static void look(struct wait *wait, uint64_t *before)
{
	uint64_t now = clock_ticks();
	uint64_t step = clock_ticks_to_ns(now - *before);

	*before = now;
	wait->waited += min(step, WATCH_MAX_STEP);
	if (limit && wait->waited >= limit * WATCH_SECOND)
		check_all();
}

static void set_wait(struct wait *wait, const struct wait *to)
{
	wait->lock = NULL;
	wait->site = to->site;
	wait->waited = to->waited;
	wait->lock = to->lock;
}

void lock_watch_wait(spinlock_t *lock, uint32_t ticket,
		     const struct lock_site *site)
{
	struct wait *wait = &this_cpu_ptr(&watch)->wait;
	struct wait outer = *wait;
	uint64_t before = clock_ticks();
	unsigned int spins = 0;

	set_wait(wait, &(struct wait){lock, site, 0});
	while (!ticket_served(&lock->ticket, ticket)) {
		cpu_relax();
		if (++spins % SPINS_BETWEEN_LOOKS == 0)
			look(wait, &before);
	}
	set_wait(wait, &outer);
}

/* The neighbours are a ring. Who has never beaten is not watched. */
void lock_watch_beat(void)
{
	struct watch *self = this_cpu_ptr(&watch);
	unsigned int next = (cpu_id() + 1) % cpus_online();
	struct watch *other = per_cpu_ptr(&watch, next);
	unsigned int beats = other->beats;

	self->beats++;
	if (beats && beats == self->seen && next != cpu_id())
		other->missed++;
	else
		other->missed = 0;
	self->seen = beats;
	check_all();
}
