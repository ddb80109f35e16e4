/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The address map of the hosted machine. vmalloc space keeps its kernel
 * addresses, since nothing reads it but through <arch/va.h>; RAM and the page
 * descriptors lie where mmap put them.
 */
#ifndef MACHINE_LAYOUT_H
#define MACHINE_LAYOUT_H

#include <stdint.h>

#define MAX_PHYS_BITS 46

extern uintptr_t hosted_ram_base;     /* host address of physical 0 */
extern uintptr_t hosted_vmemmap_base; /* host address of pfn 0's descriptor */

#define DIRECT_MAP_BASE hosted_ram_base
#define VMEMMAP_BASE    hosted_vmemmap_base
#define VMALLOC_START   0xffffc90000000000UL
#define VMALLOC_END     0xffffe90000000000UL
#define MODULES_START   0xffffffffc0000000UL
#define MODULES_END     0xffffffffff000000UL
#define FIXMAP_START    0xffffffffff000000UL
#define FIXMAP_END      0xfffffffffffff000UL

#endif
