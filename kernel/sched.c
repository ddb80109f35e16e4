/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How threads share the CPUs.
 *
 * Terms
 *   ready    wants to run, and is queued for a CPU
 *   blocked  waits for thread_wake()
 *   token    a wake-up that came before the wait that it ends
 *   load     of a CPU: its threads that run or are ready
 *   idle     each CPU has one thread that runs when none is ready; it is in
 *            no queue and counts for no load
 *
 * Structures
 *   A run queue for each CPU: a list, first come, first served. A thread is
 *   in the queue of one CPU, thread->cpu. It leaves that CPU only when it is
 *   woken: then it goes where the load is least, unless it is bound. Nobody
 *   takes a thread from another CPU's queue.
 *
 * Operations, each O(1) but for the choice among the CPUs
 *   thread_yield()  goes to the end of the queue; returns at once when the
 *                   queue is empty
 *   thread_block()  eats the token, or leaves the CPU
 *   thread_wake()   leaves a token, or queues the thread and, if that CPU
 *                   waits for an interrupt, kicks it
 *
 * No wake-up is lost
 *   thread->park is changed by atomic exchanges only, so wait and wake have
 *   an order. Wait first: the waker sees PARK_BLOCKED and queues the thread.
 *   Wake first: the thread finds PARK_TOKEN and does not wait. Whoever waits
 *   for something therefore does
 *
 *       while (!something)
 *               thread_block();
 *
 *   and the other side first makes it true, then wakes. A token may be left
 *   over from an earlier wake-up; then the loop turns once more.
 *
 *   An idle CPU says that it waits (queue->waiting) under the lock under which
 *   it saw the queue empty, with interrupts off until it waits: a kick that
 *   comes in between is an interrupt that ends the wait at once.
 *
 * Whose stack is whose
 *   A thread that blocks may be woken before it has left its stack. It must
 *   not run elsewhere then: thread->on_cpu says so, cleared by the thread that
 *   runs after it. Until then it is queued for its old CPU, which finds it as
 *   it looks for the next one to run, or later.
 *
 * Invariants
 *   S1  a thread is in at most one queue, and only with park != BLOCKED
 *   S2  on_cpu <=> a CPU runs on its stack; queued elsewhere => !on_cpu
 *   S3  load = threads in the queue + (the running one is not idle)
 *   S4  a thread leaves its CPU with interrupts on before, off in between, no
 *       spinlock held
 *
 * Locking
 *   queue->lock, interrupts off; innermost of all but the console's. A wake-up
 *   may come under any other lock.
 *
 * Departures from Linux: no preemption, no priorities, no balancing of load
 * but at wake-ups.
 */
#include <arch/percpu.h>
#include <arch/smp.h>
#include <kernel/grace.h>
#include <kernel/sched.h>
#include <lib/panic.h>
#include <lib/spinlock.h>

/*
 * A CPU's run queue. Who may change a field: q its lock, o this CPU with
 * interrupts off, a anyone atomically.
 */
struct run_queue {
	spinlock_t lock;
	struct thread *first, *last; /* q; ready, linked through .next */
	atomic_bool waiting;         /* q; idle, will not look by itself */
	_Atomic unsigned int load;   /* a; S3 */
	struct thread *current;      /* o; NULL: no threads here yet */
	struct thread *previous;     /* o; whom the switch under way leaves */
	struct thread *idle;         /* o */
};

static DEFINE_PER_CPU(struct run_queue, run_queue);

struct thread *thread_current(void)
{
	return this_cpu_ptr(&run_queue)->current;
}

struct thread *sched_current(unsigned int cpu)
{
	return per_cpu_ptr(&run_queue, cpu)->current;
}

bool thread_may_block(void)
{
	const struct thread *self = thread_current();

	return self && !self->idle && irq_enabled() && !in_interrupt() &&
	       !spin_locks_held();
}

void assert_may_block(void)
{
	const struct thread *self = thread_current();

	ASSERTF(thread_may_block(),
		"S4: %s%s, interrupts %s, %u spinlocks: it can't wait",
		self ? self->name : "before there are threads",
		in_interrupt() ? ", in an interrupt" : "",
		irq_enabled() ? "on" : "off", spin_locks_held());
}

unsigned int sched_load(unsigned int cpu)
{
	return atomic_load_explicit(&per_cpu_ptr(&run_queue, cpu)->load,
				    memory_order_relaxed);
}

static void add_load(struct run_queue *queue, int n)
{
	atomic_fetch_add_explicit(&queue->load, n, memory_order_relaxed);
}

/* The CPU with the least load; of equals @last, where caches are warm. */
static unsigned int least_loaded(unsigned int last)
{
	unsigned int cpu, best = last, least = sched_load(last);

	for_each_cpu(cpu, cpu_online_mask()) {
		unsigned int load = sched_load(cpu);

		if (load < least) {
			least = load;
			best = cpu;
		}
	}
	return best;
}

static void append_locked(struct run_queue *queue, struct thread *thread)
{
	thread->next = NULL;
	if (queue->first)
		queue->last->next = thread;
	else
		queue->first = thread;
	queue->last = thread;
}

/* Queue @thread, which is blocked no more, for @cpu. */
static void enqueue(struct thread *thread, unsigned int cpu)
{
	struct run_queue *queue = per_cpu_ptr(&run_queue, cpu);
	unsigned long flags;
	bool kick;

	atomic_store_explicit(&thread->cpu, cpu, memory_order_relaxed);
	spin_lock_irqsave(&queue->lock, flags);
	append_locked(queue, thread);
	add_load(queue, 1);
	kick = queue->waiting && cpu != cpu_id();
	queue->waiting = false;
	spin_unlock_irqrestore(&queue->lock, flags);
	if (kick)
		cpu_kick(cpu);
}

static struct thread *take_first_locked(struct run_queue *queue)
{
	struct thread *thread = queue->first;

	queue->waiting = false;
	if (!thread)
		return queue->idle;
	queue->first = thread->next;
	return thread;
}

static struct thread *take_first(struct run_queue *queue)
{
	struct thread *thread;

	spin_lock(&queue->lock);
	thread = take_first_locked(queue);
	spin_unlock(&queue->lock);
	return thread;
}

/* On the stack of the next thread: let go of the one before. */
static void finish_switch(void)
{
	struct thread *previous = this_cpu_ptr(&run_queue)->previous;
	bool ended = previous->ended;

	/* From here on a thread that goes on may be anywhere, and gone. */
	atomic_store_explicit(&previous->on_cpu, false, memory_order_release);
	if (ended)
		thread_finished(previous);
}

/* Run @next in place of the running thread, which goes on from here when it is
 * its turn again, maybe on another CPU. Context: interrupts off. */
static void switch_to(struct run_queue *queue, struct thread *next)
{
	struct thread *self = queue->current;

	if (next == self)
		return;
	atomic_store_explicit(&next->on_cpu, true, memory_order_relaxed);
	queue->current = next;
	queue->previous = self;
	arch_context_switch(&self->context, &next->context);
	finish_switch();
}

void thread_yield(void)
{
	struct run_queue *queue;
	struct thread *next;
	unsigned long flags;

	assert_may_block();
	cpu_relax(); /* who polls for another CPU may do it with yields alone */
	flags = irq_save();
	grace_quiescent();
	queue = this_cpu_ptr(&run_queue);
	if (atomic_load_explicit(&queue->load, memory_order_relaxed) > 1) {
		spin_lock(&queue->lock);
		append_locked(queue, queue->current);
		next = take_first_locked(queue);
		spin_unlock(&queue->lock);
		switch_to(queue, next);
	}
	irq_restore(flags);
}

/* Return: false when a token made the wait unnecessary. */
static bool park(struct thread *self)
{
	int old = atomic_load_explicit(&self->park, memory_order_relaxed), new;

	do {
		new = old == PARK_TOKEN ? PARK_NONE : PARK_BLOCKED;
	} while (!atomic_compare_exchange_weak(&self->park, &old, new));
	return new == PARK_BLOCKED;
}

/* Return: true when @thread is to be queued by the caller. */
static bool unpark(struct thread *thread)
{
	int old = atomic_load_explicit(&thread->park, memory_order_relaxed);
	int new;

	do {
		new = old == PARK_BLOCKED ? PARK_NONE : PARK_TOKEN;
	} while (!atomic_compare_exchange_weak(&thread->park, &old, new));
	return old == PARK_BLOCKED;
}

void thread_block(void)
{
	struct run_queue *queue;
	unsigned long flags;

	assert_may_block();
	flags = irq_save();
	grace_quiescent();
	queue = this_cpu_ptr(&run_queue);
	if (park(queue->current)) {
		add_load(queue, -1);
		switch_to(queue, take_first(queue));
	}
	irq_restore(flags);
}

void thread_wake(struct thread *thread)
{
	unsigned int cpu;

	ASSERTF(thread->magic == THREAD_MAGIC, "no thread at %p", thread);
	if (!unpark(thread))
		return;
	cpu = atomic_load_explicit(&thread->cpu, memory_order_relaxed);
	if (!thread->bound &&
	    !atomic_load_explicit(&thread->on_cpu,
				  memory_order_acquire)) /* S2 */
		cpu = least_loaded(cpu);
	enqueue(thread, cpu);
}

void sched_start(struct thread *thread)
{
	unsigned int cpu =
		atomic_load_explicit(&thread->cpu, memory_order_relaxed);

	enqueue(thread, thread->bound ? cpu : least_loaded(cpu));
}

void sched_started(void)
{
	finish_switch();
}

_Noreturn void sched_end(void)
{
	struct run_queue *queue;

	assert_may_block();
	irq_save();
	grace_quiescent();
	queue = this_cpu_ptr(&run_queue);
	queue->current->ended = true;
	add_load(queue, -1);
	switch_to(queue, take_first(queue));
	panic("thread %u \"%s\" runs after its end", queue->current->id,
	      queue->current->name);
}

/*
 * Return: false when a thread is ready; else whoever queues one from now on
 * kicks this CPU. That holds still after an interrupt that queued none: most
 * are of no concern here, so that is looked at first.
 */
static bool prepare_to_wait(struct run_queue *queue)
{
	bool empty;

	if (likely(atomic_load_explicit(&queue->waiting, memory_order_relaxed)))
		return true;
	spin_lock(&queue->lock);
	empty = !queue->first;
	queue->waiting = empty;
	spin_unlock(&queue->lock);
	return empty;
}

_Noreturn void sched_idle_loop(void)
{
	struct run_queue *queue = this_cpu_ptr(&run_queue);

	for (;;) {
		irq_save();
		grace_quiescent();
		if (prepare_to_wait(queue))
			cpu_idle_wait();
		else
			switch_to(queue, take_first(queue));
	}
}

void sched_adopt(struct thread *self, struct thread *idle)
{
	struct run_queue *queue = this_cpu_ptr(&run_queue);

	atomic_store_explicit(&self->on_cpu, true, memory_order_relaxed);
	if (self != idle)
		add_load(queue, 1);
	queue->idle = idle;
	queue->current = self;
}

const char *sched_state(const struct thread *thread)
{
	unsigned int cpu = atomic_load(&thread->cpu);

	if (sched_current(cpu) == thread)
		return "running";
	if (thread->idle)
		return "idle";
	if (atomic_load(&thread->fate) & THREAD_ENDED)
		return "ended";
	return atomic_load(&thread->park) == PARK_BLOCKED ? "blocked" : "ready";
}
