/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failures on demand. A place that can fail asks should_fail() first; a test
 * arms it to fail at the Nth call, for N = 1, 2, … until a run gets through
 * without having failed: so each single failure path was taken once.
 *
 *   FAULT_ATTR(fail_page_alloc, "fail the Nth page allocation");
 *
 * also makes the boot parameter fail_page_alloc=N.
 */
#ifndef LIB_FAULT_INJECT_H
#define LIB_FAULT_INJECT_H

#include <lib/compiler.h>
#include <lib/param.h>
#include <stdatomic.h>
#include <stdbool.h>

struct fault_attr {
	unsigned long nth;           /* the call that fails; 0: off */
	_Atomic unsigned long calls; /* since armed */
	_Atomic unsigned long failed;
};

/* Defines `struct fault_attr name`, which a header may declare extern. */
#define FAULT_ATTR(name_, help_)                                               \
	struct fault_attr name_;                                               \
	PARAM_DEFINE(name_, .name = #name_, .help = (help_),                   \
		     .kind = PARAM_KIND_UINT, .size = sizeof(name_.nth),       \
		     .var = &name_.nth)

/* Make the @nth call from now fail, once; counts from 1. Calls go on to be
 * counted until fault_inject_disarm. Context: no call is under way. */
void fault_inject_arm(struct fault_attr *attr, unsigned long nth);

/* No call fails or is counted from now on; the counts stay readable. */
void fault_inject_disarm(struct fault_attr *attr);

/* The slow part of should_fail. */
bool fault_inject_hit(struct fault_attr *attr);

/* Return: true when this call has to fail. Any context. */
static inline bool should_fail(struct fault_attr *attr)
{
	return unlikely(attr->nth) && fault_inject_hit(attr);
}

#endif
