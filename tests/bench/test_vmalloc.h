/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_BENCH_TEST_VMALLOC_H
#define TESTS_BENCH_TEST_VMALLOC_H

/*
 * Run test_vmalloc as its boot parameters say, and print its report.
 * Context: may wait.
 * Return: NULL; why it failed: a parameter was refused, and nothing run, or a
 * test failed.
 */
const char *test_vmalloc_run(void);

#endif
