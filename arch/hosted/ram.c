/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RAM: a stretch of the process's address space whose first byte is physical
 * address 0. Only what the memory map calls RAM can be touched; a pointer
 * into a hole ends the process at that access.
 *
 *   0        0x9f000   1 MiB              low          4 GiB       4 GiB+high
 *   | usable | hole    | usable       | R |    hole     | usable       |
 *
 * R is the root page table at power-on, in a reserved page.
 *
 * The descriptors' address space becomes memory where the page tables of
 * arch_set_root_table() map it; so the descriptor of a hole can't be touched
 * either. (It is not the memory that they map it to, which lies unused.)
 */
#include "ram.h"
#include "os.h"

#include "tlb.h"

#include <arch/page.h>
#include <arch/pte.h>
#include <arch/tlb.h>
#include <lib/panic.h>
#include <string.h>

#define LOW_HOLE_START 0x9f000UL
#define LOW_HOLE_END   0x100000UL

/*
 * The same addresses in every run, where Linux can give them. ThreadSanitizer
 * leaves the program its first 512 GiB; AddressSanitizer has its shadow there.
 */
#ifdef THREAD_SANITIZER
#	define RAM_HINT     0x1000000000UL
#	define VMEMMAP_HINT 0x4000000000UL
#else
#	define RAM_HINT     0x200000000000UL
#	define VMEMMAP_HINT 0x300000000000UL
#endif
#define RAM_ALIGN (1UL << 30) /* of the largest page */

/* Most that a descriptor may take; mm/page.h has the real size. */
#define DESCRIPTOR_MAX 64

uintptr_t hosted_ram_base;
uintptr_t hosted_vmemmap_base;

static struct {
	pa_t start, end;
} ram[3];
static unsigned int nr_ram;
static size_t vmemmap_size; /* bytes */
static pa_t root_pa;

static int add_ram(pa_t start, pa_t end)
{
	if (start >= end)
		return 0;
	ram[nr_ram].start = start;
	ram[nr_ram].end = end;
	nr_ram++;
	return os_commit(hosted_ram_base + start, end - start);
}

static void add_map(struct boot_info *info, pa_t start, pa_t end,
		    enum mem_type type)
{
	if (start < end)
		info->map[info->nr_map++] =
			(struct mem_range){start, end, type};
}

int ram_init(size_t low, size_t high, struct boot_info *info)
{
	pa_t high_end = HIGH_RAM_START + high;
	pa_t top = high ? high_end : low;

	vmemmap_size = PAGE_ALIGN((top >> PAGE_SHIFT) * DESCRIPTOR_MAX);
	hosted_ram_base = os_reserve(RAM_HINT, top, RAM_ALIGN);
	hosted_vmemmap_base = os_reserve(VMEMMAP_HINT, vmemmap_size, PAGE_SIZE);
	if (!hosted_ram_base || !hosted_vmemmap_base)
		return -1;
	if (add_ram(0, LOW_HOLE_START) || add_ram(LOW_HOLE_END, low) ||
	    add_ram(HIGH_RAM_START, high_end))
		return -1;
	root_pa = low - PAGE_SIZE;

	add_map(info, 0, LOW_HOLE_START, MEM_USABLE);
	add_map(info, LOW_HOLE_START, LOW_HOLE_END, MEM_RESERVED);
	add_map(info, LOW_HOLE_END, root_pa, MEM_USABLE);
	add_map(info, root_pa, low, MEM_RESERVED);
	add_map(info, HIGH_RAM_START, high_end, MEM_USABLE);
	return 0;
}

bool ram_contains(pa_t pa, size_t size)
{
	for (unsigned int i = 0; i < nr_ram; i++)
		if (pa >= ram[i].start && pa < ram[i].end)
			return size <= ram[i].end - pa;
	return false;
}

static bool descriptor_memory(va_t va)
{
	struct translation t;

	return va - hosted_vmemmap_base < vmemmap_size && tlb_walk(va, &t);
}

bool ram_direct(va_t va, size_t size)
{
	return ram_contains(va - hosted_ram_base, size) ||
	       descriptor_memory(va);
}

bool boot_phys_read(void *ctx, pa_t pa, void *buf, size_t n)
{
	(void)ctx;
	if (!ram_contains(pa, n))
		return false;
	memcpy(buf, pa_to_va(pa), n);
	return true;
}

pte_t *arch_root_table(void)
{
	return pa_to_va(root_pa);
}

void arch_set_root_table(pa_t root)
{
	va_t end = hosted_vmemmap_base + vmemmap_size;

	ASSERTF(ram_contains(root, PAGE_SIZE), "root table at %#lx: not RAM",
		root);
	root_pa = root;
	tlb_flush_all_local();
	for (va_t va = hosted_vmemmap_base; va < end; va += PAGE_SIZE)
		if (descriptor_memory(va) && os_commit(va, PAGE_SIZE))
			panic("no memory for the page descriptors at %#lx", va);
}

unsigned int arch_max_leaf_level(void)
{
	return 2;
}
