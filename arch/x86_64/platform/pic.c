/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The legacy interrupt controllers, a pair of 8259s. Nothing here takes
 * interrupts from them; they are moved off the exceptions' vectors, since a
 * masked controller can still send a spurious one, and masked.
 */
#include "pic.h"
#include <machine/io.h>

#define PIC_MASTER 0x20
#define PIC_SLAVE  0xa0
#define PIC_DATA   1 /* offset */

#define ICW1_INIT 0x11 /* edge triggered, a pair, four words */
#define ICW4_8086 0x01

#define PIC_VECTORS 0x20 /* eight for each */
#define SLAVE_LINE  2    /* of the master, where the slave is */
#define MASK_ALL    0xff

static void pic_setup(uint16_t port, uint8_t vectors, uint8_t wiring)
{
	outb(port, ICW1_INIT);
	outb(port + PIC_DATA, vectors);
	outb(port + PIC_DATA, wiring);
	outb(port + PIC_DATA, ICW4_8086);
	outb(port + PIC_DATA, MASK_ALL);
}

void pic_disable(void)
{
	pic_setup(PIC_MASTER, PIC_VECTORS, 1 << SLAVE_LINE);
	pic_setup(PIC_SLAVE, PIC_VECTORS + 8, SLAVE_LINE);
}
