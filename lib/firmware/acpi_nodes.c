/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NUMA nodes: the SRAT says which proximity domain CPUs and memory belong to,
 * the SLIT how far the domains are from each other.
 */
#include <lib/firmware/acpi.h>

#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/printk.h>

#define SRAT_ENTRIES 48 /* bytes from the table's start */

enum srat_type {
	SRAT_CPU = 0,
	SRAT_MEMORY = 1,
	SRAT_X2APIC_CPU = 2,
};

struct srat_cpu {
	uint8_t type, length;
	uint8_t domain_low;
	uint8_t apic_id;
	uint32_t flags;
	uint8_t sapic_eid;
	uint8_t domain_high[3];
	uint32_t clock_domain;
} __packed;

struct srat_memory {
	uint8_t type, length;
	uint32_t domain;
	uint16_t reserved1;
	uint64_t start, size;
	uint32_t reserved2;
	uint32_t flags;
	uint64_t reserved3;
} __packed;

struct srat_x2apic_cpu {
	uint8_t type, length;
	uint16_t reserved1;
	uint32_t domain;
	uint32_t apic_id;
	uint32_t flags;
	uint32_t clock_domain;
	uint32_t reserved2;
} __packed;

#define SRAT_ENABLED        (1u << 0)
#define SRAT_MEMORY_HOTPLUG (1u << 1)

#define SLIT_NR   36 /* offset of the number of domains, 64 bits */
#define SLIT_BODY 44 /* of the matrix, one byte a distance, row by row */

/* Revision 1 had domains of 8 bits and left the other bits to chance. */
static uint32_t domain(const struct acpi_table *srat, uint32_t told)
{
	return srat->revision < 2 ? told & 0xff : told;
}

static uint32_t cpu_domain(const struct srat_cpu *cpu)
{
	return cpu->domain_low | cpu->domain_high[0] << 8 |
	       cpu->domain_high[1] << 16 | (uint32_t)cpu->domain_high[2] << 24;
}

static bool add_cpu(struct acpi_affinity *out, uint32_t apic_id, uint32_t node)
{
	if (out->nr_cpus == ACPI_MAX_CPUS)
		return false;
	out->cpu[out->nr_cpus++] = (struct acpi_cpu_affinity){
		.apic_id = apic_id,
		.domain = node,
	};
	return true;
}

static bool add_memory(struct acpi_affinity *out, const struct srat_memory *m,
		       uint32_t node)
{
	const pa_t limit = (pa_t)1 << MAX_PHYS_BITS;

	if (out->nr_memory == ACPI_MAX_MEMORY || m->size == 0 ||
	    m->start >= limit || m->size > limit - m->start)
		return false;
	out->memory[out->nr_memory++] = (struct acpi_memory_affinity){
		.start = m->start,
		.end = m->start + m->size,
		.domain = node,
		.hotplug = m->flags & SRAT_MEMORY_HOTPLUG,
	};
	return true;
}

/* Return: false when the entry is to be counted as dropped. */
static bool take_entry(const struct acpi_table *srat,
		       const struct acpi_entry *entry,
		       struct acpi_affinity *out)
{
	struct srat_cpu cpu;
	struct srat_memory memory;
	struct srat_x2apic_cpu x2;

	switch (entry->type) {
	case SRAT_CPU:
		if (!acpi_read_entry(srat, entry, &cpu, sizeof(cpu)))
			return false;
		return !(cpu.flags & SRAT_ENABLED) ||
		       add_cpu(out, cpu.apic_id,
			       domain(srat, cpu_domain(&cpu)));
	case SRAT_MEMORY:
		if (!acpi_read_entry(srat, entry, &memory, sizeof(memory)))
			return false;
		return !(memory.flags & SRAT_ENABLED) ||
		       add_memory(out, &memory, domain(srat, memory.domain));
	case SRAT_X2APIC_CPU:
		if (!acpi_read_entry(srat, entry, &x2, sizeof(x2)))
			return false;
		return !(x2.flags & SRAT_ENABLED) ||
		       add_cpu(out, x2.apic_id, x2.domain);
	default:
		return true;
	}
}

int acpi_affinity(const struct acpi *acpi, struct acpi_affinity *out)
{
	struct acpi_entry entry = {.next = SRAT_ENTRIES};
	struct acpi_table srat;
	int err = acpi_find(acpi, "SRAT", &srat);

	out->nr_cpus = out->nr_memory = out->dropped = 0;
	if (err)
		return err;
	if (srat.length < SRAT_ENTRIES)
		return acpi_too_short(&srat);
	while ((err = acpi_next_entry(&srat, &entry)) > 0)
		if (!take_entry(&srat, &entry, out))
			out->dropped++;
	return err;
}

/* Check row @from of the matrix, @nr distances. */
static int check_distances(unsigned int from, const uint8_t *row,
			   unsigned int nr)
{
	for (unsigned int to = 0; to < nr; to++) {
		if (from == to ? row[to] == ACPI_LOCAL_DISTANCE
			       : row[to] >= ACPI_LOCAL_DISTANCE)
			continue;
		printk("acpi: SLIT: distance %u from node %u to node %u\n",
		       row[to], from, to);
		return -EINVAL;
	}
	return 0;
}

int acpi_distances(const struct acpi *acpi, struct acpi_distances *out)
{
	struct acpi_table slit;
	uint64_t nr;
	int err = acpi_find(acpi, "SLIT", &slit);

	out->nr = out->dropped = 0;
	if (err)
		return err;
	if (!acpi_read(&slit, SLIT_NR, &nr, sizeof(nr)) || nr > UINT16_MAX ||
	    nr * nr > slit.length - SLIT_BODY)
		return acpi_too_short(&slit);
	out->nr = min(nr, (uint64_t)ACPI_MAX_NODES);
	out->dropped = nr - out->nr;
	for (unsigned int i = 0; i < out->nr && !err; i++) {
		if (!acpi_read(&slit, SLIT_BODY + i * nr, out->distance[i],
			       out->nr))
			return acpi_too_short(&slit);
		err = check_distances(i, out->distance[i], out->nr);
	}
	return err;
}
