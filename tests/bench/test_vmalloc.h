/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_BENCH_TEST_VMALLOC_H
#define TESTS_BENCH_TEST_VMALLOC_H

#include <stdbool.h>

/*
 * Run test_vmalloc as its boot parameters say, and print its report.
 * Context: may wait.
 * Return: NULL; why it failed: a parameter was refused, and nothing run, or a
 * test failed.
 */
const char *test_vmalloc_run(void);

/*
 * Have a thread of its own call @work(@number). Defined where there are
 * threads; else NULL.
 * Return: false when there is no memory.
 */
bool test_vmalloc_start(void (*work)(unsigned int number), unsigned int number)
	__attribute__((weak));

#endif
