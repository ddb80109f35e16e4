/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the debug build does around each spinlock. */
#include <lib/compiler.h>
#include <lib/debug/lock_check.h>
#include <lib/debug/lock_watch.h>
#include <lib/shake.h>

void spin_debug_init(spinlock_t *lock, const struct lock_site *site)
{
	*lock = (spinlock_t){.init = site};
}

void spin_debug_lock(spinlock_t *lock, unsigned int subclass,
		     const struct lock_site *site)
{
	struct lock_place at = {site, __builtin_frame_address(0)};
	unsigned int class = lock_check_take(lock, subclass, &at);
	uint32_t ticket;

	shake(SHAKE_LOCK);
	ticket = ticket_draw(&lock->ticket);
	if (!ticket_served(&lock->ticket, ticket))
		lock_watch_wait(lock, ticket, site);
	lock_check_taken(lock, class, site);
}

bool spin_debug_trylock(spinlock_t *lock, const struct lock_site *site)
{
	struct lock_place at = {site, __builtin_frame_address(0)};

	shake(SHAKE_LOCK);
	if (!ticket_trylock(&lock->ticket))
		return false;
	lock_check_tried(lock, &at);
	return true;
}

void spin_debug_unlock(spinlock_t *lock, const struct lock_site *site)
{
	struct lock_place at = {site, __builtin_frame_address(0)};

	if (lock_check_give(lock, &at))
		ticket_unlock(&lock->ticket);
}
