/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels that end badly on purpose, so that the host's verdict on each is
 * tested: selftest=NAME, a case of selftest.c or selftest_threads.c.
 */
#ifndef KERNEL_SELFTEST_H
#define KERNEL_SELFTEST_H

#include <stdbool.h>

/* Whether the command line asks for one. */
bool selftest_wanted(void);

/*
 * Run it, in place of the suites.
 * Return: false for `fail` and for a name that is none; the others do not
 * return.
 */
bool selftest_run(void);

#endif
