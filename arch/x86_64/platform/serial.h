/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef X86_64_SERIAL_H
#define X86_64_SERIAL_H

/*
 * Wait until the last byte written is on the line; bounded like a write.
 * Context: any.
 */
void console_drain(void);

#endif
