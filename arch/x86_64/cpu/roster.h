/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPU has which APIC: CPUs are numbered in the order in which they came
 * online, whatever ids the firmware gave them.
 */
#ifndef X86_64_ROSTER_H
#define X86_64_ROSTER_H

#include "apic.h"
#include <arch/smp.h>

struct roster {
	unsigned int nr;            /* CPUs that run, from 0 on */
	uint32_t apic_id[MAX_CPUS]; /* of each */
	bool complete; /* every CPU that the firmware told of runs */
};

/* Those of this machine. */
extern struct roster roster_online;

/* Start the CPU with APIC id @apic_id as CPU @cpu. Return: 0 when it runs;
 * -ENOMEM; -ENOENT when it does not answer. */
typedef int (*roster_start_fn)(unsigned int cpu, uint32_t apic_id);

/*
 * Start by @start those CPUs of @boot that are not in @roster yet, until
 * @boot->max run, and enter them. One line for each that can't be sent to by
 * @apic or does not start, and one for those for which there is no room.
 * Context: as smp_start().
 */
void roster_start(struct roster *roster, const struct smp_boot *boot,
		  const struct apic *apic, roster_start_fn start);

#endif
