/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other CPUs when one panics. */
#ifndef LIB_PANIC_CPUS_H
#define LIB_PANIC_CPUS_H

/* Stop every other CPU for good, and print where each was. Context: panic. */
void panic_stop_cpus(void);

#endif
