/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ACPI: from the root pointer to a verified table (ACPI Specification 6.4,
 * 5.2).
 *
 *   RSDP -> RSDT (32-bit addresses) or XSDT (64-bit) -> tables
 *
 * Each has a length and a byte that makes the sum of all its bytes zero. A
 * table is only handed out after its length is known to be between a header's
 * and TABLE_MAX and its sum is right, so whoever decodes it need only stay
 * within `length`, which acpi_read sees to. Nothing is cached: a boot looks up
 * a handful of tables once.
 */
#include <lib/firmware/acpi.h>

#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/printk.h>
#include <lib/string.h>

/* The tables read here have a few KiB; larger ones are a wrong length. */
#define TABLE_MAX (1u << 20)

struct rsdp {
	char signature[8];
	uint8_t checksum; /* of the bytes before `length` */
	char oem_id[6];
	uint8_t revision;
	uint32_t rsdt;
	/* revision 2 */
	uint32_t length;
	uint64_t xsdt;
	uint8_t extended_checksum;
	uint8_t reserved[3];
} __packed;

#define RSDP_OLD_SIZE offsetof(struct rsdp, length)

struct table_header {
	char signature[4];
	uint32_t length;
	uint8_t revision;
	uint8_t checksum;
	char oem_id[6];
	char oem_table_id[8];
	uint32_t oem_revision;
	uint32_t creator_id;
	uint32_t creator_revision;
} __packed;

struct entry_header {
	uint8_t type;
	uint8_t length;
} __packed;

static int unreadable(const char *what, pa_t pa, size_t n)
{
	printk("acpi: can't read %zu bytes of %s at 0x%llx\n", n, what,
	       (unsigned long long)pa);
	return -EFAULT;
}

/* Check that the @length bytes at @pa can be read and add up to zero. */
static int verify_sum(const struct phys_reader *mem, const char *what, pa_t pa,
		      uint32_t length)
{
	uint8_t buf[128];
	unsigned int sum = 0;

	for (uint32_t at = 0; at < length; at += sizeof(buf)) {
		size_t n = min((size_t)(length - at), sizeof(buf));

		if (!phys_read(mem, pa + at, buf, n))
			return unreadable(what, pa + at, n);
		for (size_t i = 0; i < n; i++)
			sum += buf[i];
	}
	if (sum % 256 != 0) {
		printk("acpi: %s at 0x%llx: its %u bytes add up to 0x%02x\n",
		       what, (unsigned long long)pa, length, sum % 256);
		return -EINVAL;
	}
	return 0;
}

/* Verify the table at @pa, whose header is @h. */
static int open_table(const struct phys_reader *mem, pa_t pa,
		      const struct table_header *h, struct acpi_table *table)
{
	*table = (struct acpi_table){
		.mem = *mem,
		.pa = pa,
		.length = h->length,
		.revision = h->revision,
	};
	memcpy(table->signature, h->signature, sizeof(h->signature));
	if (h->length < sizeof(*h) || h->length > TABLE_MAX) {
		printk("acpi: %s at 0x%llx: length %u\n", table->signature,
		       (unsigned long long)pa, h->length);
		return -EINVAL;
	}
	return verify_sum(mem, table->signature, pa, h->length);
}

/* --- the root ------------------------------------------------------------ */

static int read_rsdp(const struct phys_reader *mem, pa_t pa, struct rsdp *rsdp)
{
	int err;

	*rsdp = (struct rsdp){0};
	if (!phys_read(mem, pa, rsdp, RSDP_OLD_SIZE))
		return unreadable("RSDP", pa, RSDP_OLD_SIZE);
	if (memcmp(rsdp->signature, "RSD PTR ", 8) != 0) {
		printk("acpi: no RSDP at 0x%llx\n", (unsigned long long)pa);
		return -EINVAL;
	}
	err = verify_sum(mem, "RSDP", pa, RSDP_OLD_SIZE);
	if (err || rsdp->revision < 2)
		return err;
	if (!phys_read(mem, pa, rsdp, sizeof(*rsdp)))
		return unreadable("RSDP", pa, sizeof(*rsdp));
	if (rsdp->length < sizeof(*rsdp) || rsdp->length > TABLE_MAX) {
		printk("acpi: RSDP at 0x%llx: length %u\n",
		       (unsigned long long)pa, rsdp->length);
		return -EINVAL;
	}
	return verify_sum(mem, "RSDP", pa, rsdp->length);
}

/* Open the list of tables at @pa, whose entries are of @entry_size bytes. */
static int open_list(struct acpi *acpi, pa_t pa, const char *signature,
		     unsigned int entry_size)
{
	struct table_header h;
	struct acpi_table list;
	int err;

	if (!phys_read(&acpi->mem, pa, &h, sizeof(h)))
		return unreadable(signature, pa, sizeof(h));
	if (memcmp(h.signature, signature, sizeof(h.signature)) != 0) {
		printk("acpi: no %s at 0x%llx\n", signature,
		       (unsigned long long)pa);
		return -EINVAL;
	}
	err = open_table(&acpi->mem, pa, &h, &list);
	if (err)
		return err;
	acpi->entries = pa + sizeof(h);
	acpi->entry_size = entry_size;
	acpi->nr_entries = (h.length - sizeof(h)) / entry_size;
	return 0;
}

int acpi_open(struct acpi *acpi, pa_t pa, phys_read_fn read, void *ctx)
{
	struct rsdp rsdp;
	int err;

	*acpi = (struct acpi){.mem = {.read = read, .ctx = ctx}};
	err = read_rsdp(&acpi->mem, pa, &rsdp);
	if (err)
		return err;
	if (rsdp.xsdt != 0) {
		err = open_list(acpi, rsdp.xsdt, "XSDT", 8);
		if (err == 0 || rsdp.rsdt == 0)
			return err;
	}
	return open_list(acpi, rsdp.rsdt, "RSDT", 4);
}

/* --- tables -------------------------------------------------------------- */

/* Address of the table that entry @i of the list names; 0: none told. */
static pa_t table_address(const struct acpi *acpi, unsigned int i)
{
	uint64_t pa = 0; /* little endian: the low bytes come first */

	if (!phys_read(&acpi->mem, acpi->entries + i * acpi->entry_size, &pa,
		       acpi->entry_size))
		return 0;
	return pa;
}

int acpi_find(const struct acpi *acpi, const char *signature,
	      struct acpi_table *table)
{
	struct table_header h;
	int err = -ENOENT;

	for (unsigned int i = 0; i < acpi->nr_entries; i++) {
		pa_t pa = table_address(acpi, i);

		if (pa == 0 || !phys_read(&acpi->mem, pa, &h, sizeof(h)) ||
		    memcmp(h.signature, signature, sizeof(h.signature)) != 0)
			continue;
		err = open_table(&acpi->mem, pa, &h, table);
		if (!err)
			return 0;
	}
	return err;
}

bool acpi_read(const struct acpi_table *table, uint32_t offset, void *buf,
	       size_t n)
{
	return offset <= table->length && n <= table->length - offset &&
	       phys_read(&table->mem, table->pa + offset, buf, n);
}

int acpi_next_entry(const struct acpi_table *table, struct acpi_entry *entry)
{
	struct entry_header h = {0};

	if (entry->next == table->length)
		return 0;
	entry->offset = entry->next;
	if (!acpi_read(table, entry->offset, &h, sizeof(h)) ||
	    h.length < sizeof(h) || h.length > table->length - entry->offset) {
		printk("acpi: %s: entry of %u bytes at offset %u of %u\n",
		       table->signature, h.length, entry->offset,
		       table->length);
		return -EINVAL;
	}
	entry->type = h.type;
	entry->length = h.length;
	entry->next = entry->offset + h.length;
	return 1;
}

bool acpi_read_entry(const struct acpi_table *table,
		     const struct acpi_entry *entry, void *buf, size_t n)
{
	return n <= entry->length && acpi_read(table, entry->offset, buf, n);
}

int acpi_too_short(const struct acpi_table *table)
{
	printk("acpi: %s at 0x%llx: %u bytes are too short\n", table->signature,
	       (unsigned long long)table->pa, table->length);
	return -EINVAL;
}
