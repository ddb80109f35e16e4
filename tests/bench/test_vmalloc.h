/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_BENCH_TEST_VMALLOC_H
#define TESTS_BENCH_TEST_VMALLOC_H

/*
 * Run test_vmalloc as its boot parameters say, and print its report.
 * Context: may wait.
 * Return: 0; -EINVAL after one line: bad parameters, nothing was run; -1: a
 * test failed.
 */
int test_vmalloc_run(void);

#endif
