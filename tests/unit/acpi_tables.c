/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ACPI: what the tables say of timers, CPUs and nodes. */
#include "acpi_blob.h"

#include <lib/errno.h>

/* --- timers -------------------------------------------------------------- */

TEST(acpi_tables, hpet)
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

TEST(acpi_tables, hpet_that_can_not_be_used)
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

TEST(acpi_tables, pm_timer)
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

/* --- CPUs ---------------------------------------------------------------- */

static struct acpi_cpus cpus;

static void expect_cpu(unsigned int i, uint32_t apic_id, uint32_t uid,
		       bool enabled)
{
	REQUIRE_LT(i, cpus.nr);
	EXPECT_EQ(cpus.cpu[i].apic_id, apic_id);
	EXPECT_EQ(cpus.cpu[i].uid, uid);
	EXPECT_EQ(cpus.cpu[i].enabled, enabled);
}

TEST(acpi_tables, cpus)
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

TEST(acpi_tables, no_table_tells_of_no_cpus)
{
	begin();
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	cpus.local_apic = cpus.nr = cpus.disabled = cpus.dropped = 1;
	EXPECT_EQ(acpi_cpus(&acpi, &cpus), -ENOENT);
	EXPECT_EQ(cpus.local_apic, 0);
	EXPECT_EQ(cpus.nr, 0);
	EXPECT_EQ(cpus.disabled, 0);
	EXPECT_EQ(cpus.dropped, 0);
}

TEST(acpi_tables, local_apic_override)
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

TEST(acpi_tables, cpus_beyond_the_table_and_twice)
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
TEST(acpi_tables, broken_entries_end_the_list)
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

TEST(acpi_tables, half_an_entry_header_ends_the_list)
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

TEST(acpi_tables, entries_too_short_for_their_type_are_dropped)
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

/* --- nodes --------------------------------------------------------------- */

static struct acpi_affinity affinity;
static struct acpi_distances distances;

TEST(acpi_tables, affinity)
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

TEST(acpi_tables, domains_of_revision_1_are_bytes)
{
	begin();
	add_srat(1);
	finish();
	REQUIRE_EQ(open_memory(blob.len), 0);
	REQUIRE_EQ(acpi_affinity(&acpi, &affinity), 0);
	EXPECT_EQ(affinity.cpu[0].domain, 0);
	EXPECT_EQ(affinity.memory[2].domain, 1);
}

TEST(acpi_tables, affinity_that_makes_no_sense_is_dropped)
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

TEST(acpi_tables, affinity_beyond_the_tables_is_dropped)
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

TEST(acpi_tables, distances)
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

TEST(acpi_tables, nodes_beyond_the_matrix_are_dropped)
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

TEST(acpi_tables, distances_must_make_sense)
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
TEST(acpi_tables, number_of_nodes_whose_square_wraps)
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
