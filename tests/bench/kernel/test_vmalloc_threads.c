/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The workers of test_vmalloc are threads, spread over the CPUs. */
#include <arch/cpu.h>
#include <kernel/thread.h>
#include <mm/slab.h>
#include <tests/bench/test_vmalloc.h>

struct start {
	void (*work)(unsigned int number);
	unsigned int number;
};

static void begin(void *arg)
{
	struct start start = *(struct start *)arg;

	kfree(arg);
	start.work(start.number);
}

bool test_vmalloc_start(void (*work)(unsigned int number), unsigned int number)
{
	struct start *start = kmalloc(sizeof(*start), GFP_KERNEL);
	struct thread *thread;

	if (!start)
		return false;
	*start = (struct start){work, number};
	thread = thread_create("test_vmalloc", begin, start,
			       (int)(number % cpus_online()));
	if (!thread) {
		kfree(start);
		return false;
	}
	thread_detach(thread);
	return true;
}
