/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_main of the hosted machine: brings memory and CPUs up in the kernel's
 * own order, then runs suites, or what test= and bench= name. It lies under
 * tests/, since it stands on mm/ and the tests; arch/hosted/ may know neither.
 */
#include <arch/boot_info.h>
#include <arch/machine.h>
#include <arch/pte.h>
#include <lib/bench.h>
#include <lib/param.h>
#include <lib/test.h>
#include <mm/kernel_map.h>
#include <mm/mm.h>
#include <mm/page_alloc.h>
#include <tests/hosted_cpus.h>

static const struct leak_check leak_check = {.snapshot = mm_snapshot};

static bool memory_init(const struct boot_info *info)
{
	pa_t root;

	if (mm_early_init(info))
		return false;
	root = kernel_map_build(info, NULL, 0, &memblock);
	if (!root)
		return false;
	arch_set_root_table(root);
	mm_init(info);
	test_set_words(info->cmdline);
	test_set_leak_check(&leak_check);
	test_set_free_pages(nr_free_pages);
	return true;
}

_Noreturn void kernel_main(const struct boot_info *info)
{
	unsigned int failed = 0;

	if (param_parse(info->cmdline) || !memory_init(info))
		machine_exit(MACHINE_FAILED);
	hosted_cpus_start();
	if (*test_glob || !*bench_glob)
		failed += test_run(NULL).failed;
	if (*bench_glob)
		failed += bench_run(NULL).failed;
	machine_exit(failed ? MACHINE_FAILED : MACHINE_PASSED);
}
