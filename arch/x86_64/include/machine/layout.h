/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address map: Linux's own, so that books and tools agree. */
#ifndef MACHINE_LAYOUT_H
#define MACHINE_LAYOUT_H

#define MAX_PHYS_BITS 46

#define DIRECT_MAP_BASE 0xffff888000000000UL
#define VMALLOC_START   0xffffc90000000000UL
#define VMALLOC_END     0xffffe90000000000UL
#define VMEMMAP_BASE    0xffffea0000000000UL
#define KERNEL_BASE     0xffffffff80000000UL /* image: va = this + pa */
#define MODULES_START   0xffffffffc0000000UL
#define MODULES_END     0xffffffffff000000UL
#define FIXMAP_START    0xffffffffff000000UL
#define FIXMAP_END      0xfffffffffffff000UL

#endif
