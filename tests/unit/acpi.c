/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ACPI: tables made by hand, broken in every way that tables are. */
#include "firmware.h"

#include <lib/errno.h>
#include <lib/firmware/acpi.h>

#define AT         0xf5283 /* where the blob lies, physically; unaligned */
#define RSDP_SIZE  36
#define RSDP_OLD   20
#define HEADER     36
#define MAX_TABLES 8

static struct blob blob; /* begins with the RSDP */
static pa_t tables[MAX_TABLES];
static unsigned int nr_tables;
static struct blob_memory memory;
static struct acpi acpi;

/* --- a builder -------------------------------------------------------------
 */

/* Make the sum of the @n bytes at @at zero by means of the one at @sum_at. */
static void fix_sum(size_t at, size_t n, size_t sum_at)
{
	uint8_t sum = 0;

	blob.bytes[sum_at] = 0;
	for (size_t i = 0; i < n; i++)
		sum += blob.bytes[at + i];
	blob.bytes[sum_at] = -sum;
}

/* Make the table at @at sound again after a change. */
static void seal(size_t at)
{
	fix_sum(at, blob_get_u32(&blob, at + 4), at + 9);
}

static size_t table_begin(const char *signature, uint8_t revision)
{
	size_t at = blob.len;

	blob_put(&blob, signature, 4);
	blob_u32(&blob, 0);
	blob_u8(&blob, revision);
	blob_fill_to(&blob, at + HEADER);
	return at;
}

static void table_end(size_t at)
{
	blob_set_u32(&blob, at + 4, blob.len - at);
	seal(at);
	ASSERT(nr_tables < MAX_TABLES);
	tables[nr_tables++] = AT + at;
}

static void begin(void)
{
	blob.len = nr_tables = 0;
	blob_fill_to(&blob, RSDP_SIZE);
}

/* Append a list of the tables so far. Return: its offset. */
static size_t add_list(const char *signature, unsigned int entry_size)
{
	size_t at = table_begin(signature, 1);

	for (unsigned int i = 0; i < nr_tables; i++)
		blob_put(&blob, &tables[i], entry_size);
	blob_set_u32(&blob, at + 4, blob.len - at);
	seal(at);
	return at;
}

/* Write the RSDP; an offset of 0 for a list is none. */
static void set_rsdp(uint8_t revision, size_t rsdt, size_t xsdt)
{
	uint64_t xsdt_pa = xsdt ? AT + xsdt : 0;

	memset(blob.bytes, 0, RSDP_SIZE);
	memcpy(blob.bytes, "RSD PTR ", 8);
	blob.bytes[15] = revision;
	blob_set_u32(&blob, 16, rsdt ? AT + rsdt : 0);
	fix_sum(0, RSDP_OLD, 8);
	if (revision < 2)
		return;
	blob_set_u32(&blob, 20, RSDP_SIZE);
	memcpy(blob.bytes + 24, &xsdt_pa, sizeof(xsdt_pa));
	fix_sum(0, RSDP_SIZE, 32);
}

static void finish(void)
{
	size_t rsdt = add_list("RSDT", 4);

	set_rsdp(2, rsdt, add_list("XSDT", 8));
}

static int open_memory(size_t len)
{
	memory = (struct blob_memory){AT, blob_at_edge(&blob, len), len};
	return acpi_open(&acpi, AT, blob_memory_read, &memory);
}

static void address(uint8_t space, uint64_t a)
{
	blob_u8(&blob, space);
	blob_u8(&blob, 64);
	blob_u8(&blob, 0);
	blob_u8(&blob, 0);
	blob_u64(&blob, a);
}

static size_t add_hpet(uint8_t space, uint64_t base)
{
	size_t at = table_begin("HPET", 1);

	blob_u32(&blob, 0x8086a201);
	address(space, base);
	blob_u8(&blob, 3);
	blob_u16(&blob, 0x1234);
	blob_u8(&blob, 0);
	table_end(at);
	return at;
}

/* A FADT of @len bytes; those of its fields that fit in there. */
static size_t add_fadt(size_t len, uint32_t port, uint32_t flags, uint8_t space,
		       uint64_t x_port)
{
	size_t at = table_begin("FACP", len < 244 ? 1 : 3);

	blob_fill_to(&blob, at + 76);
	blob_u32(&blob, port);
	blob_fill_to(&blob, at + 91);
	blob_u8(&blob, port ? 4 : 0);
	blob_fill_to(&blob, at + 112);
	blob_u32(&blob, flags);
	if (len >= 220) {
		blob_fill_to(&blob, at + 208);
		address(space, x_port);
	}
	blob_fill_to(&blob, at + len);
	blob.len = at + len;
	table_end(at);
	return at;
}

static size_t madt_begin(void)
{
	size_t at = table_begin("APIC", 3);

	blob_u32(&blob, 0xfee00000);
	blob_u32(&blob, 1);
	return at;
}

static void madt_cpu(uint8_t uid, uint8_t apic_id, uint32_t flags)
{
	blob_u8(&blob, 0);
	blob_u8(&blob, 8);
	blob_u8(&blob, uid);
	blob_u8(&blob, apic_id);
	blob_u32(&blob, flags);
}

static void madt_x2apic(uint32_t uid, uint32_t apic_id, uint32_t flags)
{
	blob_u8(&blob, 9);
	blob_u8(&blob, 16);
	blob_u16(&blob, 0);
	blob_u32(&blob, apic_id);
	blob_u32(&blob, flags);
	blob_u32(&blob, uid);
}

static void madt_override(uint64_t pa)
{
	blob_u8(&blob, 5);
	blob_u8(&blob, 12);
	blob_u16(&blob, 0);
	blob_u64(&blob, pa);
}

/* An entry of another kind, @len bytes. */
static void other_entry(uint8_t type, uint8_t len)
{
	blob_u8(&blob, type);
	blob_u8(&blob, len);
	for (; len > 2; len--)
		blob_u8(&blob, 0xff);
}

static size_t add_madt(void)
{
	size_t at = madt_begin();

	madt_cpu(0, 0, 1);
	madt_cpu(1, 2, 3);
	madt_cpu(2, 4, 0);
	madt_cpu(3, 6, 2);
	madt_cpu(4, 0xff, 1);
	other_entry(1, 12);
	madt_x2apic(5, 0x12345, 1);
	table_end(at);
	return at;
}

static size_t srat_begin(uint8_t revision)
{
	size_t at = table_begin("SRAT", revision);

	blob_u32(&blob, 1);
	blob_u64(&blob, 0);
	return at;
}

static void srat_cpu(uint32_t domain, uint8_t apic_id, uint32_t flags)
{
	blob_u8(&blob, 0);
	blob_u8(&blob, 16);
	blob_u8(&blob, domain);
	blob_u8(&blob, apic_id);
	blob_u32(&blob, flags);
	blob_u32(&blob, domain & 0xffffff00); /* the SAPIC's byte is 0 */
	blob_u32(&blob, 0);
}

static void srat_x2apic(uint32_t domain, uint32_t apic_id, uint32_t flags)
{
	blob_u8(&blob, 2);
	blob_u8(&blob, 24);
	blob_u16(&blob, 0);
	blob_u32(&blob, domain);
	blob_u32(&blob, apic_id);
	blob_u32(&blob, flags);
	blob_u64(&blob, 0);
}

static void srat_memory(uint32_t domain, uint64_t start, uint64_t size,
			uint32_t flags)
{
	blob_u8(&blob, 1);
	blob_u8(&blob, 40);
	blob_u32(&blob, domain);
	blob_u16(&blob, 0);
	blob_u64(&blob, start);
	blob_u64(&blob, size);
	blob_u32(&blob, 0);
	blob_u32(&blob, flags);
	blob_u64(&blob, 0);
}

static size_t add_srat(uint8_t revision)
{
	size_t at = srat_begin(revision);

	srat_cpu(0x01020300, 0, 1);
	srat_cpu(1, 2, 1);
	srat_cpu(1, 9, 0);
	srat_memory(0, 0, 0xa0000, 1);
	srat_memory(0, 0x100000, 0x7ff00000, 1);
	srat_memory(0xabcd01, 0x100000000, 0x80000000, 3);
	srat_memory(1, 0, 0, 0);
	srat_x2apic(0x10000, 0x12345, 1);
	table_end(at);
	return at;
}

static size_t add_slit(uint64_t nr)
{
	size_t at = table_begin("SLIT", 1);

	blob_u64(&blob, nr);
	for (uint64_t i = 0; i < nr; i++)
		for (uint64_t j = 0; j < nr; j++)
			blob_u8(&blob, i == j ? 10 : 20 + i + j);
	table_end(at);
	return at;
}

/* Every table that there is, one that nobody asks for among them. */
static void build_sound(void)
{
	begin();
	add_fadt(244, 0x608, 1 << 8, 1, 0x608);
	table_end(table_begin("MCFG", 1));
	add_hpet(0, 0xfed00000);
	add_madt();
	add_srat(3);
	add_slit(3);
	finish();
}

/* --- the root --------------------------------------------------------------
 */

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

/* --- finding ---------------------------------------------------------------
 */

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

/* --- timers ----------------------------------------------------------------
 */

TEST(acpi, hpet)
{
	struct acpi_hpet hpet;

	build_sound();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_hpet(&acpi, &hpet), 0);
	EXPECT_EQ(hpet.pa, 0xfed00000);
	EXPECT_EQ(hpet.number, 3);
	EXPECT_EQ(hpet.min_tick, 0x1234);
}

static void expect_hpet_refused(uint8_t space, uint64_t base)
{
	struct acpi_hpet hpet;
	int err;

	begin();
	add_hpet(space, base);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	quiet_begin();
	err = acpi_hpet(&acpi, &hpet);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_EQ(err, -EINVAL);
}

TEST(acpi, hpet_that_can_not_be_used)
{
	expect_hpet_refused(0, 0);
	expect_hpet_refused(1, 0xfed00000);
	expect_hpet_refused(0, 1ul << MAX_PHYS_BITS);
}

/* Expect the timer that such a FADT tells of; a port of 0: none. */
static void expect_timer(uint16_t port, uint8_t bits)
{
	struct acpi_pm_timer timer = {0};
	unsigned long lines = printk_lines();

	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	EXPECT_EQ(acpi_pm_timer(&acpi, &timer), port ? 0 : -ENOENT);
	EXPECT_EQ(timer.port, port);
	EXPECT_EQ(timer.bits, bits);
	EXPECT_EQ(printk_lines(), lines);
}

TEST(acpi, pm_timer)
{
	size_t at;

	begin();
	add_fadt(116, 0x608, 0, 0, 0);
	expect_timer(0x608, 24);

	begin();
	add_fadt(244, 0x608, 1 << 8, 1, 0x1808);
	expect_timer(0x1808, 32);

	/* The extended field is not filled in, or not there. */
	begin();
	add_fadt(244, 0x608, 1 << 8, 1, 0);
	expect_timer(0x608, 32);
	begin();
	add_fadt(219, 0x608, 1 << 8, 1, 0);
	expect_timer(0x608, 32);

	/* No timer; in memory; not a port; hardware-reduced. */
	begin();
	add_fadt(244, 0, 0, 1, 0);
	expect_timer(0, 0);
	begin();
	add_fadt(244, 0x608, 0, 0, 0x1808);
	expect_timer(0, 0);
	begin();
	add_fadt(244, 0x608, 0, 1, 0x10000);
	expect_timer(0, 0);
	begin();
	add_fadt(116, 0x10608, 0, 1, 0);
	expect_timer(0, 0);
	begin();
	add_fadt(244, 0x608, 1 << 20, 1, 0x608);
	expect_timer(0, 0);
	/* A port, of which the block has no bytes. */
	begin();
	at = add_fadt(116, 0x608, 0, 1, 0);
	blob.bytes[at + 91] = 0;
	seal(at);
	expect_timer(0, 0);
}

/* --- tables too short ------------------------------------------------------
 */

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

/* --- CPUs ------------------------------------------------------------------
 */

static void expect_cpu(unsigned int i, uint32_t apic_id, uint32_t uid,
		       bool enabled)
{
	REQUIRE_LT(i, cpus.nr);
	EXPECT_EQ(cpus.cpu[i].apic_id, apic_id);
	EXPECT_EQ(cpus.cpu[i].uid, uid);
	EXPECT_EQ(cpus.cpu[i].enabled, enabled);
}

TEST(acpi, cpus)
{
	build_sound();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_cpus(&acpi, &cpus), 0);
	EXPECT_EQ(cpus.local_apic, 0xfee00000);
	EXPECT_EQ(cpus.nr, 4);
	EXPECT_EQ(cpus.disabled, 1);
	EXPECT_EQ(cpus.dropped, 0);
	expect_cpu(0, 0, 0, true);
	expect_cpu(1, 2, 1, true);
	expect_cpu(2, 6, 3, false);
	expect_cpu(3, 0x12345, 5, true);
}

TEST(acpi, local_apic_override)
{
	size_t at;

	begin();
	at = madt_begin();
	madt_override(0x100000000);
	madt_override(1ul << MAX_PHYS_BITS);
	table_end(at);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_cpus(&acpi, &cpus), 0);
	EXPECT_EQ(cpus.local_apic, 0x100000000);
	EXPECT_EQ(cpus.dropped, 1);
}

TEST(acpi, cpus_beyond_the_table_and_twice)
{
	size_t at;

	begin();
	at = madt_begin();
	for (unsigned int i = 0; i < ACPI_MAX_CPUS; i++)
		madt_cpu(i, i, 1);
	madt_cpu(7, 7, 1);
	madt_x2apic(7, 7, 1);
	madt_cpu(200, 200, 1);
	table_end(at);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_cpus(&acpi, &cpus), 0);
	EXPECT_EQ(cpus.nr, ACPI_MAX_CPUS);
	EXPECT_EQ(cpus.dropped, 3);

	/* The same id twice is told apart from a full table. */
	begin();
	at = madt_begin();
	madt_cpu(0, 7, 1);
	madt_x2apic(1, 7, 1);
	table_end(at);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_cpus(&acpi, &cpus), 0);
	EXPECT_EQ(cpus.nr, 1);
	EXPECT_EQ(cpus.dropped, 1);
}

/* Entries that end the list: no header, no length, past the end. */
TEST(acpi, broken_entries_end_the_list)
{
	static const uint8_t bad[][2] = {{0, 0}, {0, 1}, {0, 9}, {200, 255}};

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		size_t at;
		int err;

		begin();
		at = madt_begin();
		madt_cpu(0, 0, 1);
		madt_cpu(1, 1, 1);
		blob_put(&blob, bad[i], 2);
		blob_fill_to(&blob, at + 44 + 24);
		table_end(at);
		finish();
		REQUIRE_EQ(open_memory(blob.len), 0);
		quiet_begin();
		err = acpi_cpus(&acpi, &cpus);
		EXPECT_EQ(quiet_end(), 1);
		EXPECT_EQ(err, -EINVAL);
		EXPECT_CONTAINS(quiet_text, "at offset 60 of 68");
		/* What came before counts. */
		EXPECT_EQ(cpus.nr, 2);
	}
}

TEST(acpi, half_an_entry_header_ends_the_list)
{
	size_t at;
	int err;

	begin();
	at = madt_begin();
	madt_cpu(0, 0, 1);
	blob_u8(&blob, 0);
	table_end(at);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	quiet_begin();
	err = acpi_cpus(&acpi, &cpus);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_EQ(err, -EINVAL);
	EXPECT_EQ(cpus.nr, 1);
}

TEST(acpi, entries_too_short_for_their_type_are_dropped)
{
	size_t at;

	begin();
	at = madt_begin();
	other_entry(0, 7);
	other_entry(5, 11);
	other_entry(9, 15);
	other_entry(0, 2);
	madt_cpu(0, 0, 1);
	table_end(at);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_cpus(&acpi, &cpus), 0);
	EXPECT_EQ(cpus.nr, 1);
	EXPECT_EQ(cpus.dropped, 4);
	EXPECT_EQ(cpus.local_apic, 0xfee00000);
}

/* --- nodes -----------------------------------------------------------------
 */

TEST(acpi, affinity)
{
	build_sound();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_affinity(&acpi, &affinity), 0);
	EXPECT_EQ(affinity.dropped, 0);
	REQUIRE_EQ(affinity.nr_cpus, 3);
	EXPECT_EQ(affinity.cpu[0].domain, 0x01020300);
	EXPECT_EQ(affinity.cpu[1].apic_id, 2);
	EXPECT_EQ(affinity.cpu[1].domain, 1);
	EXPECT_EQ(affinity.cpu[2].apic_id, 0x12345);
	EXPECT_EQ(affinity.cpu[2].domain, 0x10000);
	REQUIRE_EQ(affinity.nr_memory, 3);
	EXPECT_EQ(affinity.memory[1].start, 0x100000);
	EXPECT_EQ(affinity.memory[1].end, 0x80000000);
	EXPECT(!affinity.memory[1].hotplug);
	EXPECT_EQ(affinity.memory[2].domain, 0xabcd01);
	EXPECT_EQ(affinity.memory[2].end, 0x180000000);
	EXPECT(affinity.memory[2].hotplug);
}

TEST(acpi, domains_of_revision_1_are_bytes)
{
	begin();
	add_srat(1);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_affinity(&acpi, &affinity), 0);
	EXPECT_EQ(affinity.cpu[0].domain, 0);
	EXPECT_EQ(affinity.memory[2].domain, 1);
}

TEST(acpi, affinity_that_makes_no_sense_is_dropped)
{
	size_t at;

	begin();
	at = srat_begin(3);
	srat_memory(0, 0x1000, 0, 1);
	srat_memory(0, UINT64_MAX - 10, 20, 1);
	srat_memory(0, 0x1000, UINT64_MAX, 1);
	srat_memory(0, 1ul << MAX_PHYS_BITS, 1, 1);
	srat_memory(3, (1ul << MAX_PHYS_BITS) - 1, 1, 1);
	other_entry(0, 15);
	other_entry(1, 39);
	other_entry(2, 23);
	table_end(at);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_affinity(&acpi, &affinity), 0);
	EXPECT_EQ(affinity.nr_cpus, 0);
	EXPECT_EQ(affinity.nr_memory, 1);
	EXPECT_EQ(affinity.memory[0].domain, 3);
	EXPECT_EQ(affinity.dropped, 7);
}

TEST(acpi, affinity_beyond_the_tables_is_dropped)
{
	size_t at;

	begin();
	at = srat_begin(3);
	for (unsigned int i = 0; i < ACPI_MAX_CPUS + 2; i++)
		srat_x2apic(i, i, 1);
	for (unsigned int i = 0; i < ACPI_MAX_MEMORY + 3; i++)
		srat_memory(i, i * 0x1000, 0x1000, 1);
	table_end(at);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_affinity(&acpi, &affinity), 0);
	EXPECT_EQ(affinity.nr_cpus, ACPI_MAX_CPUS);
	EXPECT_EQ(affinity.nr_memory, ACPI_MAX_MEMORY);
	EXPECT_EQ(affinity.dropped, 5);
}

TEST(acpi, distances)
{
	build_sound();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_distances(&acpi, &distances), 0);
	EXPECT_EQ(distances.nr, 3);
	EXPECT_EQ(distances.dropped, 0);
	EXPECT_EQ(distances.distance[0][0], 10);
	EXPECT_EQ(distances.distance[0][2], 22);
	EXPECT_EQ(distances.distance[2][1], 23);
}

TEST(acpi, nodes_beyond_the_matrix_are_dropped)
{
	begin();
	add_slit(ACPI_MAX_NODES + 2);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_distances(&acpi, &distances), 0);
	EXPECT_EQ(distances.nr, ACPI_MAX_NODES);
	EXPECT_EQ(distances.dropped, 2);
	/* Rows are as long as the table says. */
	EXPECT_EQ(distances.distance[1][0], 21);
	EXPECT_EQ(distances.distance[ACPI_MAX_NODES - 1][1],
		  20 + ACPI_MAX_NODES);
}

/* Expect an error when the byte at offset @at of a 3-node SLIT is @value. */
static void expect_slit_refused(size_t at, uint8_t value, const char *part)
{
	size_t slit;
	int err;

	begin();
	slit = add_slit(3);
	blob.bytes[slit + at] = value;
	seal(slit);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	quiet_begin();
	err = acpi_distances(&acpi, &distances);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_EQ(err, -EINVAL);
	EXPECT_CONTAINS(quiet_text, part);
}

TEST(acpi, distances_must_make_sense)
{
	expect_slit_refused(36, 4, "too short");
	expect_slit_refused(39, 1, "too short");
	expect_slit_refused(40, 1, "too short");
	expect_slit_refused(43, 0x80, "too short");
	expect_slit_refused(44, 11, "distance 11 from node 0 to node 0");
	expect_slit_refused(44 + 5, 9, "distance 9 from node 1 to node 2");
	expect_slit_refused(44 + 8, 0, "distance 0 from node 2 to node 2");
}

/* The square of 2^32 has 64 bits of zeroes: less than any matrix. */
TEST(acpi, number_of_nodes_whose_square_wraps)
{
	size_t slit;
	int err;

	begin();
	slit = add_slit(5);
	blob_set_u32(&blob, slit + 36, 0);
	blob_set_u32(&blob, slit + 40, 1);
	seal(slit);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	quiet_begin();
	err = acpi_distances(&acpi, &distances);
	EXPECT_EQ(quiet_end(), 1);
	EXPECT_EQ(err, -EINVAL);
	EXPECT_CONTAINS(quiet_text, "too short");
}

/* --- noise -----------------------------------------------------------------
 */

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
