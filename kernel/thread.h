/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel threads. See thread.c for their life, sched.c for how they share the
 * CPUs.
 *
 * Threads are cooperative: one runs until it yields, waits or ends. What it
 * does in between no other thread of its CPU interrupts; interrupts do.
 */
#ifndef KERNEL_THREAD_H
#define KERNEL_THREAD_H

#include <arch/context.h>
#include <kernel/completion.h>
#include <lib/list.h>
#include <lib/llist.h>

/* For thread_create: not bound to a CPU. */
#define THREAD_ANY_CPU (-1)

#define THREAD_STACK_SIZE                                                      \
	(16UL << 10)        /* bytes; an unmapped page lies below              \
			     */
#define THREAD_NAME_SIZE 24 /* bytes, the final NUL too */

#define THREAD_MAGIC 0x74687264U /* in a struct thread that exists */

/* What became of a thread, bits of .fate (thread.c). */
#define THREAD_ENDED    1U /* its stack is free */
#define THREAD_JOINED   2U /* somebody waits to free it */
#define THREAD_DETACHED 4U /* nobody will */

/* May a thread go on? (sched.c) */
enum thread_park {
	PARK_NONE,  /* it runs, or is ready to */
	PARK_TOKEN, /* and it was woken meanwhile: its next wait ends at once */
	PARK_BLOCKED, /* it waits to be woken */
};

/*
 * A thread. Who may change a field:
 *   c  constant once created       o  the CPU that it runs on
 *   q  the run queue's lock        w  who wakes it, from blocked to queued
 *   l  the list of all threads     a  anyone, atomically
 */
struct thread {
	struct arch_context context; /* o; where it goes on */
	struct thread *next;         /* q; ready to run behind this one */
	_Atomic unsigned int cpu;    /* w; where it runs, or did last */
	_Atomic bool on_cpu;         /* o; its stack is in use */
	_Atomic int park;            /* a; enum thread_park */
	bool ended;                  /* o; it runs no more */
	bool bound;                  /* c; to .cpu */
	bool idle;                   /* c; runs when nothing else can */

	unsigned int magic;          /* c; while it exists */
	unsigned int id;             /* c; counts from 0, the boot thread */
	char name[THREAD_NAME_SIZE]; /* c */
	void (*fn)(void *);          /* c */
	void *arg;                   /* c */
	va_t stack;                  /* c; lowest byte; 0: not made here */

	_Atomic unsigned int fate;  /* a; THREAD_… */
	struct completion finished; /* its stack is free */
	struct list_head all;       /* l */
	struct llist_node dead;     /* its own, for the reaper */
};

/*
 * Make what runs now thread 0, bound to this CPU, and give this CPU an idle
 * thread. Threads can be created from then on.
 * Context: boot, once, on CPU 0, after mm_init().
 * Return: false when there is no memory, after one line.
 */
bool thread_init(void);

/*
 * Start a thread that calls @fn(@arg), and ends when that returns. @name is
 * copied, cut to fit. @cpu: the CPU that it always runs on; THREAD_ANY_CPU: the
 * one with the least to do, chosen now and whenever the thread is woken.
 * The thread is there until thread_join(), or thread_detach() and its end.
 * Context: may wait.
 * Return: the thread; NULL after one line: no memory, @cpu is not online, no
 * @fn.
 */
struct thread *thread_create(const char *name, void (*fn)(void *), void *arg,
			     int cpu);

/* End the running thread. Context: thread, interrupts on. */
_Noreturn void thread_exit(void);

/*
 * Wait until @thread has ended, and free it. Exactly one thread does this, for
 * a thread that was not detached; asserted: not for itself, not twice.
 * Context: thread, waits.
 */
void thread_join(struct thread *thread);

/*
 * Have @thread freed when it ends, in place of thread_join(). @thread is not to
 * be used afterwards.
 * Context: thread, may wait.
 */
void thread_detach(struct thread *thread);

/*
 * The running thread. Context: any; in an interrupt the thread that it
 * interrupted. Return: NULL before there are threads on this CPU.
 */
struct thread *thread_current(void);

/*
 * Let the other ready threads of this CPU run before going on, on this CPU.
 * Context: thread, interrupts on, no spinlock held (asserted).
 */
void thread_yield(void);

/*
 * Wait until thread_wake(), one that came since the last wait included. May
 * end without a reason: whoever waits for something looks again in a loop.
 * Context: as thread_yield(); goes on on another CPU if not bound.
 */
void thread_block(void);

/*
 * Have @thread, if it waits in thread_block(), run again; if not, have its next
 * thread_block() return at once. What was written before is seen by @thread.
 * Context: any; @thread exists. Needs no memory.
 */
void thread_wake(struct thread *thread);

/*
 * Wait for at least @ns nanoseconds; up to a tick of the timer longer.
 * Context: as thread_block().
 */
void thread_sleep_ns(uint64_t ns);

/* Can this code wait in thread_block() now? Any context. */
bool thread_may_block(void);

/* Panic, saying why, where thread_may_block() is false. */
void assert_may_block(void);

/* Threads that exist, idle threads and the boot thread too. Any context. */
unsigned int thread_count(void);

/*
 * Bytes of its stack that @thread has used at most.
 * Context: any; @thread exists. Return: 0: not known.
 */
size_t thread_stack_used(const struct thread *thread);

/*
 * Call @fn(@arg) for each thread, in order of creation.
 * Context: thread; @fn does not wait.
 */
void thread_for_each(void (*fn)(struct thread *thread, void *arg), void *arg);

#endif
