/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The multiboot2 boot information (Multiboot2 Specification 2.0, 3.6).
 *
 * Eight bytes, the total size and a reserved word, then tags, each at the
 * next multiple of 8 bytes, the last of type 0. A tag is its type, its size
 * with this header and without padding, and a payload.
 *
 * Every number in it may be wrong. A tag is looked into only after it is known
 * to lie within the structure, and copied out before it is looked at, since
 * nothing says that it is aligned. A structure that contradicts itself is
 * refused as a whole: a memory map of which a part can't be read might lack
 * exactly the range that must be left alone. What is merely odd (a module too
 * many, an unusable framebuffer) is left out.
 */
#include <lib/firmware/multiboot2.h>

#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/firmware/boot_map.h>
#include <lib/firmware/handoff.h>
#include <lib/math.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <stdbool.h>

#define TAG_ALIGN 8

enum tag_type {
	TAG_END = 0,
	TAG_CMDLINE = 1,
	TAG_LOADER = 2,
	TAG_MODULE = 3,
	TAG_BASIC_MEMORY = 4,
	TAG_MEMORY_MAP = 6,
	TAG_FRAMEBUFFER = 8,
	TAG_RSDP_OLD = 14, /* a copy of 20 bytes, ACPI 1.0 */
	TAG_RSDP_NEW = 15, /* a copy of 36 bytes, ACPI 2.0 */
};

struct info_header {
	uint32_t total_size;
	uint32_t reserved;
} __packed;

struct tag_header {
	uint32_t type;
	uint32_t size;
} __packed;

struct module_tag {
	uint32_t start, end;
	/* the command line */
} __packed;

struct basic_memory_tag {
	uint32_t lower_kib; /* from 0 */
	uint32_t upper_kib; /* from 1 MiB */
} __packed;

struct memory_map_tag {
	uint32_t entry_size;
	uint32_t entry_version;
	/* the entries */
} __packed;

struct memory_map_entry {
	uint64_t start, len;
	uint32_t type;
	uint32_t reserved;
} __packed;

struct framebuffer_tag {
	uint64_t pa;
	uint32_t pitch, width, height;
	uint8_t bpp;
	uint8_t type;
	uint16_t reserved;
} __packed;

#define FRAMEBUFFER_EGA_TEXT 2

#define RSDP_OLD_SIZE 20
#define RSDP_NEW_SIZE 36

/* A tag, known to lie within the boot information. */
struct tag {
	uint32_t type;
	size_t offset;       /* of the payload, from the information's start */
	const char *payload; /* may be unaligned */
	size_t size;         /* of the payload */
};

/* What one tag says and another decides the use of. */
struct parse {
	struct boot_info *out;
	pa_t pa;
	bool has_map;
	bool has_new_rsdp;
	struct basic_memory_tag basic;
};

static int too_short(const struct tag *tag, size_t need)
{
	printk("multiboot2: tag %u at offset %zu has %zu bytes, needs %zu\n",
	       tag->type, tag->offset, tag->size, need);
	return -EINVAL;
}

/* Copy the start of the payload of @tag to @to, an object of fixed layout. */
#define TAG_GET(tag, to)                                                       \
	((tag)->size < sizeof(*(to))                                           \
		 ? too_short(tag, sizeof(*(to)))                               \
		 : (memcpy(to, (tag)->payload, sizeof(*(to))), 0))

static int take_cmdline(struct parse *p, const struct tag *tag)
{
	p->out->cmdline_cut =
		!handoff_copy_string(p->out->cmdline, sizeof(p->out->cmdline),
				     tag->payload, tag->size);
	return 0;
}

static int take_loader(struct parse *p, const struct tag *tag)
{
	handoff_copy_string(p->out->loader, sizeof(p->out->loader),
			    tag->payload, tag->size);
	return 0;
}

static int take_module(struct parse *p, const struct tag *tag)
{
	struct module_tag m;
	struct boot_module *module;
	int err = TAG_GET(tag, &m);

	if (err)
		return err;
	if (m.end < m.start) {
		printk("multiboot2: module ends before its start: "
		       "0x%x-0x%x\n",
		       m.start, m.end);
		return -EINVAL;
	}
	module = handoff_add_module(p->out, m.start, m.end - m.start);
	if (module)
		handoff_copy_string(module->name, sizeof(module->name),
				    tag->payload + sizeof(m),
				    tag->size - sizeof(m));
	return 0;
}

static int take_basic_memory(struct parse *p, const struct tag *tag)
{
	return TAG_GET(tag, &p->basic);
}

static int take_memory_map(struct parse *p, const struct tag *tag)
{
	struct memory_map_tag map;
	struct memory_map_entry e;
	size_t at = sizeof(map);
	int err = TAG_GET(tag, &map);

	if (err)
		return err;
	if (map.entry_size < sizeof(e) ||
	    (tag->size - at) % map.entry_size != 0) {
		printk("multiboot2: memory map of %zu bytes, entries of %u\n",
		       tag->size - at, map.entry_size);
		return -EINVAL;
	}
	for (; at < tag->size; at += map.entry_size) {
		memcpy(&e, tag->payload + at, sizeof(e));
		boot_map_add(p->out, e.start, e.len, boot_map_type(e.type));
	}
	p->has_map = true;
	return 0;
}

static int take_framebuffer(struct parse *p, const struct tag *tag)
{
	const pa_t limit = (pa_t)1 << MAX_PHYS_BITS;
	struct framebuffer_tag fb;
	int err = TAG_GET(tag, &fb);

	if (err)
		return err;
	if (fb.type == FRAMEBUFFER_EGA_TEXT)
		return 0;
	if (fb.pa >= limit || (uint64_t)fb.pitch * fb.height > limit - fb.pa ||
	    (uint64_t)fb.width * fb.bpp > (uint64_t)fb.pitch * 8) {
		printk("multiboot2: framebuffer ignored: at 0x%llx, %ux%u, "
		       "pitch %u, %u bpp\n",
		       (unsigned long long)fb.pa, fb.width, fb.height, fb.pitch,
		       fb.bpp);
		return 0;
	}
	p->out->framebuffer = (struct boot_framebuffer){
		.pa = fb.pa,
		.pitch = fb.pitch,
		.width = fb.width,
		.height = fb.height,
		.bpp = fb.bpp,
	};
	return 0;
}

/* The new form names more tables than the old one: it wins. */
static int take_rsdp(struct parse *p, const struct tag *tag)
{
	bool new = tag->type == TAG_RSDP_NEW;
	size_t need = new ? RSDP_NEW_SIZE : RSDP_OLD_SIZE;

	if (tag->size < need)
		return too_short(tag, need);
	if (new || !p->has_new_rsdp)
		p->out->rsdp = p->pa + tag->offset;
	p->has_new_rsdp |= new;
	return 0;
}

static int take_tag(struct parse *p, const struct tag *tag)
{
	switch (tag->type) {
	case TAG_CMDLINE:
		return take_cmdline(p, tag);
	case TAG_LOADER:
		return take_loader(p, tag);
	case TAG_MODULE:
		return take_module(p, tag);
	case TAG_BASIC_MEMORY:
		return take_basic_memory(p, tag);
	case TAG_MEMORY_MAP:
		return take_memory_map(p, tag);
	case TAG_FRAMEBUFFER:
		return take_framebuffer(p, tag);
	case TAG_RSDP_OLD:
	case TAG_RSDP_NEW:
		return take_rsdp(p, tag);
	default:
		return 0;
	}
}

/* Every tag up to the end tag, in the @total bytes of the information. */
static int take_tags(struct parse *p, const char *bytes, size_t total)
{
	struct tag_header h;
	size_t at = sizeof(struct info_header);
	struct tag tag;
	int err;

	for (; at + sizeof(h) <= total; at = round_up(at + h.size, TAG_ALIGN)) {
		memcpy(&h, bytes + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > total - at) {
			printk("multiboot2: tag %u at offset %zu: size %u, "
			       "%zu bytes left\n",
			       h.type, at, h.size, total - at);
			return -EINVAL;
		}
		if (h.type == TAG_END)
			return 0;
		tag = (struct tag){
			.type = h.type,
			.offset = at + sizeof(h),
			.payload = bytes + at + sizeof(h),
			.size = h.size - sizeof(h),
		};
		err = take_tag(p, &tag);
		if (err)
			return err;
	}
	printk("multiboot2: no end tag in %zu bytes\n", total);
	return -EINVAL;
}

/* The sizes below and above 1 MiB, told when there is no map. */
static void use_basic_memory(struct parse *p)
{
	const struct basic_memory_tag *basic = &p->basic;

	if (basic->lower_kib > 0)
		boot_map_add(p->out, 0, (uint64_t)basic->lower_kib << 10,
			     MEM_USABLE);
	if (basic->upper_kib > 0)
		boot_map_add(p->out, 1 << 20, (uint64_t)basic->upper_kib << 10,
			     MEM_USABLE);
}

int multiboot2_parse(pa_t pa, const void *bytes, size_t len,
		     struct boot_info *out)
{
	struct parse p = {.out = out, .pa = pa};
	struct info_header h = {0};
	int err;

	if (len >= sizeof(h))
		memcpy(&h, bytes, sizeof(h));
	if (h.total_size < sizeof(h) || h.total_size > len ||
	    pa % TAG_ALIGN != 0) {
		printk("multiboot2: information of %u bytes at 0x%llx, "
		       "%zu can be read\n",
		       h.total_size, (unsigned long long)pa, len);
		return -EINVAL;
	}
	out->protocol = "multiboot2";
	out->handoff_start = pa;
	out->handoff_end = pa + h.total_size;
	err = take_tags(&p, bytes, h.total_size);
	if (err)
		return err;
	if (!p.has_map)
		use_basic_memory(&p);
	if (out->nr_map == 0) {
		printk("multiboot2: no memory in %u bytes of information\n",
		       h.total_size);
		return -ENOENT;
	}
	boot_map_normalise(out);
	return 0;
}
