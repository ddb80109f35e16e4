/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ACPI: the root, the tables, and what noise does to them. */
#include "acpi_blob.h"

#include <lib/errno.h>

/* --- the root ------------------------------------------------------------ */

static void expect_found(const char *signature)
{
	struct acpi_table table;

	REQUIRE_EQ(acpi_find(&acpi, signature, &table), 0);
	EXPECT_STREQ(table.signature, signature);
}

TEST(acpi, revision_2_reads_the_xsdt)
{
	build_sound();
	REQUIRE_EQ(open_memory(blob.len), 0);
	EXPECT_EQ(acpi.entry_size, 8);
	EXPECT_EQ(acpi.nr_entries, 6);
	expect_found("FACP");
	expect_found("SLIT");
}

TEST(acpi, revision_0_reads_the_rsdt)
{
	begin();
	add_hpet(0, 0xfed00000);
	set_rsdp(0, add_list("RSDT", 4), 0);
	/* What follows the first 20 bytes is not its own. */
	memset(blob.bytes + RSDP_OLD, 0xff, RSDP_SIZE - RSDP_OLD);
	REQUIRE_EQ(open_memory(blob.len), 0);
	EXPECT_EQ(acpi.entry_size, 4);
	expect_found("HPET");
}

TEST(acpi, broken_xsdt_falls_back_to_the_rsdt)
{
	size_t rsdt, xsdt;
	int err;

	begin();
	add_hpet(0, 0xfed00000);
	rsdt = add_list("RSDT", 4);
	xsdt = add_list("XSDT", 8);
	blob.bytes[xsdt + 20] ^= 1;
	set_rsdp(2, rsdt, xsdt);
	quiet_begin();
	err = open_memory(blob.len);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_CONTAINS(quiet_text, "XSDT");
	REQUIRE_EQ(err, 0);
	EXPECT_EQ(acpi.entry_size, 4);
	expect_found("HPET");

	set_rsdp(2, 0, xsdt);
	quiet_begin();
	err = open_memory(blob.len);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_EQ(err, -EINVAL);
}

/* Change the RSDP's byte at @at to @value: expect that it is refused. */
static void expect_rsdp_refused(size_t at, uint8_t value, bool fix,
				const char *part)
{
	int err;

	build_sound();
	blob.bytes[at] = value;
	if (fix) {
		fix_sum(0, RSDP_OLD, 8);
		fix_sum(0, RSDP_SIZE, 32);
	}
	quiet_begin();
	err = open_memory(blob.len);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_EQ(err, -EINVAL);
	EXPECT_CONTAINS(quiet_text, part);
	EXPECT_CONTAINS(quiet_text, "0xf5283");
}

TEST(acpi, rsdp_must_be_sound)
{
	expect_rsdp_refused(0, 'r', true, "no RSDP");
	expect_rsdp_refused(10, 'x', false, "add up to");
	expect_rsdp_refused(33, 'x', false, "add up to");
	expect_rsdp_refused(20, 35, true, "length 35");
	expect_rsdp_refused(23, 0xff, true, "length 42781");
}

TEST(acpi, old_sum_counts_for_a_new_rsdp_too)
{
	int err;

	build_sound();
	/* Moves a byte from where the first sum sees it to where not. */
	blob.bytes[10] += 1;
	blob.bytes[33] -= 1;
	quiet_begin();
	err = open_memory(blob.len);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_EQ(err, -EINVAL);
}

TEST(acpi, rsdp_that_can_not_be_read)
{
	static const pa_t nowhere[] = {0, AT - 1, AT + BLOB_MAX, UINT64_MAX};

	build_sound();
	for (unsigned int i = 0; i < ARRAY_SIZE(nowhere); i++) {
		int err;

		quiet_begin();
		err = acpi_open(&acpi, nowhere[i], blob_memory_read, &memory);
		EXPECT_EQ(quiet_end(), 1);
		EXPECT_EQ(err, -EFAULT);
		EXPECT_CONTAINS(quiet_text, "RSDP");
	}
}

TEST(acpi, list_entries_that_lead_nowhere_are_passed_over)
{
	static const pa_t nowhere[] = {
		0, 1, AT - 1, 1ul << MAX_PHYS_BITS, UINT64_MAX - 4, UINT64_MAX};

	begin();
	memcpy(tables, nowhere, sizeof(nowhere));
	nr_tables = ARRAY_SIZE(nowhere);
	add_hpet(0, 0xfed00000);
	set_rsdp(2, 0, add_list("XSDT", 8));
	REQUIRE_EQ(open_memory(blob.len), 0);
	EXPECT_EQ(acpi.nr_entries, 7);
	expect_found("HPET");
}

/* --- finding ------------------------------------------------------------- */

TEST(acpi, absent_table_is_no_fault)
{
	struct acpi_table table;
	unsigned long lines = printk_lines();

	build_sound();
	REQUIRE_EQ(open_memory(blob.len), 0);
	EXPECT_EQ(acpi_find(&acpi, "BGRT", &table), -ENOENT);
	EXPECT_EQ(printk_lines(), lines);

	begin();
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	EXPECT_EQ(acpi_find(&acpi, "HPET", &table), -ENOENT);
}

/* Expect that a HPET whose word at offset @at is @value is not found. */
static void expect_table_refused(size_t at, uint32_t value, int err,
				 const char *part)
{
	struct acpi_table table;
	size_t hpet;
	int got;

	begin();
	hpet = add_hpet(0, 0xfed00000);
	blob_set_u32(&blob, hpet + at, value);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	quiet_begin();
	got = acpi_find(&acpi, "HPET", &table);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_EQ(got, -err);
	EXPECT_CONTAINS(quiet_text, part);
}

TEST(acpi, table_must_be_sound)
{
	expect_table_refused(4, 0, EINVAL, "HPET at 0xf52a7: length 0");
	expect_table_refused(4, 35, EINVAL, "length 35");
	expect_table_refused(4, UINT32_MAX, EINVAL, "length 4294967295");
	expect_table_refused(4, (1 << 20) + 1, EINVAL, "length 1048577");
	expect_table_refused(4, 1 << 20, EFAULT, "can't read");
	expect_table_refused(44, 1, EINVAL, "add up to");
}

TEST(acpi, second_table_stands_in_for_a_broken_one)
{
	struct acpi_hpet hpet;
	size_t first;
	int err;

	begin();
	first = add_hpet(0, 0xfed00000);
	add_hpet(0, 0xfed10000);
	blob.bytes[first + 20] ^= 1;
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	quiet_begin();
	err = acpi_hpet(&acpi, &hpet);
	EXPECT_EQ(quiet_end(), 1);
	REQUIRE_EQ(err, 0);
	EXPECT_EQ(hpet.pa, 0xfed10000);
}

TEST(acpi, reads_stay_within_the_table)
{
	struct acpi_table table;
	uint8_t buf[64];

	build_sound();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_find(&acpi, "HPET", &table), 0);
	EXPECT_EQ(table.length, 56);
	EXPECT(acpi_read(&table, 0, buf, 56));
	EXPECT(acpi_read(&table, 56, buf, 0));
	EXPECT(!acpi_read(&table, 0, buf, 57));
	EXPECT(!acpi_read(&table, 55, buf, 2));
	EXPECT(!acpi_read(&table, 57, buf, 0));
	EXPECT(!acpi_read(&table, UINT32_MAX, buf, 1));
	EXPECT(!acpi_read(&table, 1, buf, SIZE_MAX));
}

/* --- tables too short ---------------------------------------------------- */

static struct acpi_cpus cpus;
static struct acpi_affinity affinity;
static struct acpi_distances distances;

static int read_hpet(void)
{
	struct acpi_hpet out;

	return acpi_hpet(&acpi, &out);
}

static int read_pm_timer(void)
{
	struct acpi_pm_timer out;

	return acpi_pm_timer(&acpi, &out);
}

static int read_cpus(void)
{
	return acpi_cpus(&acpi, &cpus);
}

static int read_affinity(void)
{
	return acpi_affinity(&acpi, &affinity);
}

static int read_distances(void)
{
	return acpi_distances(&acpi, &distances);
}

static const struct {
	const char *signature;
	size_t least;
	int (*read)(void);
} decoders[] = {
	{"HPET", 56, read_hpet},      {"FACP", 116, read_pm_timer},
	{"APIC", 44, read_cpus},      {"SRAT", 48, read_affinity},
	{"SLIT", 44, read_distances},
};

TEST(acpi, tables_too_short_for_what_they_are)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(decoders); i++) {
		for (size_t len = HEADER; len < decoders[i].least; len++) {
			size_t at;
			int err;

			begin();
			at = table_begin(decoders[i].signature, 3);
			blob_fill_to(&blob, at + len);
			table_end(at);
			finish();
			REQUIRE_EQ(open_memory(blob.len), 0);
			quiet_begin();
			err = decoders[i].read();
			REQUIRE_EQ(quiet_end(), 1);
			REQUIRE_EQ(err, -EINVAL);
			EXPECT_CONTAINS(quiet_text, decoders[i].signature);
			EXPECT_CONTAINS(quiet_text, "too short");
		}
	}
}

/* --- noise --------------------------------------------------------------- */

/* Read everything there is, whatever becomes of it. Return: tables that could
 * be decoded; -1 when a result breaks a promise. */
static int read_all(size_t len)
{
	int decoded = 0;

	if (open_memory(len) != 0)
		return 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(decoders); i++)
		decoded += decoders[i].read() == 0;
	if (cpus.nr > ACPI_MAX_CPUS || affinity.nr_cpus > ACPI_MAX_CPUS ||
	    affinity.nr_memory > ACPI_MAX_MEMORY ||
	    distances.nr > ACPI_MAX_NODES)
		return -1;
	for (unsigned int i = 0; i < affinity.nr_memory; i++)
		if (affinity.memory[i].start >= affinity.memory[i].end)
			return -1;
	return decoded;
}

TEST(acpi, every_truncation)
{
	size_t xsdt;

	build_sound();
	xsdt = blob.len - HEADER - 8 * nr_tables;
	set_rsdp(2, 0, xsdt);
	EXPECT_EQ(read_all(blob.len), 5);
	for (size_t len = 0; len < blob.len; len++) {
		int decoded;

		quiet_begin();
		decoded = read_all(len);
		quiet_end();
		/* The list comes last: without it there is nothing. */
		REQUIREF(decoded == 0, "%zu bytes: %d decoded", len, decoded);
	}
}

/* Each table as if it had been made shorter, with the sum that fits. */
TEST(acpi, every_truncation_of_a_table)
{
	build_sound();
	for (unsigned int i = 0; i < nr_tables; i++) {
		size_t at, len;

		build_sound();
		at = tables[i] - AT;
		len = blob_get_u32(&blob, at + 4);
		for (uint32_t cut = HEADER; cut < len; cut++) {
			int decoded;

			blob_set_u32(&blob, at + 4, cut);
			seal(at);
			quiet_begin();
			decoded = read_all(blob.len);
			quiet_end();
			REQUIREF(decoded >= 4, "table %u, %u bytes: %d", i, cut,
				 decoded);
		}
	}
}

/* Make all sums right that can be made right. */
static void seal_all(void)
{
	for (unsigned int i = 0; i < nr_tables; i++) {
		size_t at = tables[i] - AT;

		if (blob_get_u32(&blob, at + 4) <= blob.len - at)
			seal(at);
	}
}

TEST(acpi, random_corruption)
{
	struct rng rng;
	unsigned int decoded = 0;

	rng_seed(&rng, test_seed());
	for (unsigned int round = 0; round < 1000; round++) {
		int n;

		build_sound();
		/* Mostly with sums that say nothing is wrong. */
		blob_corrupt(&blob, &rng);
		if (rng_below(&rng, 4) > 0)
			seal_all();
		quiet_begin();
		n = read_all(blob.len);
		quiet_end();
		REQUIREF(n >= 0, "round %u", round);
		decoded += n;
	}
	EXPECT_GT(decoded, 500);
	EXPECT_LT(decoded, 4999);
}
