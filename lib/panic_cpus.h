/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other CPUs when one panics. */
#ifndef LIB_PANIC_CPUS_H
#define LIB_PANIC_CPUS_H

/* Stop every other CPU for good, and print where each was. Context: panic. */
void panic_stop_cpus(void);

/* Print what panic_set_context() wants to be said of @cpu. Context: panic. */
void panic_print_context(unsigned int cpu);

#endif
