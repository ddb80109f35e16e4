/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel was booted to do. */
#include <kernel/mm_hooks.h>
#include <kernel/prompt.h>
#include <kernel/selftest.h>
#include <kernel/work.h>
#include <lib/bench.h>
#include <lib/param.h>
#include <lib/test.h>
#include <mm/page_alloc.h>

static bool open_prompt = true;
PARAM_BOOL("prompt", open_prompt, "open the prompt at the end (default 1)");

static const struct leak_check leak_check = {.snapshot = kernel_snapshot};

static bool run_tests(const char *glob)
{
	return test_run(glob).failed == 0;
}

static bool run_benches(const char *glob)
{
	return bench_run(glob).failed == 0;
}

bool work_run(const char *cmdline)
{
	bool all = !*test_glob && !*bench_glob;
	bool passed = true;

	test_set_words(cmdline);
	test_set_leak_check(&leak_check);
	test_set_free_pages(nr_free_pages);
	if (selftest_wanted())
		passed = selftest_run();
	else {
		if (all || *test_glob)
			passed &= run_tests(NULL);
		if (all || *bench_glob)
			passed &= run_benches(NULL);
	}
	if (open_prompt)
		prompt_run();
	return passed;
}
