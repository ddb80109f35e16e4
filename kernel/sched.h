/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How threads share the CPUs: what thread.c and the start of a CPU need of
 * sched.c. What everybody needs is in thread.h.
 */
#ifndef KERNEL_SCHED_H
#define KERNEL_SCHED_H

#include <arch/cpumask.h>
#include <kernel/thread.h>

/*
 * Make @self what runs on this CPU, and @idle what runs when nothing else can;
 * both may be the same.
 * Context: once for each CPU, on it.
 */
void sched_adopt(struct thread *self, struct thread *idle);

/*
 * Run threads on this CPU, with what runs now as its idle thread.
 * Context: once, on a CPU other than 0 that has just come online.
 * Return: never.
 */
_Noreturn void sched_enter_cpu(void);

/* The idle thread's work. Context: the idle thread. Return: never. */
_Noreturn void sched_idle_loop(void);

/* Queue @thread, which never ran. Context: any. */
void sched_start(struct thread *thread);

/* The first thing that a new thread does. Context: once for each thread. */
void sched_started(void);

/* Leave the running thread for good; thread_finished(it) is called when its
 * stack is free. Context: thread, interrupts on. Return: never. */
_Noreturn void sched_end(void);

/* thread.c's part of it. Context: interrupts off, another thread's stack. */
void thread_finished(struct thread *thread);

/* Threads of @cpu that are ready or run, its idle thread aside. Any context. */
unsigned int sched_load(unsigned int cpu);

/* What @cpu, which is online, runs. Context: any; true a moment ago, or, of a
 * CPU that is stopped, still. Return: NULL before there are threads there. */
struct thread *sched_current(unsigned int cpu);

/* What @thread does, for reports: "running", "ready", "blocked", "ended",
 * "idle". Context: any; true a moment ago. */
const char *sched_state(const struct thread *thread);

#endif
