/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUs that ACPI tells of, in the MADT (signature "APIC"): one entry for
 * each local APIC, in a short form for ids below 255 and a long one.
 */
#include <lib/firmware/acpi.h>

#include <lib/compiler.h>

/* The MADT behind its header; the entries follow. */
struct madt_body {
	uint32_t local_apic;
	uint32_t flags;
} __packed;

#define MADT_BODY    36 /* bytes from the table's start */
#define MADT_ENTRIES 44

enum madt_type {
	MADT_LOCAL_APIC = 0,
	MADT_LOCAL_APIC_OVERRIDE = 5,
	MADT_X2APIC = 9,
};

struct madt_local_apic {
	uint8_t type, length;
	uint8_t uid;
	uint8_t apic_id;
	uint32_t flags;
} __packed;

struct madt_override {
	uint8_t type, length;
	uint16_t reserved;
	uint64_t local_apic;
} __packed;

struct madt_x2apic {
	uint8_t type, length;
	uint16_t reserved;
	uint32_t apic_id;
	uint32_t flags;
	uint32_t uid;
} __packed;

#define CPU_ENABLED        (1u << 0)
#define CPU_ONLINE_CAPABLE (1u << 1)

/* Ids that address all CPUs, not one. */
#define APIC_BROADCAST   UINT8_MAX
#define X2APIC_BROADCAST UINT32_MAX

static bool known(const struct acpi_cpus *cpus, uint32_t apic_id)
{
	for (unsigned int i = 0; i < cpus->nr; i++)
		if (cpus->cpu[i].apic_id == apic_id)
			return true;
	return false;
}

static void add_cpu(struct acpi_cpus *out, uint32_t apic_id, uint32_t uid,
		    uint32_t flags)
{
	if (!(flags & (CPU_ENABLED | CPU_ONLINE_CAPABLE))) {
		out->disabled++;
		return;
	}
	if (out->nr == ACPI_MAX_CPUS || known(out, apic_id)) {
		out->dropped++;
		return;
	}
	out->cpu[out->nr++] = (struct acpi_cpu){
		.apic_id = apic_id,
		.uid = uid,
		.enabled = flags & CPU_ENABLED,
	};
}

/* Return: false when @entry is too short for its type or makes no sense. */
static bool take_entry(const struct acpi_table *madt,
		       const struct acpi_entry *entry, struct acpi_cpus *out)
{
	struct madt_local_apic cpu;
	struct madt_x2apic x2;
	struct madt_override base;

	switch (entry->type) {
	case MADT_LOCAL_APIC:
		if (!acpi_read_entry(madt, entry, &cpu, sizeof(cpu)))
			return false;
		if (cpu.apic_id != APIC_BROADCAST)
			add_cpu(out, cpu.apic_id, cpu.uid, cpu.flags);
		return true;
	case MADT_X2APIC:
		if (!acpi_read_entry(madt, entry, &x2, sizeof(x2)))
			return false;
		if (x2.apic_id != X2APIC_BROADCAST)
			add_cpu(out, x2.apic_id, x2.uid, x2.flags);
		return true;
	case MADT_LOCAL_APIC_OVERRIDE:
		if (!acpi_read_entry(madt, entry, &base, sizeof(base)) ||
		    base.local_apic >> MAX_PHYS_BITS != 0)
			return false;
		out->local_apic = base.local_apic;
		return true;
	default:
		return true;
	}
}

int acpi_cpus(const struct acpi *acpi, struct acpi_cpus *out)
{
	struct acpi_entry entry = {.next = MADT_ENTRIES};
	struct acpi_table madt;
	struct madt_body body;
	int err = acpi_find(acpi, "APIC", &madt);

	out->local_apic = 0;
	out->nr = out->disabled = out->dropped = 0;
	if (err)
		return err;
	if (!acpi_read(&madt, MADT_BODY, &body, sizeof(body)))
		return acpi_too_short(&madt);
	out->local_apic = body.local_apic;
	while ((err = acpi_next_entry(&madt, &entry)) > 0)
		if (!take_entry(&madt, &entry, out))
			out->dropped++;
	return err;
}
