/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_main of the hosted machine: brings memory up in the kernel's own
 * order and runs the unit suites. It lies under tests/, since it stands on
 * both mm/ and the tests; arch/hosted/ may know neither.
 */
#include <arch/boot_info.h>
#include <arch/machine.h>
#include <lib/param.h>
#include <lib/test.h>

#if __has_include(<mm/vmalloc.h>)
#	include <mm/memblock.h>
#	include <mm/page_alloc.h>
#	include <mm/slab.h>
#	include <mm/vmalloc.h>

static void memory_init(const struct boot_info *info)
{
	for (unsigned int i = 0; i < info->nr_map; i++)
		if (info->map[i].type == MEM_USABLE)
			memblock_add(&memblock, info->map[i].start,
				     info->map[i].end - info->map[i].start);
	page_alloc_init(info, &memblock);
	slab_init();
	vmalloc_init();
}
#else
static void memory_init(const struct boot_info *info)
{
	(void)info;
}
#endif

_Noreturn void kernel_main(const struct boot_info *info)
{
	struct test_result r;

	if (param_parse(info->cmdline))
		machine_exit(MACHINE_FAILED);
	memory_init(info);
	r = test_run(NULL);
	machine_exit(r.failed ? MACHINE_FAILED : MACHINE_PASSED);
}
