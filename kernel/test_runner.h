/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test code on several CPUs at once, by bound threads. */
#ifndef KERNEL_TEST_RUNNER_H
#define KERNEL_TEST_RUNNER_H

/* Be the runner of test_run_on_cpus(). Context: boot, once, after
 * thread_init(). */
void test_runner_init(void);

#endif
