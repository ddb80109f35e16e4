/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes of the machine, for a reader. */
#ifndef KERNEL_NODES_H
#define KERNEL_NODES_H

/*
 * Print each node's CPUs and zones, and the distances between nodes.
 * Context: thread.
 */
void nodes_print(void);

#endif
