/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ACPI's static tables: found, verified, and decoded into plain structures.
 *
 * Every function that fails prints one line with the values; only the absence
 * of a table, which is no fault, is silent (-ENOENT).
 */
#ifndef LIB_FIRMWARE_ACPI_H
#define LIB_FIRMWARE_ACPI_H

#include <arch/page.h>
#include <lib/firmware/phys.h>
#include <stdbool.h>

#define ACPI_MAX_CPUS   64
#define ACPI_MAX_NODES  16
#define ACPI_MAX_MEMORY 64

/* --- the root and the tables --------------------------------------------- */

/* The list of tables. */
struct acpi {
	struct phys_reader mem;
	pa_t entries;            /* the list's first address, unaligned */
	unsigned int entry_size; /* 4 in an RSDT, 8 in an XSDT */
	unsigned int nr_entries;
};

/* One table, verified: its length makes sense and its bytes add up. */
struct acpi_table {
	struct phys_reader mem;
	pa_t pa;
	uint32_t length; /* bytes, header included */
	uint8_t revision;
	char signature[5];
};

/*
 * Verify the root pointer at @rsdp and the list of tables that it names: the
 * XSDT where there is a sound one, else the RSDT.
 * Context: any in which @read may be called.
 * Return: 0; -EFAULT when memory can't be read; -EINVAL when a signature,
 * length or checksum is wrong.
 */
int acpi_open(struct acpi *acpi, pa_t rsdp, phys_read_fn read, void *ctx);

/*
 * Find the first sound table with @signature (four letters). List entries that
 * can't be read are passed over.
 * Context: as above.
 * Return: 0; -ENOENT when there is none; -EINVAL or -EFAULT when there are only
 * broken ones.
 */
int acpi_find(const struct acpi *acpi, const char *signature,
	      struct acpi_table *table);

/*
 * Copy @n bytes at @offset of @table to @buf.
 * Context: as above.
 * Return: true; false when they are not within the table or can't be read.
 */
bool acpi_read(const struct acpi_table *table, uint32_t offset, void *buf,
	       size_t n);

/* A place in the list of entries that makes up the rest of a MADT or SRAT. */
struct acpi_entry {
	uint32_t next;   /* offset of the entry to come; set it to begin */
	uint32_t offset; /* of this entry, from the table's start */
	uint8_t type;
	uint8_t length; /* bytes, type and length included */
};

/*
 * Step to the next entry of @table's list. The list always ends: an entry that
 * is shorter than its own header, or runs past the table's end, stops it.
 * Context: as above.
 * Return: 1; 0 at the end; -EINVAL for such an entry.
 */
int acpi_next_entry(const struct acpi_table *table, struct acpi_entry *entry);

/*
 * Copy the first @n bytes of @entry to @buf.
 * Context: as above.
 * Return: true; false when it is shorter or can't be read.
 */
bool acpi_read_entry(const struct acpi_table *table,
		     const struct acpi_entry *entry, void *buf, size_t n);

/*
 * Say that @table is too short for what it must hold.
 * Context: any.
 * Return: -EINVAL.
 */
int acpi_too_short(const struct acpi_table *table);

/* --- timers -------------------------------------------------------------- */

struct acpi_hpet {
	pa_t pa; /* of the register block */
	uint8_t number;
	uint16_t min_tick; /* shortest period in periodic mode */
};

/*
 * Read the HPET table.
 * Context: as above.
 * Return: 0; as acpi_find; -EINVAL when it makes no sense.
 */
int acpi_hpet(const struct acpi *acpi, struct acpi_hpet *out);

struct acpi_pm_timer {
	uint16_t port;
	uint8_t bits; /* 24 or 32: where the counter wraps */
};

/*
 * Read from the FADT where the power management timer is.
 * Context: as above.
 * Return: 0; as acpi_find; -ENOENT also when the machine has no such timer or
 * not at an I/O port; -EINVAL when the table is too short.
 */
int acpi_pm_timer(const struct acpi *acpi, struct acpi_pm_timer *out);

/* --- CPUs ---------------------------------------------------------------- */

struct acpi_cpu {
	uint32_t apic_id;
	uint32_t uid; /* ACPI's own number for it */
	bool enabled; /* else it may come online later */
};

struct acpi_cpus {
	pa_t local_apic; /* register block, the override applied; 0: none */
	struct acpi_cpu cpu[ACPI_MAX_CPUS];
	unsigned int nr;
	unsigned int disabled; /* entries for CPUs that are not there */
	unsigned int dropped;  /* too many, too short, the same id again */
};

/*
 * Read the CPUs from the MADT into @out, in the table's order.
 * Context: as above.
 * Return: 0; as acpi_find; -EINVAL when the list is broken: @out then has what
 * came before.
 */
int acpi_cpus(const struct acpi *acpi, struct acpi_cpus *out);

/* --- nodes --------------------------------------------------------------- */

struct acpi_cpu_affinity {
	uint32_t apic_id;
	uint32_t domain; /* proximity domain: any number */
};

struct acpi_memory_affinity {
	pa_t start, end;
	uint32_t domain;
	bool hotplug;
};

struct acpi_affinity {
	struct acpi_cpu_affinity cpu[ACPI_MAX_CPUS];
	unsigned int nr_cpus;
	struct acpi_memory_affinity memory[ACPI_MAX_MEMORY];
	unsigned int nr_memory;
	unsigned int dropped; /* too many, too short, empty, wrapping */
};

/*
 * Read from the SRAT which node CPUs and memory belong to. Entries that are
 * not enabled are left out.
 * Context: as above.
 * Return: as acpi_cpus.
 */
int acpi_affinity(const struct acpi *acpi, struct acpi_affinity *out);

#define ACPI_LOCAL_DISTANCE 10
#define ACPI_UNREACHABLE    255

struct acpi_distances {
	/* [from][to], relative: 10 is a node's own memory */
	uint8_t distance[ACPI_MAX_NODES][ACPI_MAX_NODES];
	unsigned int nr;
	unsigned int dropped; /* nodes beyond ACPI_MAX_NODES */
};

/*
 * Read the distances between proximity domains 0..nr - 1 from the SLIT.
 * Context: as above.
 * Return: 0; as acpi_find; -EINVAL when the matrix is cut short, or a distance
 * is below that of local memory, or a node's own is not just that.
 */
int acpi_distances(const struct acpi *acpi, struct acpi_distances *out);

#endif
