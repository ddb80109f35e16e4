/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What threads cost: a switch, a life, a word with another CPU. */
#include <kernel/completion.h>
#include <kernel/thread.h>
#include <lib/bench.h>

static void yield_until_told(void *arg)
{
	while (!*(volatile bool *)arg)
		thread_yield();
}

/* Two threads of one CPU take turns: one switch is one operation. */
BENCH(thread_switch, .ops = 10000)
{
	bool stop = false;
	struct thread *other =
		thread_create("switch", yield_until_told, &stop, (int)cpu_id());

	if (!other) {
		bench_fail(b, "no thread");
		return;
	}
	thread_yield();
	bench_begin(b);
	for (unsigned long i = 0; i < b->ops / 2; i++)
		thread_yield();
	bench_end(b);
	stop = true;
	thread_join(other);
}

static void nothing(void *arg)
{
}

/* The two switches of the thread's life are in it. */
BENCH(thread_create_join, .ops = 1000, .min_pages = 64)
{
	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++) {
		struct thread *thread =
			thread_create("brief", nothing, NULL, (int)cpu_id());

		if (!thread) {
			bench_fail(b, "no thread, after %lu", i);
			break;
		}
		thread_join(thread);
	}
	bench_end(b);
}

struct echo {
	struct completion there, back;
	unsigned long rounds;
};

static void answer(void *arg)
{
	struct echo *echo = arg;

	for (unsigned long i = 0; i < echo->rounds; i++) {
		wait_for_completion(&echo->there);
		complete(&echo->back);
	}
}

/* From CPU 0 to CPU 1 and back, each waking the other, which idles. */
BENCH(completion_round_trip, .ops = 1000, .min_cpus = 2)
{
	struct echo echo = {.rounds = b->ops};
	struct thread *other;

	completion_init(&echo.there);
	completion_init(&echo.back);
	other = thread_create("echo", answer, &echo, 1);
	if (!other) {
		bench_fail(b, "no thread");
		return;
	}
	bench_begin(b);
	for (unsigned long i = 0; i < b->ops; i++) {
		complete(&echo.there);
		wait_for_completion(&echo.back);
	}
	bench_end(b);
	thread_join(other);
}
