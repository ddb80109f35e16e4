/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PVH parser: sound structures, broken ones, and noise. */
#include "firmware.h"

#include <lib/errno.h>
#include <lib/firmware/boot_map.h>
#include <lib/firmware/pvh.h>

#define AT 0x8a001 /* where the blob lies, physically; nothing is aligned */

/* Offsets of start_info's fields. */
#define VERSION    4
#define NR_MODULES 12
#define MODULES    16
#define CMDLINE    24
#define RSDP       32
#define MEMMAP     40
#define NR_MEMMAP  48
#define V0_SIZE    40
#define V1_SIZE    56

static struct blob blob;
static struct boot_info info;

static void set_u64(size_t at, uint64_t v)
{
	blob_set_u32(&blob, at, v);
	blob_set_u32(&blob, at + 4, v >> 32);
}

static void map_entry(uint64_t start, uint64_t len, uint32_t type)
{
	blob_u64(&blob, start);
	blob_u64(&blob, len);
	blob_u32(&blob, type);
	blob_u32(&blob, 0);
}

static void build_start_info(uint32_t version)
{
	blob.len = 0;
	blob_u32(&blob, PVH_MAGIC);
	blob_u32(&blob, version);
	blob_fill_to(&blob, version > 0 ? V1_SIZE : V0_SIZE);
	set_u64(RSDP, 0xf5280);
}

/* Append two modules and a name for the first. */
static void add_modules(void)
{
	pa_t name = AT + blob.len;

	blob_string(&blob, "initrd quiet");
	set_u64(MODULES, AT + blob.len);
	blob_set_u32(&blob, NR_MODULES, 2);
	blob_u64(&blob, 0x1000000);
	blob_u64(&blob, 0x1234);
	blob_u64(&blob, name);
	blob_u64(&blob, 0);
	blob_u64(&blob, 0x2000000);
	blob_u64(&blob, 0);
	blob_u64(&blob, 0);
	blob_u64(&blob, 0);
}

/* Append a map as microvm has it, an unused entry at its end. */
static void add_map(void)
{
	set_u64(MEMMAP, AT + blob.len);
	blob_set_u32(&blob, NR_MEMMAP, 3);
	map_entry(0x100000, 0x1ff00000, 1);
	map_entry(0, 0xa0000, 1);
	map_entry(0, 0, 0);
}

static void add_cmdline(const char *s)
{
	set_u64(CMDLINE, AT + blob.len);
	blob_string(&blob, s);
}

static void build_sound(void)
{
	build_start_info(1);
	add_modules();
	add_map();
	add_cmdline("test=list seed=3");
}

/* Parse with the first @len bytes of the blob as all of memory, quietly. */
static int parse(size_t len)
{
	struct blob_memory memory = {AT, blob_at_edge(&blob, len), len};
	int err;

	memset(&info, 0, sizeof(info));
	quiet_begin();
	err = pvh_parse(AT, blob_memory_read, &memory, &info);
	quiet_end();
	return err;
}

static void expect_refused(int err, const char *part)
{
	unsigned long lines = printk_lines();

	EXPECT_EQ(parse(blob.len), -err);
	EXPECT_EQ(printk_lines() - lines, 1);
	EXPECT_CONTAINS(quiet_text, part);
}

TEST(pvh, version_1)
{
	build_sound();
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_STREQ(quiet_text, "");
	EXPECT_STREQ(info.protocol, "pvh");
	EXPECT_STREQ(info.cmdline, "test=list seed=3");
	EXPECT_EQ(info.rsdp, 0xf5280);
	EXPECT_EQ(info.handoff_start, AT);
	EXPECT_EQ(info.handoff_end, AT + V1_SIZE);
	REQUIRE_EQ(info.nr_modules, 2);
	EXPECT_EQ(info.modules[0].start, 0x1000000);
	EXPECT_EQ(info.modules[0].end, 0x1001234);
	EXPECT_STREQ(info.modules[0].name, "initrd quiet");
	EXPECT_STREQ(info.modules[1].name, "");
}

TEST(pvh, map_is_normalised_and_its_unused_end_no_fault)
{
	build_sound();
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_EQ(info.nr_map_dropped, 0);
	REQUIRE_EQ(info.nr_map, 2);
	EXPECT_EQ(info.map[0].start, 0);
	EXPECT_EQ(info.map[0].end, 0xa0000);
	EXPECT_EQ(info.map[1].start, 0x100000);
	EXPECT_EQ(info.map[1].end, 0x20000000);
}

/* It has no map, and what follows it is not one. */
TEST(pvh, version_0)
{
	build_start_info(0);
	set_u64(CMDLINE, 0);
	expect_refused(ENOENT, "version 0");
	EXPECT_EQ(info.rsdp, 0xf5280);
	EXPECT_EQ(info.handoff_end, AT + V0_SIZE);

	build_sound();
	blob_set_u32(&blob, VERSION, 0);
	expect_refused(ENOENT, "version 0");
}

TEST(pvh, later_versions_only_append)
{
	build_sound();
	blob_set_u32(&blob, VERSION, 7);
	EXPECT_EQ(parse(blob.len), 0);
}

TEST(pvh, nothing_but_a_map)
{
	build_start_info(1);
	add_map();
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_STREQ(info.cmdline, "");
	EXPECT_EQ(info.nr_modules, 0);
}

TEST(pvh, command_line_too_long)
{
	static char longest[BOOT_MAX_CMDLINE + 1];

	memset(longest, 'x', BOOT_MAX_CMDLINE);
	build_start_info(1);
	add_map();
	add_cmdline(longest);
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_EQ(strlen(info.cmdline), BOOT_MAX_CMDLINE - 1);
	EXPECT(info.cmdline_cut);

	build_start_info(1);
	add_map();
	add_cmdline(longest + 1);
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_EQ(strlen(info.cmdline), BOOT_MAX_CMDLINE - 1);
	EXPECT(!info.cmdline_cut);
}

TEST(pvh, magic)
{
	build_sound();
	blob_set_u32(&blob, 0, 0x12345678);
	expect_refused(EINVAL, "0x12345678");
}

TEST(pvh, addresses_that_lead_nowhere)
{
	static const uint64_t nowhere[] = {1, AT - 1, 1ul << MAX_PHYS_BITS,
					   UINT64_MAX - 3, UINT64_MAX};
	static const struct {
		size_t field;
		const char *what;
	} part[] = {
		{MODULES, "module entry"},
		{CMDLINE, "command line"},
		{MEMMAP, "memory map entry"},
	};

	for (unsigned int p = 0; p < ARRAY_SIZE(part); p++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(nowhere); i++) {
			build_sound();
			set_u64(part[p].field, nowhere[i]);
			expect_refused(EFAULT, part[p].what);
		}
	}
}

TEST(pvh, start_info_that_can_not_be_read)
{
	struct blob_memory memory = {AT, blob.bytes, 8};
	int err;

	build_sound();
	quiet_begin();
	err = pvh_parse(UINT64_MAX - 4, blob_memory_read, &memory, &info);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_EQ(err, -EFAULT);
}

TEST(pvh, huge_counts_end_soon)
{
	build_sound();
	blob_set_u32(&blob, NR_MEMMAP, UINT32_MAX);
	expect_refused(EINVAL, "4294967295 entries");

	/* Eight modules fit; the ninth tells, the others are only counted. */
	build_start_info(1);
	add_map();
	set_u64(MODULES, AT + blob.len);
	blob_set_u32(&blob, NR_MODULES, UINT32_MAX);
	blob_fill_to(&blob, blob.len + (BOOT_MAX_MODULES + 1) * 32);
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_EQ(info.nr_modules, BOOT_MAX_MODULES);
	EXPECT_EQ(info.nr_modules_dropped, UINT32_MAX - BOOT_MAX_MODULES);
	EXPECT_CONTAINS(quiet_text, "too many");
}

TEST(pvh, module_beyond_memory_is_dropped)
{
	build_sound();
	set_u64(blob_get_u32(&blob, MODULES) - AT + 8, UINT64_MAX);
	REQUIRE_EQ(parse(blob.len), 0);
	EXPECT_EQ(info.nr_modules, 1);
	EXPECT_EQ(info.modules[0].start, 0x2000000);
	EXPECT_EQ(info.nr_modules_dropped, 1);
	EXPECT_CONTAINS(quiet_text, "0x1000000");
}

TEST(pvh, no_memory_is_an_error)
{
	build_sound();
	blob_set_u32(&blob, NR_MEMMAP, 0);
	expect_refused(ENOENT, "nothing of memory");
}

/* Whatever was parsed: what came out keeps its own promises. */
static bool info_is_sound(void)
{
	bool sound = boot_map_verify(&info) && info.nr_map > 0 &&
		     info.nr_modules <= BOOT_MAX_MODULES &&
		     strlen(info.cmdline) < sizeof(info.cmdline);

	for (unsigned int i = 0; i < info.nr_modules; i++)
		sound = sound && info.modules[i].start <= info.modules[i].end;
	return sound;
}

/* The command line comes last, so nothing can be left out. */
TEST(pvh, every_truncation)
{
	build_sound();
	for (size_t len = 0; len < blob.len; len++) {
		unsigned long lines = printk_lines();

		REQUIREF(parse(len) == -EFAULT, "%zu bytes", len);
		REQUIRE_EQ(printk_lines() - lines, 1);
	}
}

TEST(pvh, random_corruption)
{
	struct rng rng;
	unsigned int accepted = 0;

	rng_seed(&rng, test_seed());
	for (unsigned int round = 0; round < 2000; round++) {
		int err;

		build_sound();
		blob_corrupt(&blob, &rng);
		err = parse(blob.len);
		REQUIREF(err == 0 || err == -EINVAL || err == -ENOENT ||
				 err == -EFAULT,
			 "round %u: %d", round, err);
		REQUIREF(err != 0 || info_is_sound(), "round %u", round);
		accepted += err == 0;
	}
	EXPECT_GT(accepted, 100);
	EXPECT_LT(accepted, 1900);
}
