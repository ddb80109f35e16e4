/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parsers of the loaders' structures have in common. */
#include <lib/firmware/handoff.h>

#include <lib/printk.h>

struct boot_module *handoff_add_module(struct boot_info *info, pa_t start,
				       uint64_t size)
{
	const pa_t limit = (pa_t)1 << MAX_PHYS_BITS;
	bool possible = start <= limit && size <= limit - start;
	struct boot_module *module = &info->modules[info->nr_modules];

	if (!possible || info->nr_modules == BOOT_MAX_MODULES) {
		if (info->nr_modules_dropped++ == 0)
			printk("boot module 0x%llx + 0x%llx dropped: %s\n",
			       (unsigned long long)start,
			       (unsigned long long)size,
			       possible ? "too many" : "beyond any memory");
		return NULL;
	}
	module->start = start;
	module->end = start + size;
	info->nr_modules++;
	return module;
}

bool handoff_copy_string(char *to, size_t room, const void *from, size_t n)
{
	const char *s = from;
	size_t i = 0;

	for (; i < n && s[i] != '\0'; i++) {
		if (i == room - 1)
			break;
		to[i] = s[i];
	}
	to[i] = '\0';
	return i == n || s[i] == '\0';
}
