/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PVH start_info (Xen's "x86/HVM direct boot ABI").
 *
 * A structure at a physical address, with the physical addresses of others: a
 * command line, a table of modules, the ACPI root and, from version 1 on, a
 * memory map in the BIOS's own types. Later versions only append fields.
 *
 * None of the addresses and counts is trusted: everything is copied out
 * through a reader that knows what can be read. Parts without which one can't
 * go on (start_info itself, the map) make it fail; a command line or a module
 * list that can't be read does too, since a kernel that runs without the
 * options that it was given misleads.
 */
#include <lib/firmware/pvh.h>

#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/firmware/boot_map.h>
#include <lib/firmware/handoff.h>
#include <lib/math.h>
#include <lib/printk.h>
#include <stdbool.h>

struct start_info {
	uint32_t magic;
	uint32_t version;
	uint32_t flags;
	uint32_t nr_modules;
	uint64_t modules;
	uint64_t cmdline;
	uint64_t rsdp;
	/* version 1 */
	uint64_t memmap;
	uint32_t nr_memmap;
	uint32_t reserved;
} __packed;

#define START_INFO_V0_SIZE offsetof(struct start_info, memmap)

struct module_entry {
	uint64_t start;
	uint64_t size;
	uint64_t cmdline;
	uint64_t reserved;
} __packed;

struct memmap_entry {
	uint64_t start;
	uint64_t len;
	uint32_t type;
	uint32_t reserved;
} __packed;

/* No firmware has so many; a count beyond is not a count. */
#define MEMMAP_MAX 4096

static int unreadable(const char *what, pa_t pa)
{
	printk("pvh: can't read the %s at 0x%llx\n", what,
	       (unsigned long long)pa);
	return -EFAULT;
}

/*
 * Copy the string at @pa to @to, which has room for @room bytes. Byte by byte:
 * it may be the last thing before memory that can't be read.
 * Return: 1 when it fitted, 0 when it was cut, -EFAULT.
 */
static int read_string(const struct phys_reader *mem, pa_t pa, char *to,
		       size_t room)
{
	for (size_t i = 0; i < room; i++) {
		if (!phys_read(mem, pa + i, &to[i], 1))
			return -EFAULT;
		if (to[i] == '\0')
			return 1;
	}
	to[room - 1] = '\0';
	return 0;
}

static int read_start_info(const struct phys_reader *mem, pa_t pa,
			   struct start_info *si)
{
	*si = (struct start_info){0};
	if (!phys_read(mem, pa, si, START_INFO_V0_SIZE))
		return unreadable("start_info", pa);
	if (si->magic != PVH_MAGIC) {
		printk("pvh: start_info at 0x%llx: magic 0x%x is not 0x%x\n",
		       (unsigned long long)pa, si->magic, PVH_MAGIC);
		return -EINVAL;
	}
	if (si->version >= 1 && !phys_read(mem, pa, si, sizeof(*si)))
		return unreadable("start_info", pa);
	return 0;
}

static int read_cmdline(const struct phys_reader *mem,
			const struct start_info *si, struct boot_info *out)
{
	int fits = 1;

	if (si->cmdline != 0)
		fits = read_string(mem, si->cmdline, out->cmdline,
				   sizeof(out->cmdline));
	if (fits < 0)
		return unreadable("command line", si->cmdline);
	out->cmdline_cut = fits == 0;
	return 0;
}

static int read_module(const struct phys_reader *mem, pa_t pa,
		       struct boot_info *out)
{
	struct module_entry m;
	struct boot_module *module;

	if (!phys_read(mem, pa, &m, sizeof(m)))
		return unreadable("module entry", pa);
	module = handoff_add_module(out, m.start, m.size);
	if (module && m.cmdline != 0 &&
	    read_string(mem, m.cmdline, module->name, sizeof(module->name)) < 0)
		return unreadable("module's command line", m.cmdline);
	return 0;
}

static int read_modules(const struct phys_reader *mem,
			const struct start_info *si, struct boot_info *out)
{
	/* One more than there is room for: it says that it is dropped. */
	unsigned int n = min(si->nr_modules, BOOT_MAX_MODULES + 1u);
	int err = 0;

	for (unsigned int i = 0; i < n && err == 0; i++)
		err = read_module(mem,
				  si->modules + i * sizeof(struct module_entry),
				  out);
	out->nr_modules_dropped += si->nr_modules - n;
	return err;
}

static int read_memmap(const struct phys_reader *mem,
		       const struct start_info *si, struct boot_info *out)
{
	struct memmap_entry e;
	pa_t pa = si->memmap;

	if (si->nr_memmap > MEMMAP_MAX) {
		printk("pvh: memory map of %u entries, at most %u make sense\n",
		       si->nr_memmap, MEMMAP_MAX);
		return -EINVAL;
	}
	for (unsigned int i = 0; i < si->nr_memmap; i++, pa += sizeof(e)) {
		if (!phys_read(mem, pa, &e, sizeof(e)))
			return unreadable("memory map entry", pa);
		/* QEMU's microvm leaves room for an entry it does not fill. */
		if (e.start == 0 && e.len == 0 && e.type == 0)
			continue;
		boot_map_add(out, e.start, e.len, boot_map_type(e.type));
	}
	if (out->nr_map == 0) {
		printk("pvh: start_info version %u with %u map entries tells "
		       "nothing of memory\n",
		       si->version, si->nr_memmap);
		return -ENOENT;
	}
	boot_map_normalise(out);
	return 0;
}

int pvh_parse(pa_t start_info, phys_read_fn read, void *ctx,
	      struct boot_info *out)
{
	const struct phys_reader mem = {.read = read, .ctx = ctx};
	struct start_info si;
	int err = read_start_info(&mem, start_info, &si);

	if (err)
		return err;
	out->protocol = "pvh";
	out->rsdp = si.rsdp;
	out->handoff_start = start_info;
	out->handoff_end = start_info +
			   (si.version >= 1 ? sizeof(si) : START_INFO_V0_SIZE);
	err = read_cmdline(&mem, &si, out);
	if (!err)
		err = read_modules(&mem, &si, out);
	if (!err)
		err = read_memmap(&mem, &si, out);
	return err;
}
