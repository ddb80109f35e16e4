/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The multiboot2 parser: sound information, broken information, and noise. */
#include "firmware.h"

#include <lib/errno.h>
#include <lib/firmware/boot_map.h>
#include <lib/firmware/multiboot2.h>
#include <lib/math.h>

#define AT 0x9500 /* where the information lies, physically */

static struct blob blob;
static struct boot_info info;

/* --- a builder ----------------------------------------------------------- */

static void begin(void)
{
	blob.len = 0;
	blob_u32(&blob, 0); /* total size, filled in by finish */
	blob_u32(&blob, 0);
}

/* Begin a tag. Return: its place, for tag_end. */
static size_t tag_begin(uint32_t type)
{
	size_t at;

	blob_fill_to(&blob, round_up(blob.len, 8));
	at = blob.len;
	blob_u32(&blob, type);
	blob_u32(&blob, 0);
	return at;
}

static void tag_end(size_t at)
{
	blob_set_u32(&blob, at + 4, blob.len - at);
}

static void add_string(uint32_t type, const char *s)
{
	size_t at = tag_begin(type);

	blob_string(&blob, s);
	tag_end(at);
}

static void add_module(uint32_t start, uint32_t end, const char *name)
{
	size_t at = tag_begin(3);

	blob_u32(&blob, start);
	blob_u32(&blob, end);
	blob_string(&blob, name);
	tag_end(at);
}

static void add_basic_memory(uint32_t lower_kib, uint32_t upper_kib)
{
	size_t at = tag_begin(4);

	blob_u32(&blob, lower_kib);
	blob_u32(&blob, upper_kib);
	tag_end(at);
}

static size_t map_begin(uint32_t entry_size)
{
	size_t at = tag_begin(6);

	blob_u32(&blob, entry_size);
	blob_u32(&blob, 0);
	return at;
}

static void map_entry(uint64_t start, uint64_t len, uint32_t type)
{
	blob_u64(&blob, start);
	blob_u64(&blob, len);
	blob_u32(&blob, type);
	blob_u32(&blob, 0);
}

static void add_map(void)
{
	size_t at = map_begin(24);

	map_entry(0x100000, 0x7f00000, 1);
	map_entry(0, 0x9fc00, 1);
	map_entry(0x9fc00, 0x400, 2);
	map_entry(0x7ff0000, 0x10000, 3);
	tag_end(at);
}

static void add_framebuffer(uint64_t pa, uint32_t pitch, uint32_t width,
			    uint32_t height, uint8_t bpp, uint8_t type)
{
	size_t at = tag_begin(8);

	blob_u64(&blob, pa);
	blob_u32(&blob, pitch);
	blob_u32(&blob, width);
	blob_u32(&blob, height);
	blob_u8(&blob, bpp);
	blob_u8(&blob, type);
	blob_u16(&blob, 0);
	tag_end(at);
}

/* Return: the offset of the copy in the tag. */
static size_t add_rsdp(uint32_t type, size_t size)
{
	size_t at = tag_begin(type);

	blob_put(&blob, "RSD PTR ", 8);
	blob_fill_to(&blob, at + 8 + size);
	tag_end(at);
	return at + 8;
}

static void finish(void)
{
	tag_end(tag_begin(0));
	blob_set_u32(&blob, 0, blob.len);
}

/* One tag of each kind, as GRUB orders them. Return: offset of the RSDP. */
static size_t build_sound(void)
{
	size_t rsdp;

	begin();
	add_string(1, "test=list seed=3");
	add_string(2, "GRUB 2.06-13");
	add_module(0x800000, 0x801234, "initrd quiet");
	add_module(0x802000, 0x802000, "");
	add_basic_memory(639, 0x1ff80);
	add_map();
	add_framebuffer(0xfd000000, 4096, 1024, 768, 32, 1);
	add_rsdp(14, 20);
	rsdp = add_rsdp(15, 36);
	tag_end(tag_begin(17));   /* the EFI memory map */
	tag_end(tag_begin(4711)); /* one from the future */
	finish();
	return rsdp;
}

/* Parse the first @len bytes of the blob, quietly. */
static int parse(size_t len)
{
	int err;

	memset(&info, 0, sizeof(info));
	quiet_begin();
	err = multiboot2_parse(AT, blob_at_edge(&blob, len), len, &info);
	quiet_end();
	return err;
}

/* Expect an error of @err with one line that has @part in it. */
static void expect_refused(int err, const char *part)
{
	unsigned long lines = printk_lines();

	EXPECT_EQ(parse(blob.len), -err);
	EXPECT_EQ(printk_lines() - lines, 1);
	EXPECT_CONTAINS(quiet_text, part);
}

/* --- sound information --------------------------------------------------- */

TEST(multiboot2, every_tag)
{
	size_t rsdp = build_sound();

	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_STREQ(quiet_text, "");
	EXPECT_STREQ(info.protocol, "multiboot2");
	EXPECT_STREQ(info.cmdline, "test=list seed=3");
	EXPECT_STREQ(info.loader, "GRUB 2.06-13");
	EXPECT_EQ(info.nr_modules, 2);
	EXPECT_EQ(info.modules[0].start, 0x800000);
	EXPECT_EQ(info.modules[0].end, 0x801234);
	EXPECT_STREQ(info.modules[0].name, "initrd quiet");
	EXPECT_EQ(info.modules[1].start, info.modules[1].end);
	EXPECT_STREQ(info.modules[1].name, "");
	EXPECT_EQ(info.framebuffer.pa, 0xfd000000);
	EXPECT_EQ(info.framebuffer.pitch, 4096);
	EXPECT_EQ(info.framebuffer.width, 1024);
	EXPECT_EQ(info.framebuffer.height, 768);
	EXPECT_EQ(info.framebuffer.bpp, 32);
	EXPECT_EQ(info.rsdp, AT + rsdp);
	EXPECT_EQ(info.handoff_start, AT);
	EXPECT_EQ(info.handoff_end, AT + blob.len);
}

TEST(multiboot2, map_is_normalised)
{
	build_sound();
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT(boot_map_verify(&info));
	EXPECT_EQ(info.nr_map_dropped, 0);
	REQUIRE_EQ(info.nr_map, 4);
	EXPECT_EQ(info.map[0].end, 0x9f000);
	EXPECT_EQ(info.map[1].type, MEM_RESERVED);
	EXPECT_EQ(info.map[2].start, 0x100000);
	EXPECT_EQ(info.map[2].end, 0x7ff0000);
	EXPECT_EQ(info.map[3].type, MEM_ACPI_RECLAIM);
}

TEST(multiboot2, larger_map_entries)
{
	size_t at;

	begin();
	at = map_begin(40);
	map_entry(0x100000, 0x100000, 1);
	blob_u64(&blob, ~0ul);
	blob_u64(&blob, ~0ul);
	map_entry(0x400000, 0x100000, 1);
	blob_u64(&blob, ~0ul);
	blob_u64(&blob, ~0ul);
	tag_end(at);
	finish();
	REQUIRE_EQ(parse(blob.len), 0);
	REQUIRE_EQ(info.nr_map, 2);
	EXPECT_EQ(info.map[1].start, 0x400000);
	EXPECT_EQ(info.map[1].end, 0x500000);
}

TEST(multiboot2, basic_memory_counts_only_without_a_map)
{
	begin();
	add_basic_memory(639, 0x7c00);
	finish();
	REQUIRE_EQ(parse(blob.len), 0);
	REQUIRE_EQ(info.nr_map, 2);
	EXPECT_EQ(info.map[0].start, 0);
	EXPECT_EQ(info.map[0].end, 0x9f000);
	EXPECT_EQ(info.map[1].start, 0x100000);
	EXPECT_EQ(info.map[1].end, 0x2000000);

	begin();
	add_map();
	add_basic_memory(639, 0x7fffffff);
	finish();
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_EQ(info.map[info.nr_map - 1].end, 0x8000000);
}

TEST(multiboot2, new_rsdp_wins_in_either_order)
{
	size_t new;

	begin();
	add_map();
	new = add_rsdp(15, 36);
	add_rsdp(14, 20);
	finish();
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_EQ(info.rsdp, AT + new);

	begin();
	add_map();
	new = add_rsdp(14, 20);
	finish();
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_EQ(info.rsdp, AT + new);
}

TEST(multiboot2, strings_without_end_or_too_long)
{
	size_t at, room = sizeof(info.cmdline);

	begin();
	add_map();
	at = tag_begin(1);
	blob_put(&blob, "abcd", 4);
	tag_end(at);
	finish();
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_STREQ(info.cmdline, "abcd");

	/* One byte more than there is room for, then one that just fits. */
	for (size_t len = room; len >= room - 1; len--) {
		begin();
		add_map();
		at = tag_begin(1);
		for (size_t i = 0; i < len; i++)
			blob_u8(&blob, 'a' + i % 26);
		blob_u8(&blob, 0);
		tag_end(at);
		finish();
		REQUIRE_EQ(parse(blob.len), 0);
		EXPECT_EQ(strlen(info.cmdline), room - 1);
		EXPECT_EQ(info.cmdline_cut, len == room);
	}
}

TEST(multiboot2, modules_beyond_the_table_are_counted)
{
	begin();
	add_map();
	for (uint32_t i = 0; i < BOOT_MAX_MODULES + 3; i++)
		add_module(i * 0x1000, i * 0x1000 + 1, "m");
	finish();
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_EQ(info.nr_modules, BOOT_MAX_MODULES);
	EXPECT_EQ(info.nr_modules_dropped, 3);
	EXPECT_CONTAINS(quiet_text, "0x8000");
}

TEST(multiboot2, framebuffers_that_are_none)
{
	static const struct {
		uint64_t pa;
		uint32_t pitch, width, height;
		uint8_t bpp, type;
		bool told;
	} bad[] = {
		{0xb8000, 160, 80, 25, 16, 2, false}, /* EGA text */
		{0xfd000000, 4095, 1024, 768, 32, 1, true},
		{1ul << MAX_PHYS_BITS, 4096, 1024, 768, 32, 1, true},
		{UINT64_MAX, 4096, 1024, 768, 32, 1, true},
		{0xfd000000, UINT32_MAX, 1, UINT32_MAX, 8, 1, true},
		{0xfd000000, UINT32_MAX, UINT32_MAX, 1, 255, 1, true},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		begin();
		add_map();
		add_framebuffer(bad[i].pa, bad[i].pitch, bad[i].width,
				bad[i].height, bad[i].bpp, bad[i].type);
		finish();
		REQUIRE_EQ(parse(blob.len), 0);
		EXPECTF(info.framebuffer.pa == 0, "framebuffer %u", i);
		EXPECTF((quiet_text[0] != '\0') == bad[i].told,
			"framebuffer %u", i);
	}
}

/* --- broken information -------------------------------------------------- */

TEST(multiboot2, total_size_must_make_sense)
{
	static const uint32_t bad[] = {0, 7, 0x7fffffff, UINT32_MAX};

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		build_sound();
		blob_set_u32(&blob, 0, bad[i]);
		expect_refused(EINVAL, "bytes at 0x9500");
	}
	build_sound();
	blob_set_u32(&blob, 0, blob.len + 1);
	expect_refused(EINVAL, "bytes at 0x9500");
}

TEST(multiboot2, must_be_aligned)
{
	int err;

	build_sound();
	quiet_begin();
	err = multiboot2_parse(AT + 4, blob.bytes, blob.len, &info);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_EQ(err, -EINVAL);
}

TEST(multiboot2, no_end_tag)
{
	begin();
	add_map();
	blob_set_u32(&blob, 0, blob.len);
	expect_refused(EINVAL, "no end tag");
}

TEST(multiboot2, tag_sizes_must_make_sense)
{
	static const uint32_t bad[] = {
		0, 1, 7, 0x7fffffff, UINT32_MAX - 6, UINT32_MAX};

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		size_t at;

		begin();
		add_map();
		at = tag_begin(1);
		blob_string(&blob, "x");
		finish();
		blob_set_u32(&blob, at + 4, bad[i]);
		expect_refused(EINVAL, "tag 1 at");
	}
}

TEST(multiboot2, tags_must_hold_what_they_say)
{
	static const struct {
		uint32_t type, least;
	} tags[] = {{3, 8}, {4, 8}, {6, 8}, {8, 24}, {14, 20}, {15, 36}};

	for (unsigned int i = 0; i < ARRAY_SIZE(tags); i++) {
		size_t at;

		begin();
		add_map();
		at = tag_begin(tags[i].type);
		blob_fill_to(&blob, at + 8 + tags[i].least - 1);
		tag_end(at);
		finish();
		expect_refused(EINVAL, "needs");
	}
}

TEST(multiboot2, map_entries_must_make_sense)
{
	static const uint32_t bad[] = {0, 1, 23, 25, 49, UINT32_MAX};

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		size_t at;

		begin();
		at = map_begin(bad[i]);
		map_entry(0x100000, 0x100000, 1);
		map_entry(0x200000, 0x100000, 1);
		tag_end(at);
		finish();
		expect_refused(EINVAL, "memory map of 48 bytes");
	}
}

TEST(multiboot2, module_must_not_end_before_it_starts)
{
	begin();
	add_map();
	add_module(0x2000, 0x1fff, "m");
	finish();
	expect_refused(EINVAL, "0x2000-0x1fff");
}

TEST(multiboot2, no_memory_is_an_error)
{
	size_t at;

	begin();
	finish();
	expect_refused(ENOENT, "no memory");

	begin();
	at = map_begin(24);
	tag_end(at);
	finish();
	expect_refused(ENOENT, "no memory");
}

/* --- noise --------------------------------------------------------------- */

/* Whatever was parsed: what came out keeps its own promises. */
static bool info_is_sound(void)
{
	bool sound = boot_map_verify(&info) && info.nr_map > 0 &&
		     info.nr_modules <= BOOT_MAX_MODULES &&
		     strlen(info.cmdline) < sizeof(info.cmdline) &&
		     strlen(info.loader) < sizeof(info.loader);

	for (unsigned int i = 0; i < info.nr_modules; i++)
		sound = sound && info.modules[i].start <= info.modules[i].end;
	if (info.rsdp != 0)
		sound = sound && info.rsdp >= info.handoff_start &&
			info.rsdp + 20 <= info.handoff_end;
	return sound;
}

TEST(multiboot2, every_truncation)
{
	build_sound();
	for (size_t len = 0; len < blob.len; len++)
		REQUIREF(parse(len) == -EINVAL, "%zu bytes", len);
	/* The same with a total size that agrees. */
	for (size_t len = 8; len < blob.len; len++) {
		blob_set_u32(&blob, 0, len);
		REQUIREF(parse(len) == -EINVAL, "%zu bytes", len);
	}
}

TEST(multiboot2, random_corruption)
{
	struct rng rng;
	unsigned int accepted = 0;

	rng_seed(&rng, test_seed());
	for (unsigned int round = 0; round < 2000; round++) {
		int err;

		build_sound();
		blob_corrupt(&blob, &rng);
		if (rng_below(&rng, 2) == 0)
			blob_set_u32(&blob, 0, blob.len);
		err = parse(blob.len);
		REQUIREF(err == 0 || err == -EINVAL || err == -ENOENT,
			 "round %u: %d", round, err);
		REQUIREF(err != 0 || info_is_sound(), "round %u", round);
		accepted += err == 0;
	}
	/* Both outcomes were met. */
	EXPECT_GT(accepted, 100);
	EXPECT_LT(accepted, 1900);
}
