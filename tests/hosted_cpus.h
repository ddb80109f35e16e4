/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPUs of the hosted machine, at work for tests. */
#ifndef TESTS_HOSTED_CPUS_H
#define TESTS_HOSTED_CPUS_H

/* Start as many CPUs as the word cpus= says and have them run the tests' code:
 * test_run_on_cpus(). Context: CPU 0, memory is up. */
void hosted_cpus_start(void);

#endif
