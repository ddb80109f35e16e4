/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checks of lock_check.h.
 *
 * Structures
 *   Each CPU keeps the locks that it holds, in the order in which it took them.
 *   There is one graph for all CPUs.
 *
 * Operations
 *   take  O(locks held) while nothing new is seen: a bit for each. What is new
 *         costs a search of the graph, at most once for each pair of classes.
 *   give  O(locks held)
 *
 * Locking
 *   graph_lock, a ticket lock that is not itself checked, for whoever changes
 *   the graph or searches it. What a CPU holds is its own, interrupts off.
 *   Nothing is printed under graph_lock, since printing takes locks.
 *
 * When a table is full, that is told once, as soon as this CPU holds no lock
 * (it may hold the console's), and what is in the tables is checked further.
 */
#include <arch/percpu.h>
#include <arch/smp.h>
#include <lib/compiler.h>
#include <lib/debug/lock_check.h>
#include <lib/panic.h>
#include <lib/param.h>
#include <lib/printk.h>

static bool check_order = true;
PARAM_BOOL("lock_check", check_order,
	   "check the order in which locks are taken (default 1)");

struct held_lock {
	spinlock_t *lock;
	unsigned int class;
	const struct lock_site *site;
};

/* What a CPU knows of itself. */
struct lock_cpu {
	unsigned int nr_held; /* kept in held[], that is */
	struct held_lock held[LOCK_MAX_HELD];
	lock_reporter reporter;
	bool reporting;
};

static DEFINE_PER_CPU(struct lock_cpu, lock_cpu);

static struct ticket_lock graph_lock;
static struct lock_graph graph; /* graph_lock */

/* --- full tables ---------------------------------------------------------- */

static struct lock_table full_classes =
	LOCK_TABLE("classes of locks", LOCK_MAX_CLASSES - 1);
static struct lock_table full_edges =
	LOCK_TABLE("pairs of classes", LOCK_MAX_EDGES);
static struct lock_table full_held =
	LOCK_TABLE("locks held by one CPU", LOCK_MAX_HELD);

void lock_table_tell(struct lock_table *table)
{
	if (likely(!table->full) || atomic_exchange(&table->told, true))
		return;
	printk("lock check: more than %u %s; the rest is not checked\n",
	       table->size, table->what);
}

static void tell_full_tables(void)
{
	lock_table_tell(&full_classes);
	lock_table_tell(&full_edges);
	lock_table_tell(&full_held);
}

/* --- reports -------------------------------------------------------------- */

lock_reporter lock_check_set_reporter(lock_reporter reporter)
{
	struct lock_cpu *self = this_cpu_ptr(&lock_cpu);
	lock_reporter before = self->reporter;

	self->reporter = reporter;
	return before;
}

static struct lock_witness witness(const struct lock_place *at)
{
	struct lock_witness w = {.site = at->site, .cpu = cpu_id()};

	w.nr_pcs = arch_backtrace(at->frame, w.pcs, LOCK_MAX_TRACE);
	return w;
}

static void print_report(const void *report)
{
	lock_report_print(report);
}

static _Noreturn void report_and_panic(const struct lock_report *report,
				       const struct lock_place *at)
{
	char headline[256];

	lock_report_headline(headline, sizeof(headline), report);
	panic_with(at->frame, print_report, report, "%s", headline);
}

static void tell(struct lock_report *report, const struct lock_place *at)
{
	struct lock_cpu *self = this_cpu_ptr(&lock_cpu);

	report->graph = &graph;
	self->reporting = true;
	if (!self->reporter)
		report_and_panic(report, at);
	self->reporter(report);
	self->reporting = false;
}

/* A report that needs no graph; @taken: the other place. */
static void tell_of(enum lock_fault fault, const char *name,
		    unsigned int holder, const struct lock_site *taken,
		    const struct lock_place *at)
{
	struct lock_report report = {
		.fault = fault,
		.now = witness(at),
		.name = name,
		.holder = holder,
		.taken = taken,
	};

	tell(&report, at);
}

/* --- classes -------------------------------------------------------------- */

static unsigned int find_class(const void *key, unsigned int subclass,
			       const struct lock_site *name)
{
	unsigned int class = lock_graph_class(&graph, key, subclass, name);

	if (!class)
		full_classes.full = true;
	return class;
}

/* A lock that is its own class and was not seen before lies where another one,
 * now gone, may have been. */
static unsigned int find_base_class(spinlock_t *lock,
				    const struct lock_site *site)
{
	if (!lock->class && !lock->init)
		lock_graph_forget(&graph, lock);
	if (!lock->class)
		lock->class = lock->init ? find_class(lock->init, 0, lock->init)
					 : find_class(lock, 0, site);
	return lock->class;
}

static unsigned int class_of(spinlock_t *lock, unsigned int subclass,
			     const struct lock_site *site)
{
	unsigned int class = lock->class;

	if (likely(class && !subclass))
		return class;
	ticket_lock(&graph_lock);
	class = find_base_class(lock, site);
	if (class && subclass)
		class = find_class(graph.classes[class].key, subclass,
				   graph.classes[class].name);
	ticket_unlock(&graph_lock);
	return class;
}

/* --- order ---------------------------------------------------------------- */

/* The new edge from @from to @to: does it close a path that G1 or G2 forbids?
 */
static bool edge_is_wrong(unsigned int from, unsigned int to,
			  struct lock_report *report)
{
	struct lock_path more;

	lock_graph_path(&graph, to, from, &more);
	if (more.nr) {
		report->fault = LOCK_FAULT_ORDER;
		report->path = (struct lock_path){1, {from}};
		lock_path_append(&report->path, &more);
		return true;
	}
	lock_graph_path_from_use(&graph, from, LOCK_USED_IN_INTERRUPT,
				 &report->path);
	lock_graph_path_to_use(&graph, to, LOCK_USED_INTERRUPTS_ON, &more);
	report->fault = LOCK_FAULT_INTERRUPT;
	if (!report->path.nr || !more.nr)
		return false;
	lock_path_append(&report->path, &more);
	return true;
}

static noinline void new_edge(const struct held_lock *held, unsigned int class,
			      const struct lock_place *at)
{
	struct lock_report report = {.now = witness(at)};
	bool wrong = false;

	if (full_edges.full)
		return;
	ticket_lock(&graph_lock);
	if (!lock_graph_has_edge(&graph, held->class, class)) {
		wrong = edge_is_wrong(held->class, class, &report);
		if (!lock_graph_add_edge(&graph, held->class, class, held->site,
					 &report.now)) {
			full_edges.full = true;
			wrong = false;
		}
	}
	ticket_unlock(&graph_lock);
	if (wrong)
		tell(&report, at);
}

static void check_edge(const struct held_lock *held, unsigned int class,
		       const struct lock_place *at)
{
	if (!held->class || !class)
		return;
	if (held->class == class)
		tell_of(LOCK_FAULT_SAME_CLASS,
			lock_text(graph.classes[class].name), 0, held->site,
			at);
	else if (!lock_graph_has_edge(&graph, held->class, class))
		new_edge(held, class, at);
}

/* --- interrupts ----------------------------------------------------------- */

static noinline void new_use(unsigned int class, enum lock_use use,
			     const struct lock_place *at)
{
	struct lock_report report = {
		.fault = LOCK_FAULT_INTERRUPT,
		.now = witness(at),
	};

	ticket_lock(&graph_lock);
	if (!lock_graph_used(&graph, class, use)) {
		lock_graph_add_use(&graph, class, use, &report.now);
		if (use == LOCK_USED_IN_INTERRUPT)
			lock_graph_path_to_use(&graph, class,
					       LOCK_USED_INTERRUPTS_ON,
					       &report.path);
		else
			lock_graph_path_from_use(&graph, class,
						 LOCK_USED_IN_INTERRUPT,
						 &report.path);
	}
	ticket_unlock(&graph_lock);
	if (report.path.nr)
		tell(&report, at);
}

static void check_use(unsigned int class, enum lock_use use,
		      const struct lock_place *at)
{
	if (class && !lock_graph_used(&graph, class, use))
		new_use(class, use, at);
}

/* --- hooks ---------------------------------------------------------------- */

static void check_take(struct lock_cpu *self, unsigned int class, bool irqs_on,
		       const struct lock_place *at)
{
	if (!self->nr_held)
		tell_full_tables();
	for (unsigned int i = 0; i < self->nr_held; i++)
		check_edge(&self->held[i], class, at);
	if (in_interrupt())
		check_use(class, LOCK_USED_IN_INTERRUPT, at);
	else if (irqs_on)
		check_use(class, LOCK_USED_INTERRUPTS_ON, at);
}

unsigned int lock_check_take(spinlock_t *lock, unsigned int subclass,
			     const struct lock_place *at)
{
	bool irqs_on = irq_enabled();
	unsigned long flags = irq_save();
	struct lock_cpu *self = this_cpu_ptr(&lock_cpu);
	unsigned int class = 0;

	if (lock->holder == cpu_id() + 1) {
		tell_of(LOCK_FAULT_TWICE, lock_name(lock, at->site),
			lock->holder, lock->taken, at);
	} else if (check_order && !self->reporting) {
		class = class_of(lock, subclass, at->site);
		check_take(self, class, irqs_on, at);
	}
	irq_restore(flags);
	return class;
}

void lock_check_taken(spinlock_t *lock, unsigned int class,
		      const struct lock_site *site)
{
	unsigned long flags = irq_save();
	struct lock_cpu *self = this_cpu_ptr(&lock_cpu);

	lock->taken = site;
	lock->holder = cpu_id() + 1;
	if (self->nr_held < LOCK_MAX_HELD)
		self->held[self->nr_held++] =
			(struct held_lock){lock, class, site};
	else
		full_held.full = true;
	irq_restore(flags);
}

void lock_check_tried(spinlock_t *lock, const struct lock_place *at)
{
	bool irqs_on = irq_enabled();
	unsigned long flags = irq_save();
	unsigned int class = 0;

	if (check_order && !this_cpu_ptr(&lock_cpu)->reporting) {
		class = class_of(lock, 0, at->site);
		if (irqs_on)
			check_use(class, LOCK_USED_INTERRUPTS_ON, at);
	}
	lock_check_taken(lock, class, at->site);
	irq_restore(flags);
}

static void drop_held(struct lock_cpu *self, const spinlock_t *lock)
{
	unsigned int i = self->nr_held;

	while (i > 0 && self->held[i - 1].lock != lock)
		i--;
	if (!i)
		return; /* one that had no place */
	self->nr_held--;
	for (; i <= self->nr_held; i++)
		self->held[i - 1] = self->held[i];
}

bool lock_check_give(spinlock_t *lock, const struct lock_place *at)
{
	unsigned long flags = irq_save();
	bool mine = lock->holder == cpu_id() + 1;

	if (mine) {
		drop_held(this_cpu_ptr(&lock_cpu), lock);
		lock->holder = 0;
	} else {
		tell_of(LOCK_FAULT_NOT_HELD, lock_name(lock, at->site),
			lock->holder, lock->taken, at);
	}
	irq_restore(flags);
	return mine;
}

unsigned int spin_locks_held(void)
{
	return this_cpu_ptr(&lock_cpu)->nr_held;
}

void lock_check_print_orders(void)
{
	lock_graph_print(&graph);
}

void lock_check_forget(const spinlock_t *lock)
{
	unsigned long flags = irq_save();

	ticket_lock(&graph_lock);
	lock_graph_forget(&graph, lock->init ? (const void *)lock->init : lock);
	ticket_unlock(&graph_lock);
	irq_restore(flags);
}

static void print_held(unsigned int cpu, const struct held_lock *held)
{
	const struct lock_site *site = held->site;

	printk("  CPU %u holds %s, taken at %s:%d (%s)\n", cpu,
	       lock_name(held->lock, site), site->file, site->line,
	       site->function);
}

void lock_check_print_held(unsigned int cpu)
{
	const struct lock_cpu *of = per_cpu_ptr(&lock_cpu, cpu);

	for (unsigned int i = 0; i < of->nr_held; i++)
		print_held(cpu, &of->held[i]);
}
