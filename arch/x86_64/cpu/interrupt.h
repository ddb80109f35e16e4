/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts: what each vector runs. The entries are in interrupt_entry.S; what
 * they call is here, each in interrupt context with interrupts off.
 */
#ifndef X86_64_INTERRUPT_H
#define X86_64_INTERRUPT_H

#include "local_apic.h"
#include <common/ipi.h>
#include <stdint.h>

/* The entry of @vector; NULL: it is no interrupt of ours. */
const void *interrupt_entry(unsigned int vector);

/* The tick. */
void timer_interrupt(void);

#endif
