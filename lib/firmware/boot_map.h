/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory map under construction: entries come from the firmware in any
 * order and shape and leave sorted, disjoint and page aligned.
 */
#ifndef LIB_FIRMWARE_BOOT_MAP_H
#define LIB_FIRMWARE_BOOT_MAP_H

#include <arch/boot_info.h>
#include <stdbool.h>

/*
 * The type that the firmware's number @e820 (1 usable, 2 reserved, 3 ACPI
 * tables, 4 ACPI NVS, 5 bad) stands for.
 * Context: any.
 * Return: the type; MEM_RESERVED for every other number.
 */
enum mem_type boot_map_type(uint32_t e820);

/*
 * Take the @len bytes from @start into @info's map as @type; where they meet
 * what is there already, the more restrictive type wins.
 * Memory beyond MAX_PHYS_BITS is left out. An entry that wraps is refused
 * when usable, else taken up to the last address. Refused entries, and those
 * given up because the map is full, count in @info->nr_map_dropped; the first
 * is printed. Giving up makes memory unusable, never usable.
 * Context: any; the caller owns @info. O(ranges) a call.
 */
void boot_map_add(struct boot_info *info, pa_t start, uint64_t len,
		  enum mem_type type);

/*
 * Round @info's map to pages, usable ranges inward and all others outward,
 * and merge neighbours of one type. More entries may be added afterwards, if
 * this is then called again.
 * Context: as above.
 */
void boot_map_normalise(struct boot_info *info);

/*
 * Check that @info's map is sorted, disjoint, merged, page aligned and within
 * MAX_PHYS_BITS.
 * Context: as above.
 * Return: true when it is; else false, after a line that names the range.
 */
bool boot_map_verify(const struct boot_info *info);

#endif
