/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work queues: what an interrupt, or code under a lock, may not do itself, it
 * has done by a thread.
 *
 * Structures
 *   Each CPU has a list of works and a worker, a thread bound to it that does
 *   them one after the other, first come, first served. A work brings its own
 *   links, so queueing needs no memory.
 *
 * Operations
 *   queue   O(1). Of several calls before it begins, one counts.
 *   flush   O(1), and the wait: a barrier, a work that completes something, is
 *           put right behind the work in question: behind it in the list, or,
 *           where it runs already, at the head.
 *   cancel  O(1), and the wait for a barrier at the head if it runs. Until
 *           then the work is not queued, so one that queues itself ends.
 *
 * Invariants
 *   W1  pending <=> the work is in the list of work->cpu
 *   W2  a work runs on one CPU at a time, and only on work->cpu
 *
 * Locking
 *   work_lock, one for all CPUs, interrupts off: works are rare. The run
 *   queue's lock is taken inside.
 *
 * Departure from Linux: one worker for each CPU. A work that waits for one that
 * is queued behind it waits for ever.
 */
#include <arch/percpu.h>
#include <arch/smp.h>
#include <kernel/completion.h>
#include <kernel/thread.h>
#include <kernel/workqueue.h>
#include <lib/panic.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/spinlock.h>

struct work_queue {
	struct list_head works; /* work_lock */
	struct work *running;   /* work_lock; may be gone */
	struct thread *worker;  /* constant; NULL: not started */
};

static spinlock_t work_lock = SPINLOCK_INIT;
static DEFINE_PER_CPU(struct work_queue, work_queue);

static struct work_queue *queue_of(unsigned int cpu)
{
	return per_cpu_ptr(&work_queue, cpu);
}

void work_init(struct work *work, void (*fn)(struct work *))
{
	*work = (struct work)WORK_INIT(*work, fn);
}

static bool is_running_locked(const struct work *work)
{
	return queue_of(work->cpu)->running == work;
}

/* Queue @work behind @position, for @cpu. */
static void insert_locked(struct work *work, struct list_head *position,
			  unsigned int cpu)
{
	list_add(&work->node, position);
	work->pending = true;
	work->cpu = cpu;
	thread_wake(queue_of(cpu)->worker);
}

static void remove_locked(struct work *work)
{
	list_del(&work->node);
	work->pending = false;
}

bool queue_work_on(unsigned int cpu, struct work *work)
{
	unsigned long flags;
	bool queued;

	if (!cpumask_test(cpu_online_mask(), cpu) || !queue_of(cpu)->worker) {
		printk("queue_work: CPU %u has no worker\n", cpu);
		return false;
	}
	spin_lock_irqsave(&work_lock, flags);
	queued = !work->pending && !work->cancellers;
	if (is_running_locked(work))
		cpu = work->cpu; /* W2 */
	if (queued)
		insert_locked(work, queue_of(cpu)->works.prev, cpu);
	spin_unlock_irqrestore(&work_lock, flags);
	return queued;
}

bool queue_work(struct work *work)
{
	return queue_work_on(cpu_id(), work);
}

struct barrier {
	struct work work;
	struct completion passed;
};

static void pass_barrier(struct work *work)
{
	complete(&container_of(work, struct barrier, work)->passed);
}

static void barrier_init(struct barrier *barrier)
{
	work_init(&barrier->work, pass_barrier);
	completion_init(&barrier->passed);
}

/* Put @barrier behind @position in the list of @cpu. */
static void insert_barrier_locked(struct barrier *barrier,
				  struct list_head *position, unsigned int cpu)
{
	ASSERTF(thread_current() != queue_of(cpu)->worker,
		"the worker of CPU %u waits for itself", cpu);
	insert_locked(&barrier->work, position, cpu);
}

void flush_work(struct work *work)
{
	struct barrier barrier;
	unsigned long flags;
	bool wait = true;

	barrier_init(&barrier);
	spin_lock_irqsave(&work_lock, flags);
	if (work->pending)
		insert_barrier_locked(&barrier, &work->node, work->cpu);
	else if (is_running_locked(work))
		insert_barrier_locked(&barrier, &queue_of(work->cpu)->works,
				      work->cpu);
	else
		wait = false;
	spin_unlock_irqrestore(&work_lock, flags);
	if (wait)
		wait_for_completion(&barrier.passed);
}

bool cancel_work(struct work *work)
{
	struct barrier barrier;
	unsigned long flags;
	bool pending, running;

	barrier_init(&barrier);
	spin_lock_irqsave(&work_lock, flags);
	work->cancellers++; /* what runs now may queue itself */
	pending = work->pending;
	running = is_running_locked(work);
	if (pending)
		remove_locked(work);
	if (running)
		insert_barrier_locked(&barrier, &queue_of(work->cpu)->works,
				      work->cpu);
	spin_unlock_irqrestore(&work_lock, flags);
	if (running)
		wait_for_completion(&barrier.passed);
	spin_lock_irqsave(&work_lock, flags);
	work->cancellers--;
	spin_unlock_irqrestore(&work_lock, flags);
	return pending;
}

static void flush_cpu(unsigned int cpu)
{
	struct barrier barrier;
	unsigned long flags;

	barrier_init(&barrier);
	spin_lock_irqsave(&work_lock, flags);
	insert_barrier_locked(&barrier, queue_of(cpu)->works.prev, cpu);
	spin_unlock_irqrestore(&work_lock, flags);
	wait_for_completion(&barrier.passed);
}

void flush_all_work(void)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask())
		flush_cpu(cpu);
}

/* The first work of @queue, which runs from now on. Return: NULL: none. */
static struct work *begin_next(struct work_queue *queue)
{
	struct work *work;
	unsigned long flags;

	spin_lock_irqsave(&work_lock, flags);
	work = list_first_entry_or_null(&queue->works, struct work, node);
	if (work)
		remove_locked(work);
	queue->running = work;
	spin_unlock_irqrestore(&work_lock, flags);
	return work;
}

static void worker(void *arg)
{
	struct work_queue *queue = arg;

	for (;;) {
		struct work *work = begin_next(queue);

		if (work) {
			work->fn(work);
			thread_yield();
		} else {
			thread_block();
		}
	}
}

static bool start_worker(unsigned int cpu)
{
	struct work_queue *queue = queue_of(cpu);
	char name[THREAD_NAME_SIZE];

	INIT_LIST_HEAD(&queue->works);
	snprintf(name, sizeof(name), "worker/%u", cpu);
	queue->worker = thread_create(name, worker, queue, (int)cpu);
	return queue->worker != NULL;
}

bool workqueue_init(void)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		if (!start_worker(cpu))
			return false;
	}
	return true;
}
