/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Has the machine what a suite or a benchmark needs? */
#include <arch/cpu.h>
#include <arch/page.h>
#include <lib/math.h>
#include <lib/printf.h>
#include <lib/test_core.h>

static test_pages_fn free_pages_now;

test_pages_fn test_set_free_pages(test_pages_fn free_pages)
{
	test_pages_fn before = free_pages_now;

	free_pages_now = free_pages;
	return before;
}

/* The need is rounded up and what there is down, so that the figures never look
 * as if it were enough. */
static void say_memory(char *reason, size_t size, size_t need, size_t have)
{
	size_t kib = PAGE_SIZE / 1024;
	size_t mib_pages = 1024 / kib;

	if (need >= mib_pages)
		scnprintf(reason, size, "needs %zu MiB, have %zu",
			  DIV_ROUND_UP(need, mib_pages), have / mib_pages);
	else
		scnprintf(reason, size, "needs %zu KiB, have %zu", need * kib,
			  have * kib);
}

bool test_machine_has(size_t min_pages, unsigned int min_cpus, const char *why,
		      char *reason, size_t size)
{
	size_t have = free_pages_now ? free_pages_now() : SIZE_MAX;
	char lack[64];

	if (have < min_pages)
		say_memory(lack, sizeof(lack), min_pages, have);
	else if (cpus_online() < min_cpus)
		scnprintf(lack, sizeof(lack), "needs %u CPUs, have %u",
			  min_cpus, cpus_online());
	else
		return true;
	scnprintf(reason, size, "%s%s%s", lack, why ? ": " : "",
		  why ? why : "");
	return false;
}
