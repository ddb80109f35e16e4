/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of a thread.
 *
 * Terms
 *   boot thread  what runs kernel_main(), thread 0, on the stack of the image
 *   idle thread  one for each CPU; on CPU 0 made here, on the others what the
 *                CPU runs as it comes online, on the stack it was given
 *   join         wait for the end of a thread, and free it
 *   reaper       frees threads that nobody joins
 *
 * Structures
 *   struct thread lies in the slab, away from the stack, so that a stack that
 *   runs over spoils nothing that the report needs. The stack is vmalloc()ed:
 *   the page below it belongs to no mapping, and the first access there
 *   faults; the fault's own frame has no stack then, so it is a double fault,
 *   which has one of its own.
 *
 *   Every second word of a new stack is marked: those at multiples of 16 bytes,
 *   where each function saves its caller's frame pointer. The lowest mark that
 *   is gone tells how deep the stack has ever been.
 *
 * The end
 *   A thread can't free the stack that it stands on. It leaves its CPU for
 *   good; the next thread there, already on another stack, calls
 *   thread_finished(). Three events then meet in any order, each an atomic
 *   addition of one bit to thread->fate:
 *
 *       THREAD_ENDED     by thread_finished()
 *       THREAD_JOINED    by thread_join(): waits for .finished, frees
 *       THREAD_DETACHED  by thread_detach(): frees if THREAD_ENDED is there
 *                        already; else thread_finished() sees it, and calls
 *                        the reaper
 *
 * Invariants
 *   T1  a thread is freed once: by whoever adds THREAD_JOINED; or of
 *       THREAD_ENDED and THREAD_DETACHED by the second
 *   T2  thread_count() = threads on the list = created + adopted - freed
 *
 * Locking
 *   threads_lock, for the list of all; only in thread context, nothing is taken
 *   inside but the console.
 */
#include <arch/percpu.h>
#include <arch/va.h>
#include <kernel/sched.h>
#include <kernel/thread.h>
#include <kernel/workqueue.h>
#include <lib/panic.h>
#include <lib/printf.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <mm/slab.h>
#include <mm/vmalloc.h>

#define STACK_MARK     0x6b63617473717171UL
#define MARK_DISTANCE  16 /* bytes */
#define NR_STACK_MARKS (THREAD_STACK_SIZE / MARK_DISTANCE)

static struct kmem_cache *thread_cache;
static struct thread boot_thread;
static DEFINE_PER_CPU(struct thread, adopted_idle_thread);

static spinlock_t threads_lock = SPINLOCK_INIT;
static LIST_HEAD(threads); /* threads_lock */
static _Atomic unsigned int nr_threads;
static _Atomic unsigned int next_id;

static LLIST_HEAD(dead_threads); /* detached, ended, to be freed */

static void reap(struct work *work);
static struct work reaper = WORK_INIT(reaper, reap);

/* Fill in what every thread has. */
static void thread_set_up(struct thread *thread, const char *name, int cpu)
{
	*thread = (struct thread){
		.cpu = cpu == THREAD_ANY_CPU ? cpu_id() : (unsigned int)cpu,
		.bound = cpu != THREAD_ANY_CPU,
		.magic = THREAD_MAGIC,
		.id = atomic_fetch_add(&next_id, 1),
	};
	strscpy(thread->name, name, sizeof(thread->name));
	completion_init(&thread->finished);
	atomic_fetch_add(&nr_threads, 1);
	spin_lock(&threads_lock);
	list_add_tail(&thread->all, &threads);
	spin_unlock(&threads_lock);
}

static void mark_stack(va_t stack)
{
	for (size_t i = 0; i < NR_STACK_MARKS; i++)
		va_store64(stack + i * MARK_DISTANCE, STACK_MARK);
}

size_t thread_stack_used(const struct thread *thread)
{
	size_t i = 0;

	if (!thread->stack)
		return 0;
	while (i < NR_STACK_MARKS &&
	       va_load64(thread->stack + i * MARK_DISTANCE) == STACK_MARK)
		i++;
	return THREAD_STACK_SIZE - i * MARK_DISTANCE;
}

static _Noreturn void thread_entry(void *arg)
{
	struct thread *self = arg;

	sched_started();
	self->fn(self->arg);
	thread_exit();
}

/* A thread that was not started yet. Return: NULL without memory, after one
 * line. */
static struct thread *thread_alloc(const char *name, void (*fn)(void *),
				   void *arg, int cpu)
{
	struct thread *thread = kmem_cache_alloc(thread_cache, GFP_KERNEL);
	va_t stack;

	if (!thread)
		return NULL;
	stack = (va_t)vmalloc(THREAD_STACK_SIZE);
	if (!stack) {
		kmem_cache_free(thread_cache, thread);
		return NULL;
	}
	mark_stack(stack);
	thread_set_up(thread, name, cpu);
	thread->fn = fn;
	thread->arg = arg;
	thread->stack = stack;
	arch_context_init(&thread->context, stack, THREAD_STACK_SIZE,
			  thread_entry, thread);
	return thread;
}

static void thread_free(struct thread *thread)
{
	spin_lock(&threads_lock);
	list_del(&thread->all);
	spin_unlock(&threads_lock);
	atomic_fetch_sub(&nr_threads, 1);
	thread->magic = 0;
	vfree((void *)thread->stack);
	kmem_cache_free(thread_cache, thread);
}

struct thread *thread_create(const char *name, void (*fn)(void *), void *arg,
			     int cpu)
{
	struct thread *thread;

	if (!fn) {
		printk("thread_create: \"%s\" has no function\n", name);
		return NULL;
	}
	if (cpu != THREAD_ANY_CPU &&
	    !cpumask_test(cpu_online_mask(), (unsigned int)cpu)) {
		printk("thread_create: \"%s\": CPU %d is not online\n", name,
		       cpu);
		return NULL;
	}
	thread = thread_alloc(name, fn, arg, cpu);
	if (thread)
		sched_start(thread);
	return thread;
}

void thread_exit(void)
{
	sched_end();
}

/* Say what becomes of @thread. Return: its fate before. */
static unsigned int decide_fate(struct thread *thread, unsigned int bit)
{
	unsigned int before;

	ASSERTF(thread->magic == THREAD_MAGIC, "no thread at %p", thread);
	before = atomic_fetch_or(&thread->fate, bit);
	ASSERTF(!(before & (THREAD_JOINED | THREAD_DETACHED)),
		"T1: thread %u \"%s\" is freed twice", thread->id,
		thread->name);
	return before;
}

void thread_join(struct thread *thread)
{
	ASSERTF(thread != thread_current(), "thread %u \"%s\" joins itself",
		thread->id, thread->name);
	decide_fate(thread, THREAD_JOINED);
	wait_for_completion(&thread->finished);
	thread_free(thread);
}

void thread_detach(struct thread *thread)
{
	if (!(decide_fate(thread, THREAD_DETACHED) & THREAD_ENDED))
		return;
	wait_for_completion(&thread->finished);
	thread_free(thread);
}

void thread_finished(struct thread *thread)
{
	unsigned int before = atomic_fetch_or(&thread->fate, THREAD_ENDED);

	if (!(before & THREAD_DETACHED)) {
		complete(&thread->finished);
		return;
	}
	llist_add(&thread->dead, &dead_threads);
	queue_work(&reaper);
}

static void reap(struct work *work)
{
	struct thread *thread, *tmp;

	llist_for_each_entry_safe(thread, tmp, llist_del_all(&dead_threads),
				  dead)
		thread_free(thread);
}

unsigned int thread_count(void)
{
	return atomic_load(&nr_threads);
}

void thread_for_each(void (*fn)(struct thread *thread, void *arg), void *arg)
{
	struct thread *thread;

	spin_lock(&threads_lock);
	list_for_each_entry(thread, &threads, all)
		fn(thread, arg);
	spin_unlock(&threads_lock);
}

/* What ran on @cpu, for a panic. */
static void print_current(unsigned int cpu)
{
	const struct thread *thread = sched_current(cpu);

	if (!thread)
		return;
	printk("  thread %u \"%s\" on CPU %u", thread->id, thread->name, cpu);
	if (thread->stack)
		printk(", stack [%#lx, %#lx)", thread->stack,
		       thread->stack + THREAD_STACK_SIZE);
	printk("\n");
}

static void idle(void *arg)
{
	sched_idle_loop();
}

bool thread_init(void)
{
	struct thread *idle_thread;

	thread_cache =
		kmem_cache_create("thread", sizeof(struct thread), 0, NULL);
	if (!thread_cache)
		return false;
	thread_set_up(&boot_thread, "boot", 0);
	idle_thread = thread_alloc("idle/0", idle, NULL, 0);
	if (!idle_thread)
		return false;
	idle_thread->idle = true;
	sched_adopt(&boot_thread, idle_thread);
	panic_set_context(print_current);
	return true;
}

_Noreturn void sched_enter_cpu(void)
{
	struct thread *self = this_cpu_ptr(&adopted_idle_thread);
	char name[THREAD_NAME_SIZE];

	snprintf(name, sizeof(name), "idle/%u", cpu_id());
	thread_set_up(self, name, (int)cpu_id());
	self->idle = true;
	sched_adopt(self, self);
	sched_idle_loop();
}
