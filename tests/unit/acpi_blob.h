/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ACPI tables made by hand, for the suites that read them: one blob that
 * begins with the RSDP and goes on with tables and the lists of them.
 *
 *   begin(); add_hpet(...); finish(); open_memory(blob.len);
 */
#ifndef TESTS_UNIT_ACPI_BLOB_H
#define TESTS_UNIT_ACPI_BLOB_H

#include "firmware.h"

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

/* Make the sum of the @n bytes at @at zero by means of the one at @sum_at. */
static inline void fix_sum(size_t at, size_t n, size_t sum_at)
{
	uint8_t sum = 0;

	blob.bytes[sum_at] = 0;
	for (size_t i = 0; i < n; i++)
		sum += blob.bytes[at + i];
	blob.bytes[sum_at] = -sum;
}

/* Make the table at @at sound again after a change. */
static inline void seal(size_t at)
{
	fix_sum(at, blob_get_u32(&blob, at + 4), at + 9);
}

static inline size_t table_begin(const char *signature, uint8_t revision)
{
	size_t at = blob.len;

	blob_put(&blob, signature, 4);
	blob_u32(&blob, 0);
	blob_u8(&blob, revision);
	blob_fill_to(&blob, at + HEADER);
	return at;
}

static inline void table_end(size_t at)
{
	blob_set_u32(&blob, at + 4, blob.len - at);
	seal(at);
	ASSERT(nr_tables < MAX_TABLES);
	tables[nr_tables++] = AT + at;
}

static inline void begin(void)
{
	blob.len = nr_tables = 0;
	blob_fill_to(&blob, RSDP_SIZE);
}

/* Append a list of the tables so far. Return: its offset. */
static inline size_t add_list(const char *signature, unsigned int entry_size)
{
	size_t at = table_begin(signature, 1);

	for (unsigned int i = 0; i < nr_tables; i++)
		blob_put(&blob, &tables[i], entry_size);
	blob_set_u32(&blob, at + 4, blob.len - at);
	seal(at);
	return at;
}

/* Write the RSDP; an offset of 0 for a list is none. */
static inline void set_rsdp(uint8_t revision, size_t rsdt, size_t xsdt)
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

static inline void finish(void)
{
	size_t rsdt = add_list("RSDT", 4);

	set_rsdp(2, rsdt, add_list("XSDT", 8));
}

static inline int open_memory(size_t len)
{
	memory = (struct blob_memory){AT, blob_at_edge(&blob, len), len};
	return acpi_open(&acpi, AT, blob_memory_read, &memory);
}

static inline void address(uint8_t space, uint64_t a)
{
	blob_u8(&blob, space);
	blob_u8(&blob, 64);
	blob_u8(&blob, 0);
	blob_u8(&blob, 0);
	blob_u64(&blob, a);
}

static inline size_t add_hpet(uint8_t space, uint64_t base)
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
static inline size_t add_fadt(size_t len, uint32_t port, uint32_t flags,
			      uint8_t space, uint64_t x_port)
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

static inline size_t madt_begin(void)
{
	size_t at = table_begin("APIC", 3);

	blob_u32(&blob, 0xfee00000);
	blob_u32(&blob, 1);
	return at;
}

static inline void madt_cpu(uint8_t uid, uint8_t apic_id, uint32_t flags)
{
	blob_u8(&blob, 0);
	blob_u8(&blob, 8);
	blob_u8(&blob, uid);
	blob_u8(&blob, apic_id);
	blob_u32(&blob, flags);
}

static inline void madt_x2apic(uint32_t uid, uint32_t apic_id, uint32_t flags)
{
	blob_u8(&blob, 9);
	blob_u8(&blob, 16);
	blob_u16(&blob, 0);
	blob_u32(&blob, apic_id);
	blob_u32(&blob, flags);
	blob_u32(&blob, uid);
}

static inline void madt_override(uint64_t pa)
{
	blob_u8(&blob, 5);
	blob_u8(&blob, 12);
	blob_u16(&blob, 0);
	blob_u64(&blob, pa);
}

/* An entry of another kind, @len bytes. */
static inline void other_entry(uint8_t type, uint8_t len)
{
	blob_u8(&blob, type);
	blob_u8(&blob, len);
	for (; len > 2; len--)
		blob_u8(&blob, 0xff);
}

static inline size_t add_madt(void)
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

static inline size_t srat_begin(uint8_t revision)
{
	size_t at = table_begin("SRAT", revision);

	blob_u32(&blob, 1);
	blob_u64(&blob, 0);
	return at;
}

static inline void srat_cpu(uint32_t domain, uint8_t apic_id, uint32_t flags)
{
	blob_u8(&blob, 0);
	blob_u8(&blob, 16);
	blob_u8(&blob, domain);
	blob_u8(&blob, apic_id);
	blob_u32(&blob, flags);
	blob_u32(&blob, domain & 0xffffff00); /* the SAPIC's byte is 0 */
	blob_u32(&blob, 0);
}

static inline void srat_x2apic(uint32_t domain, uint32_t apic_id,
			       uint32_t flags)
{
	blob_u8(&blob, 2);
	blob_u8(&blob, 24);
	blob_u16(&blob, 0);
	blob_u32(&blob, domain);
	blob_u32(&blob, apic_id);
	blob_u32(&blob, flags);
	blob_u64(&blob, 0);
}

static inline void srat_memory(uint32_t domain, uint64_t start, uint64_t size,
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

static inline size_t add_srat(uint8_t revision)
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

static inline size_t add_slit(uint64_t nr)
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
static inline void build_sound(void)
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

#endif
