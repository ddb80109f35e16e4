/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For stress tests: so many rounds, or as many as there is time for. Where CPUs
 * are threads of a busy host, each wake-up of another CPU may take
 * milliseconds.
 */
#ifndef TESTS_UNIT_KERNEL_BUDGET_H
#define TESTS_UNIT_KERNEL_BUDGET_H

#include <kernel/timer.h>

#define BUDGET_NS 300000000UL

/* Run the statement with @i from 0 up to below @rounds, while there is time. */
#define for_budget(i, rounds)                                                  \
	for (uint64_t until_ = timer_now_ns() + BUDGET_NS, i = 0;              \
	     i < (rounds) && timer_now_ns() < until_; i++)

#endif
