/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the hosted machine's own tests: code that is meant to panic. */
#ifndef MACHINE_FORKED_H
#define MACHINE_FORKED_H

#include <stddef.h>

/*
 * Run @fn in a copy of this process, on its only CPU, and collect what it
 * prints in the @size bytes at @output, cut to fit, NUL-terminated. Context:
 * CPU 0. Return: the copy's exit status (2: it panicked); 0 when @fn returned;
 * -1 when there could be no copy, or a signal ended it.
 */
int hosted_run_forked(void (*fn)(void), char *output, size_t size);

#endif
