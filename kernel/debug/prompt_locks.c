/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `locks`: in which order locks are taken, as far as was seen. */
#include <kernel/prompt.h>
#include <lib/compiler.h>
#include <lib/debug/lock_check.h>

static void run_locks(const char *argument)
{
	lock_check_print_orders();
}

PROMPT_COMMAND(locks, "locks", NULL, "what is taken while a lock is held",
	       run_locks);
