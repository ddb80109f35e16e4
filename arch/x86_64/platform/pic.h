/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef X86_64_PIC_H
#define X86_64_PIC_H

/*
 * Silence the legacy interrupt controllers, whose vectors at reset are those
 * of the CPU's exceptions.
 * Context: once, at boot, interrupts off.
 */
void pic_disable(void);

#endif
