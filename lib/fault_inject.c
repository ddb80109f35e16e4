/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failures on demand: count the calls while armed, and pick the Nth. */
#include <lib/fault_inject.h>

void fault_inject_arm(struct fault_attr *attr, unsigned long nth)
{
	attr->nth = 0;
	atomic_store(&attr->calls, 0);
	atomic_store(&attr->failed, 0);
	attr->nth = nth;
}

void fault_inject_disarm(struct fault_attr *attr)
{
	attr->nth = 0;
}

bool fault_inject_hit(struct fault_attr *attr)
{
	if (atomic_fetch_add(&attr->calls, 1) + 1 != attr->nth)
		return false;
	atomic_fetch_add(&attr->failed, 1);
	return true;
}
