/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the loader's information to struct boot_info, and into the kernel.
 */
#include "boot.h"
#include "../cpu/start.h"
#include <arch/boot_info.h>
#include <arch/machine.h>
#include <lib/firmware/multiboot2.h>
#include <lib/firmware/pvh.h>
#include <lib/panic.h>
#include <lib/string.h>
#include <machine/cpu_init.h>

static struct boot_info boot_info;

_Noreturn void boot_main(uint32_t loader, uint32_t info_pa, uint64_t ticks);

bool boot_phys_read(void *ctx, pa_t pa, void *buf, size_t n)
{
	if (n > EARLY_MAP_END || pa > EARLY_MAP_END - n)
		return false;
	memcpy(buf, pa_to_va(pa), n);
	return true;
}

/*
 * Entered from entry64.S on the boot stack, with the early page tables:
 * @loader is BOOT_*, @info_pa the loader's information, @ticks the clock at
 * the first instruction.
 */
_Noreturn void boot_main(uint32_t loader, uint32_t info_pa, uint64_t ticks)
{
	int err;

	percpu_init();
	console_init();
	cpu_init();
	if (loader == BOOT_MULTIBOOT2)
		err = multiboot2_parse(info_pa, pa_to_va(info_pa),
				       EARLY_MAP_END - info_pa, &boot_info);
	else
		err = pvh_parse(info_pa, boot_phys_read, NULL, &boot_info);
	if (err)
		panic("boot: the loader's information at %#x is of no use",
		      info_pa);
	boot_info.start_ticks = ticks;
	kernel_main(&boot_info);
}
