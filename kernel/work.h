/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel was booted to do. */
#ifndef KERNEL_WORK_H
#define KERNEL_WORK_H

#include <stdbool.h>

/*
 * Run what the boot parameters ask for: test= and bench= run only what they
 * name, without either all suites and then all timings run. Then, unless
 * prompt=0, the prompt.
 * @cmdline is what the words came from.
 * Context: thread, once everything is up.
 * Return: whether all of it passed.
 */
bool work_run(const char *cmdline);

#endif
