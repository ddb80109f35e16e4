/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads that are the CPUs of the hosted machine. */
#ifndef HOSTED_CPUS_H
#define HOSTED_CPUS_H

#include <stdint.h>

/* Make the calling thread CPU 0, and keep what its per-CPU variables are now as
 * what those of each further CPU begin with. Context: once, at power-on. */
void cpus_init(void);

/* The thread of @cpu, which is online. */
uintptr_t cpus_thread(unsigned int cpu);

/* The other threads are no longer there. Context: the copy that fork() made of
 * CPU 0. */
void cpus_forked(void);

#endif
