/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the per-CPU variables of each CPU are. */
#include <arch/percpu.h>

ptrdiff_t per_cpu_offsets[MAX_CPUS];
DEFINE_PER_CPU(ptrdiff_t, this_cpu_offset);
