/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a thread: start, end, join, detach, and no memory for it. */
#include <arch/cpumask.h>
#include <kernel/sched.h>
#include <kernel/thread.h>
#include <kernel/workqueue.h>
#include <lib/string.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <tests/unit/one_line.h>

#define MANY 1000

TEST_SUITE(thread, .min_pages = MANY * (THREAD_STACK_SIZE / PAGE_SIZE + 2),
	   .why = "a thousand stacks");

/* What a thread saw of itself. */
struct seen {
	struct thread *self;
	unsigned int cpu;
	bool interrupts;
	bool may_block;
	va_t stack;
	int runs;
};

static void look(void *arg)
{
	struct seen *seen = arg;

	seen->self = thread_current();
	seen->cpu = cpu_id();
	seen->interrupts = irq_enabled();
	seen->may_block = thread_may_block();
	seen->stack = (va_t)__builtin_frame_address(0);
	seen->runs++;
}

TEST(thread, runs_its_function_once_on_its_own_stack)
{
	struct seen seen = {0};
	struct thread *thread = thread_create("look", look, &seen, 0);

	REQUIRE_NOT_NULL(thread);
	EXPECT_STREQ(thread->name, "look");
	EXPECT_EQ(seen.runs, 0);
	thread_yield();
	EXPECT_EQ(seen.runs, 1);
	EXPECT_EQ(seen.self, thread);
	EXPECT_EQ(seen.cpu, 0);
	EXPECT(seen.interrupts);
	EXPECT(seen.may_block);
	EXPECT_GE(seen.stack, thread->stack);
	EXPECT_LT(seen.stack, thread->stack + THREAD_STACK_SIZE);
	thread_join(thread);
	EXPECT_EQ(seen.runs, 1);
}

TEST(thread, bound_to_each_cpu)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		struct seen seen = {.cpu = MAX_CPUS};
		struct thread *thread =
			thread_create("bound", look, &seen, (int)cpu);

		REQUIRE_NOT_NULL(thread);
		thread_join(thread);
		EXPECT_EQ(seen.cpu, cpu);
	}
}

static void yield_twice(void *arg)
{
	thread_yield();
	thread_yield();
	(*(int *)arg)++;
}

TEST(thread, join_before_its_end_waits)
{
	int ended = 0;
	unsigned int before = thread_count();
	struct thread *thread = thread_create("slow", yield_twice, &ended, 0);

	REQUIRE_NOT_NULL(thread);
	EXPECT_EQ(thread_count(), before + 1);
	EXPECT_EQ(ended, 0);
	thread_join(thread);
	EXPECT_EQ(ended, 1);
	EXPECT_EQ(thread_count(), before);
}

TEST(thread, join_after_its_end)
{
	unsigned int before = thread_count();
	int ended = 0;
	struct thread *thread = thread_create("quick", yield_twice, &ended, 0);

	REQUIRE_NOT_NULL(thread);
	for (int i = 0; i < 4; i++)
		thread_yield();
	EXPECT_EQ(ended, 1);
	EXPECT_STREQ(sched_state(thread), "ended");
	EXPECT_EQ(thread_count(), before + 1);
	thread_join(thread);
	EXPECT_EQ(thread_count(), before);
}

static noinline void exit_within(int *steps)
{
	(*steps)++;
	thread_exit();
}

static void leave_early(void *arg)
{
	exit_within(arg);
	*(int *)arg = 100;
}

TEST(thread, exit_in_the_middle)
{
	int steps = 0;
	struct thread *thread = thread_create("exit", leave_early, &steps, 0);

	REQUIRE_NOT_NULL(thread);
	thread_join(thread);
	EXPECT_EQ(steps, 1);
}

TEST(thread, detached_before_and_after_its_end)
{
	unsigned int before = thread_count();
	int ended = 0;
	struct thread *thread = thread_create("early", yield_twice, &ended, 0);

	REQUIRE_NOT_NULL(thread);
	thread_detach(thread);
	thread = thread_create("late", yield_twice, &ended, 0);
	REQUIRE_NOT_NULL(thread);
	for (int i = 0; i < 4; i++)
		thread_yield();
	EXPECT_EQ(ended, 2);
	thread_detach(thread);
	flush_all_work();
	EXPECT_EQ(thread_count(), before);
}

TEST(thread, long_name_is_cut)
{
	struct seen seen;
	struct thread *thread = thread_create(
		"a name longer than there is room for", look, &seen, 0);

	REQUIRE_NOT_NULL(thread);
	EXPECT_STREQ(thread->name, "a name longer than ther");
	thread_join(thread);
}

TEST(thread, bad_arguments_give_one_line)
{
	unsigned int before = thread_count();
	struct thread *thread = NULL;

	EXPECT_ONE_LINE(thread = thread_create("t", look, NULL, 64),
			"CPU 64 is not online");
	EXPECT_NULL(thread);
	EXPECT_ONE_LINE(thread = thread_create("t", look, NULL, -2),
			"CPU -2 is not online");
	EXPECT_NULL(thread);
	EXPECT_ONE_LINE(thread = thread_create("t", NULL, NULL, 0),
			"\"t\" has no function");
	EXPECT_NULL(thread);
	EXPECT_EQ(thread_count(), before);
}

/* Create a thread while the @nth allocation of @attr fails. Return: whether one
 * did; *@refused counts the threads that were not created then. */
static bool fail_at(struct fault_attr *attr, unsigned long nth, int *refused)
{
	struct seen seen = {0};
	struct thread *thread;
	char text[512];
	struct printk_capture capture = PRINTK_CAPTURE(text), *old;
	unsigned int before = thread_count();

	old = printk_set_capture(&capture);
	fault_inject_arm(attr, nth);
	thread = thread_create("unlucky", look, &seen, 0);
	fault_inject_disarm(attr);
	printk_set_capture(old);
	if (thread) {
		thread_join(thread);
		EXPECT_EQ(seen.runs, 1);
	} else {
		(*refused)++;
		EXPECT_EQ(seen.runs, 0);
		EXPECT_GT(attr->failed, 0);
		EXPECT_GT(strlen(text), 0);
	}
	EXPECT_EQ(thread_count(), before);
	return attr->failed;
}

TEST(thread, no_memory_at_each_step)
{
	unsigned long pages = 1, objects = 1;
	int no_pages = 0, no_objects = 0;

	while (pages < 100 && fail_at(&fail_page_alloc, pages, &no_pages))
		pages++;
	while (objects < 100 && fail_at(&failslab, objects, &no_objects))
		objects++;
	EXPECT_LT(pages, 100);
	EXPECT_LT(objects, 100);
	/* The stack has pages; it and the thread have descriptors. */
	EXPECT_GE(no_pages, 1);
	EXPECT_GE(no_objects, 2);
}

static void count(void *arg)
{
	atomic_fetch_add((_Atomic int *)arg, 1);
}

TEST(thread, a_thousand_at_once)
{
	struct thread **threads = kmalloc(MANY * sizeof(*threads), GFP_KERNEL);
	unsigned int before = thread_count();
	_Atomic int ran = 0;
	int created = 0;

	REQUIRE_NOT_NULL(threads);
	for (; created < MANY; created++) {
		threads[created] = thread_create("one of many", count, &ran,
						 THREAD_ANY_CPU);
		if (!threads[created])
			break;
	}
	EXPECT_EQ(created, MANY);
	EXPECT_EQ(thread_count(), before + created);
	for (int i = 0; i < created; i++)
		thread_join(threads[i]);
	EXPECT_EQ(ran, created);
	EXPECT_EQ(thread_count(), before);
	kfree(threads);
}

static noinline void use_stack(size_t bytes)
{
	volatile uint8_t room[1024];

	for (size_t i = 0; i < sizeof(room); i++)
		room[i] = 1;
	if (bytes > sizeof(room))
		use_stack(bytes - sizeof(room));
	room[0] = 2; /* no tail call */
}

static void go_deep(void *arg)
{
	use_stack((size_t)arg);
	thread_yield();
}

/* Return: what a thread that takes @bytes for itself used of its stack. */
static size_t used_after(size_t bytes)
{
	struct thread *thread =
		thread_create("deep", go_deep, (void *)bytes, 0);
	size_t used;

	if (!thread)
		return 0;
	thread_yield();
	used = thread_stack_used(thread);
	thread_join(thread);
	return used;
}

TEST(thread, stack_use_is_known)
{
	size_t little = used_after(1024), much = used_after(8192);

	EXPECT_GE(little, 1024);
	EXPECT_LT(little, 4096);
	EXPECT_GE(much, 8192);
	EXPECT_LT(much, 8192 + 4096);
	EXPECT_EQ(thread_stack_used(thread_current()), 0);
}

static void check_order(struct thread *thread, void *arg)
{
	unsigned int *walk = arg; /* the least id that may come, how many */

	EXPECT_GE(thread->id, walk[0]);
	walk[0] = thread->id + 1;
	walk[1]++;
}

TEST(thread, walk_in_order_of_creation)
{
	unsigned int walk[2] = {0, 0};

	thread_for_each(check_order, walk);
	EXPECT_EQ(walk[1], thread_count());
	EXPECT_EQ(thread_current()->id, 0);
	EXPECT_STREQ(thread_current()->name, "boot");
}

/* Threads on all CPUs, created and joined by threads. */
static void nest(void *arg)
{
	size_t depth = (size_t)arg;
	struct thread *two[2] = {NULL, NULL};

	if (!depth)
		return;
	for (int i = 0; i < 2; i++)
		two[i] = thread_create("nested", nest, (void *)(depth - 1),
				       THREAD_ANY_CPU);
	for (int i = 0; i < 2; i++) {
		EXPECT_NOT_NULL(two[i]);
		if (two[i])
			thread_join(two[i]);
	}
}

TEST(thread, threads_make_threads)
{
	unsigned int before = thread_count();

	nest((void *)6);
	EXPECT_EQ(thread_count(), before);
}
