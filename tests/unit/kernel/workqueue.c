/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Works: done by the worker of their CPU, once, flushed, cancelled. */
#include <arch/cpumask.h>
#include <arch/smp.h>
#include <kernel/completion.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <kernel/workqueue.h>
#include <lib/string.h>
#include <mm/slab.h>
#include <tests/unit/kernel/budget.h>
#include <tests/unit/one_line.h>

#define NR     5
#define ROUNDS 200

/* A work that notes where it ran, and waits if it is told to. */
struct noted {
	struct work work;
	_Atomic int runs;
	unsigned int cpu;
	bool in_interrupt, may_block;
	char thread[THREAD_NAME_SIZE];
	int *counter;
	int order;
	struct completion *begun, *go_on; /* NULL: does not wait */
};

static void note(struct work *work)
{
	struct noted *noted = container_of(work, struct noted, work);

	noted->cpu = cpu_id();
	noted->in_interrupt = in_interrupt();
	noted->may_block = thread_may_block();
	strscpy(noted->thread, thread_current()->name, sizeof(noted->thread));
	if (noted->counter)
		noted->order = (*noted->counter)++;
	if (noted->begun) {
		complete(noted->begun);
		wait_for_completion(noted->go_on);
	}
	atomic_fetch_add(&noted->runs, 1);
}

#define NOTED(name)                                                            \
	{                                                                      \
		.work = WORK_INIT((name).work, note)                           \
	}

TEST(workqueue, done_by_the_worker_of_each_cpu)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		struct noted noted = NOTED(noted);

		EXPECT(queue_work_on(cpu, &noted.work));
		flush_work(&noted.work);
		EXPECT_EQ(noted.runs, 1);
		EXPECT_EQ(noted.cpu, cpu);
		EXPECT(!noted.in_interrupt);
		EXPECT(noted.may_block);
		EXPECT_CONTAINS(noted.thread, "worker/");
	}
}

TEST(workqueue, this_cpu_is_the_default)
{
	struct noted noted = NOTED(noted);

	EXPECT(queue_work(&noted.work));
	EXPECT_EQ(noted.runs, 0);
	flush_work(&noted.work);
	EXPECT_EQ(noted.cpu, cpu_id());
}

TEST(workqueue, no_such_cpu_gives_one_line)
{
	struct noted noted = NOTED(noted);
	bool queued = true;

	EXPECT_ONE_LINE(queued = queue_work_on(MAX_CPUS, &noted.work),
			"CPU 64 has no worker");
	EXPECT(!queued);
	EXPECT_ONE_LINE(queued = queue_work_on(cpus_online(), &noted.work),
			"has no worker");
	EXPECT(!queued);
	flush_work(&noted.work);
	EXPECT_EQ(noted.runs, 0);
}

TEST(workqueue, queued_twice_it_runs_once)
{
	struct noted noted = NOTED(noted);

	EXPECT(queue_work(&noted.work));
	EXPECT(!queue_work(&noted.work));
	flush_work(&noted.work);
	EXPECT_EQ(noted.runs, 1);
	EXPECT(queue_work(&noted.work));
	flush_work(&noted.work);
	EXPECT_EQ(noted.runs, 2);
}

TEST(workqueue, first_come_first_served)
{
	struct noted noted[NR];
	int counter = 0;

	for (int i = 0; i < NR; i++) {
		noted[i] = (struct noted)NOTED(noted[i]);
		noted[i].counter = &counter;
		queue_work(&noted[i].work);
	}
	flush_work(&noted[NR - 1].work);
	for (int i = 0; i < NR; i++)
		EXPECT_EQ(noted[i].order, i);
}

/* Queue @noted, and let it run up to where it waits. */
static void begin(struct noted *noted, struct completion *begun,
		  struct completion *go_on)
{
	completion_init(begun);
	completion_init(go_on);
	noted->begun = begun;
	noted->go_on = go_on;
	EXPECT(queue_work(&noted->work));
	wait_for_completion(begun);
}

TEST(workqueue, queued_while_it_runs_it_runs_again_there)
{
	struct completion begun, go_on;
	struct noted noted = NOTED(noted);
	unsigned int cpu = cpu_id();

	begin(&noted, &begun, &go_on);
	/* W2: where it runs, wherever it is wanted. */
	EXPECT(queue_work_on(cpus_online() - 1, &noted.work));
	EXPECT(!queue_work(&noted.work));
	thread_yield();
	EXPECT_EQ(noted.runs, 0);
	complete(&go_on);
	complete(&go_on);
	flush_work(&noted.work);
	EXPECT_EQ(noted.runs, 2);
	EXPECT_EQ(noted.cpu, cpu);
}

struct flusher {
	struct work *work;
	_Atomic bool done;
};

static void flush(void *arg)
{
	struct flusher *flusher = arg;

	flush_work(flusher->work);
	flusher->done = true;
}

TEST(workqueue, flush_waits_while_it_runs)
{
	struct completion begun, go_on;
	struct noted noted = NOTED(noted);
	struct flusher flusher = {.work = &noted.work};
	struct thread *thread;

	begin(&noted, &begun, &go_on);
	thread = thread_create("flusher", flush, &flusher, 0);
	REQUIRE_NOT_NULL(thread);
	for (int i = 0; i < 5; i++)
		thread_yield();
	EXPECT(!flusher.done);
	complete(&go_on);
	thread_join(thread);
	EXPECT(flusher.done);
	EXPECT_EQ(noted.runs, 1);
}

TEST(workqueue, cancelled_in_the_queue)
{
	struct noted noted = NOTED(noted);

	EXPECT(!cancel_work(&noted.work));
	queue_work(&noted.work);
	EXPECT(cancel_work(&noted.work));
	EXPECT(!cancel_work(&noted.work));
	flush_all_work();
	EXPECT_EQ(noted.runs, 0);
	EXPECT(queue_work(&noted.work));
	flush_work(&noted.work);
	EXPECT_EQ(noted.runs, 1);
}

struct canceller {
	struct work *work;
	bool kept;
	_Atomic bool done;
};

static void cancel(void *arg)
{
	struct canceller *canceller = arg;

	canceller->kept = cancel_work(canceller->work);
	canceller->done = true;
}

TEST(workqueue, cancel_waits_while_it_runs)
{
	struct completion begun, go_on;
	struct noted noted = NOTED(noted);
	struct canceller canceller = {.work = &noted.work};
	struct thread *thread;

	begin(&noted, &begun, &go_on);
	thread = thread_create("canceller", cancel, &canceller, 0);
	REQUIRE_NOT_NULL(thread);
	for (int i = 0; i < 5; i++)
		thread_yield();
	EXPECT(!canceller.done);
	complete(&go_on);
	thread_join(thread);
	EXPECT(!canceller.kept);
	EXPECT_EQ(noted.runs, 1);
}

struct noted_again {
	struct noted noted;
	bool queued;
};

static void note_and_queue(struct work *work)
{
	note(work);
	container_of(work, struct noted_again, noted.work)->queued =
		queue_work(work);
}

TEST(workqueue, what_is_being_cancelled_queues_itself_in_vain)
{
	struct completion begun, go_on;
	struct noted_again again = {
		.noted = {.work = WORK_INIT(again.noted.work, note_and_queue)},
		.queued = true,
	};
	struct canceller canceller = {.work = &again.noted.work};
	struct thread *thread;

	begin(&again.noted, &begun, &go_on);
	thread = thread_create("canceller", cancel, &canceller, 0);
	REQUIRE_NOT_NULL(thread);
	thread_yield();
	complete_all(&go_on);
	thread_join(thread);
	EXPECT(!canceller.kept);
	EXPECT(!again.queued);
	flush_all_work();
	EXPECT_EQ(again.noted.runs, 1);
	EXPECT(queue_work(&again.noted.work));
	EXPECT(cancel_work(&again.noted.work));
}

struct perpetual {
	struct work work;
	_Atomic unsigned long runs;
	atomic_bool refused; /* to be queued again */
};

static void go_round(struct work *work)
{
	struct perpetual *perpetual =
		container_of(work, struct perpetual, work);

	atomic_fetch_add(&perpetual->runs, 1);
	if (!queue_work(work))
		atomic_store(&perpetual->refused, true);
}

TEST(workqueue, one_that_queues_itself_is_cancelled)
{
	struct perpetual perpetual = {
		.work = WORK_INIT(perpetual.work, go_round)};
	unsigned int cpu;

	for_budget(i, 100 * cpus_online()) {
		unsigned long runs;

		cpu = i % cpus_online();
		queue_work_on(cpu, &perpetual.work);
		flush_work(&perpetual.work);
		perpetual.refused = false;
		/* It was kept from running: there, or as it ran. */
		EXPECT(cancel_work(&perpetual.work) != perpetual.refused);
		runs = perpetual.runs;
		EXPECT_GE(runs, 1);
		flush_all_work();
		EXPECT_EQ(perpetual.runs, runs);
	}
}

struct from_timer {
	struct timer timer;
	struct noted noted;
	bool queued;
	struct completion done;
};

static void queue_from_timer(struct timer *timer)
{
	struct from_timer *t = container_of(timer, struct from_timer, timer);

	t->queued = in_interrupt() && queue_work(&t->noted.work);
	complete(&t->done);
}

TEST(workqueue, queued_by_an_interrupt)
{
	struct from_timer t = {
		.timer = TIMER_INIT(queue_from_timer),
		.noted = NOTED(t.noted),
	};

	completion_init(&t.done);
	timer_arm(&t.timer, 0);
	wait_for_completion(&t.done);
	flush_work(&t.noted.work);
	EXPECT(t.queued);
	EXPECT_EQ(t.noted.runs, 1);
	EXPECT(!t.noted.in_interrupt);
	timer_cancel(&t.timer);
}

static void free_itself(struct work *work)
{
	kfree(work);
}

TEST(workqueue, may_free_itself)
{
	for (int i = 0; i < NR; i++) {
		struct work *work = kmalloc(sizeof(*work), GFP_KERNEL);

		REQUIRE_NOT_NULL(work);
		work_init(work, free_itself);
		queue_work(work);
	}
	flush_all_work();
}

/* All CPUs queue the same works all the time. */
static struct perpetual shared[NR];

static void count_run(struct work *work)
{
	atomic_fetch_add(&container_of(work, struct perpetual, work)->runs, 1);
}

static void queue_often(void *arg)
{
	_Atomic unsigned long *queued = arg;

	for_budget(i, ROUNDS) {
		unsigned int cpu = (cpu_id() + i) % cpus_online();

		if (queue_work_on(cpu, &shared[i % NR].work))
			atomic_fetch_add(queued, 1);
		if (i % 8 == 0)
			flush_work(&shared[i % NR].work);
	}
}

TEST(workqueue, runs_as_often_as_it_was_queued)
{
	_Atomic unsigned long queued = 0;
	unsigned long runs = 0;

	for (int i = 0; i < NR; i++) {
		work_init(&shared[i].work, count_run);
		shared[i].runs = 0;
	}
	test_run_on_cpus(cpu_online_mask(), queue_often, &queued);
	flush_all_work();
	for (int i = 0; i < NR; i++)
		runs += shared[i].runs;
	EXPECT_EQ(runs, queued);
	EXPECT_GE(runs, NR);
}
