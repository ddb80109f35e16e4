/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `threads`: what threads there are, and what they do. */
#include <kernel/prompt.h>
#include <kernel/sched.h>
#include <lib/compiler.h>
#include <lib/printf.h>
#include <lib/printk.h>

static void print_thread(struct thread *thread, void *arg)
{
	size_t used = thread_stack_used(thread);
	char stack[32] = "-";

	if (used)
		snprintf(stack, sizeof(stack), "%zu of %lu", used,
			 THREAD_STACK_SIZE);
	printk("%5u  %-23s %3u%s  %-8s %s\n", thread->id, thread->name,
	       thread->cpu, thread->bound ? "=" : " ", sched_state(thread),
	       stack);
}

static void run_threads(const char *argument)
{
	printk("%5s  %-23s %3s   %-8s %s\n", "id", "name", "CPU", "state",
	       "stack used");
	thread_for_each(print_thread, NULL);
	printk("%u threads; =: bound to its CPU\n", thread_count());
}

PROMPT_COMMAND(threads, "threads", NULL, "the kernel's threads", run_threads);
