/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timers that ACPI tells of: the HPET by a table of its own, the power
 * management timer by three fields of the FADT.
 */
#include <lib/firmware/acpi.h>

#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/printk.h>

/* Where a register is: ACPI's "generic address structure". */
struct acpi_address {
	uint8_t space;
	uint8_t bit_width;
	uint8_t bit_offset;
	uint8_t access_size;
	uint64_t address;
} __packed;

#define SPACE_MEMORY 0
#define SPACE_IO     1

/* The HPET table behind its header. */
struct hpet_body {
	uint32_t block_id;
	struct acpi_address base;
	uint8_t number;
	uint16_t min_tick;
	uint8_t flags;
} __packed;

#define HPET_BODY 36 /* bytes from the table's start */

/* Offsets in the FADT, in bytes. */
#define FADT_PM_TIMER   76
#define FADT_PM_LENGTH  91
#define FADT_FLAGS      112
#define FADT_X_PM_TIMER 208

#define FADT_TIMER_32_BIT     (1u << 8)
#define FADT_REDUCED_HARDWARE (1u << 20)

int acpi_hpet(const struct acpi *acpi, struct acpi_hpet *out)
{
	const pa_t limit = (pa_t)1 << MAX_PHYS_BITS;
	struct acpi_table table;
	struct hpet_body hpet;
	int err = acpi_find(acpi, "HPET", &table);

	if (err)
		return err;
	if (!acpi_read(&table, HPET_BODY, &hpet, sizeof(hpet)))
		return acpi_too_short(&table);
	if (hpet.base.space != SPACE_MEMORY || hpet.base.address == 0 ||
	    hpet.base.address >= limit) {
		printk("acpi: HPET in space %u at 0x%llx can't be used\n",
		       hpet.base.space, (unsigned long long)hpet.base.address);
		return -EINVAL;
	}
	*out = (struct acpi_hpet){
		.pa = hpet.base.address,
		.number = hpet.number,
		.min_tick = hpet.min_tick,
	};
	return 0;
}

/*
 * The port of the power management timer. The extended field, which came with
 * revision 2, counts where it is filled in.
 * Return: the port; 0 when there is none.
 */
static uint16_t pm_timer_port(const struct acpi_table *fadt)
{
	struct acpi_address x;
	uint32_t port = 0;
	uint8_t length = 0;

	if (acpi_read(fadt, FADT_X_PM_TIMER, &x, sizeof(x)) && x.address != 0)
		return x.space == SPACE_IO && x.address <= UINT16_MAX
			       ? x.address
			       : 0;
	if (!acpi_read(fadt, FADT_PM_TIMER, &port, sizeof(port)) ||
	    !acpi_read(fadt, FADT_PM_LENGTH, &length, sizeof(length)))
		return 0;
	return length == 4 && port <= UINT16_MAX ? port : 0;
}

int acpi_pm_timer(const struct acpi *acpi, struct acpi_pm_timer *out)
{
	struct acpi_table fadt;
	uint32_t flags;
	uint16_t port;
	int err = acpi_find(acpi, "FACP", &fadt);

	if (err)
		return err;
	if (!acpi_read(&fadt, FADT_FLAGS, &flags, sizeof(flags)))
		return acpi_too_short(&fadt);
	if (flags & FADT_REDUCED_HARDWARE)
		return -ENOENT;
	port = pm_timer_port(&fadt);
	if (port == 0)
		return -ENOENT;
	out->port = port;
	out->bits = flags & FADT_TIMER_32_BIT ? 32 : 24;
	return 0;
}
