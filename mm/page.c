/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page descriptors.
 *
 * The kernel keeps a small record about every page of memory: is it free, who
 * has it, how many users has it? The records form one array indexed by page
 * frame number, so that the way from an address to its record and back is
 * arithmetic:
 *
 *   pfn  = (va - DIRECT_MAP_BASE) / PAGE_SIZE
 *   page = vmemmap + pfn
 *
 * Terms
 *   pfn          page frame number: physical address / page size
 *   descriptor   struct page, 32 bytes: two share a cache line
 *   block        2^order pages that are free or allocated as one, aligned to
 *                their size; described by the descriptor of its first page,
 *                its head
 *   map block    the 2^MAX_ORDER pages, 4 MiB, in which a pfn lies
 *
 * Structures
 *   The array has a place for every pfn there could be, but its virtual memory
 *   is mapped only where memory is, a whole map block's descriptors (32 KiB)
 *   at a time: where one page of a map block is memory, all of the block have
 *   descriptors.
 *
 *     memory       |xxxxxx....|..........|.....xxxxx|xxxxxxxxxx|
 *     descriptors  [----------]          [---------------------]
 *
 *   page_present has one bit for each map block that has descriptors; any
 *   number can be asked about (pfn_valid()), wild pointers included. Most
 *   machines have most of their memory below the first hole, whose pfn is kept
 *   beside it: one comparison answers for those pages.
 *
 *   That rule is worth the few descriptors it wastes: the page allocator joins
 *   a block only with others in the same map block, so it never has to ask
 *   whether a neighbour's descriptor exists, nor can it fall off the end.
 *
 *   A descriptor of zeros means "no block starts here". Fresh ones are zeroed
 *   by whoever maps them, and then only heads are ever written: the boot does
 *   not touch a descriptor for each page, and joining blocks costs the same
 *   for all sizes.
 *
 * Operations
 *   all conversions, pfn_valid()     O(1), a few instructions
 *   page_init()                      O(map blocks with memory)
 *
 * Invariants
 *   P1  pfn_valid(p) <=> the map block of p overlaps a range of memory
 *   P2  type of p is not NONE  <=>  p is the head of a block, or inside a
 *       compound block (then TAIL, and .order is that block's); if it is
 *       NONE, .head is 0
 *   P3  p is the head of a block of order o  =>  p is a multiple of 2^o
 *   P4  USED, FRAG  =>  refcount > 0; FREE, KEPT  =>  refcount = 0; a slab
 *       uses the field for itself
 *
 * Locking
 *   A descriptor belongs to the owner of its block; those of free blocks to
 *   the zone, under its lock; those of kept blocks to the CPU that keeps them.
 *   References are counted atomically.
 *
 * Departures from Linux
 *   64 bytes there, and each is initialised at boot. Linux finds the state in
 *   flag bits, we have a type; tails of a compound block find their head by
 *   the block's alignment in place of a pointer. Presence is known by section
 *   (128 MiB) there, by the largest block here.
 */
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/string.h>
#include <mm/page.h>

/* Bytes of descriptors of one map block. */
#define MAP_BLOCK_BYTES (MAX_BLOCK_PAGES * sizeof(struct page))
#define MAP_BLOCK_SHIFT (PAGE_SHIFT + MAX_ORDER)

_Static_assert(MAP_BLOCK_BYTES % PAGE_SIZE == 0, "mapped in whole pages");

unsigned long *page_present;
unsigned long page_present_bits;
unsigned long page_first_hole;

/*
 * The next run of map blocks with memory, in [*start, *end), at or after the
 * block @from.
 */
static bool next_map_blocks(const struct memblock *mb, unsigned long from,
			    unsigned long *start, unsigned long *end)
{
	bool found = false;

	for (unsigned int i = 0; i < mb->memory.nr; i++) {
		const struct memblock_range *r = &mb->memory.range[i];
		unsigned long first = r->start >> MAP_BLOCK_SHIFT;
		unsigned long last = (r->end - 1) >> MAP_BLOCK_SHIFT;

		if (last < from)
			continue;
		if (found && first > *end)
			break;
		if (!found)
			*start = max(first, from);
		*end = last + 1;
		found = true;
	}
	return found;
}

bool vmemmap_next(const struct memblock *mb, va_t from, va_t *start, va_t *end)
{
	unsigned long block =
		from ? (from - VMEMMAP_BASE) / MAP_BLOCK_BYTES : 0;
	unsigned long first, last;

	if (!next_map_blocks(mb, block, &first, &last))
		return false;
	*start = VMEMMAP_BASE + first * MAP_BLOCK_BYTES;
	*end = VMEMMAP_BASE + last * MAP_BLOCK_BYTES;
	return true;
}

void page_init(struct memblock *mb)
{
	unsigned long start, end = 0, bits, bytes;
	pa_t pa;

	ASSERT(mb->memory.nr > 0);
	bits = ((mb->memory.range[mb->memory.nr - 1].end - 1) >>
		MAP_BLOCK_SHIFT) +
	       1;
	bytes = DIV_ROUND_UP(bits, 64) * sizeof(*page_present);
	pa = memblock_alloc(mb, bytes, sizeof(*page_present),
			    MEMBLOCK_NO_LIMIT);
	if (!pa)
		panic("no memory for the map of %lu blocks of pages", bits);
	page_present = memset(pa_to_va(pa), 0, bytes);
	while (next_map_blocks(mb, end, &start, &end))
		for (unsigned long b = start; b < end; b++)
			page_present[b / 64] |= 1UL << (b % 64);
	page_present_bits = bits;
	if (next_map_blocks(mb, 0, &start, &end) && start == 0)
		page_first_hole = end << MAX_ORDER;
}

void get_page(struct page *page)
{
	uint32_t before = atomic_fetch_add_explicit(
		&compound_head(page)->refcount, 1, memory_order_relaxed);

	ASSERTF(before > 0 && before < UINT32_MAX,
		"P4: get_page of pfn %#lx, %s, with %u references",
		page_to_pfn(page), page_type_name(page->type), before);
}

/* page_head() counts on this order of the fields, least significant first. */
_Static_assert(offsetof(struct page, refcount) == offsetof(struct page, head) &&
		       offsetof(struct page, type) ==
			       offsetof(struct page, head) + 4 &&
		       offsetof(struct page, order) ==
			       offsetof(struct page, head) + 5 &&
		       offsetof(struct page, zone) ==
			       offsetof(struct page, head) + 6,
	       "fields of a head");

const char *page_type_name(unsigned int type)
{
	static const char *const names[] = {
		[PAGE_NONE] = "none",
		[PAGE_FREE] = "free",
		[PAGE_KEPT] = "free, kept by a CPU",
		[PAGE_USED] = "used",
		[PAGE_SLAB] = "slab",
		[PAGE_FRAG] = "frag",
		[PAGE_TAIL] = "tail",
	};

	return type < ARRAY_SIZE(names) ? names[type] : "unknown";
}
