/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The doors from mm upwards.
 *
 * mm stands below threads and must not know them, yet a purge wants to be done
 * by a thread that may wait, and memory that other CPUs may still look at must
 * be freed later. Those above register a table of functions; where they did
 * not, the defaults do at once, or not at all, what can be done without
 * threads. So every suite of mm runs in the hosted build, where there are no
 * threads, and at boot before they start.
 */
#include <lib/compiler.h>
#include <mm/hooks.h>
#include <stdatomic.h>

static _Atomic(const struct mm_hooks *) registered;

const struct mm_hooks *mm_hooks_register(const struct mm_hooks *hooks)
{
	return atomic_exchange(&registered, hooks);
}

static const struct mm_hooks *hooks_now(void)
{
	static const struct mm_hooks none;
	const struct mm_hooks *hooks =
		atomic_load_explicit(&registered, memory_order_acquire);

	return hooks ? hooks : &none;
}

bool mm_may_sleep(void)
{
	const struct mm_hooks *hooks = hooks_now();

	return hooks->may_sleep && hooks->may_sleep();
}

void mm_yield(void)
{
	const struct mm_hooks *hooks = hooks_now();

	if (hooks->yield)
		hooks->yield();
}

void mm_wake_drain(void)
{
	const struct mm_hooks *hooks = hooks_now();

	if (hooks->wake_drain)
		hooks->wake_drain();
}

void mm_call_after_grace(struct grace_head *head,
			 void (*fn)(struct grace_head *head))
{
	const struct mm_hooks *hooks = hooks_now();

	if (hooks->call_after_grace)
		hooks->call_after_grace(head, fn);
	else
		fn(head);
}
