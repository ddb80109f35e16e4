/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Early memory.
 *
 * Before there is a page allocator, somebody has to say where memory is, who
 * has taken which part of it, and where a page table can be put. That is
 * memblock: two sets of addresses, and nothing that would need memory itself.
 *
 * Terms
 *   memory     what the firmware calls usable RAM
 *   reserved   what is taken: firmware, kernel image, boot modules, page
 *              tables, ...; may lie outside memory too
 *   free       memory less reserved; what may be given out
 *
 *     memory    [........]   [.....................]      [............]
 *     reserved  [..]    [....]         [..]
 *     free          [..]      [.......]    [.......]      [............]
 *
 * Structures
 *   A set is an array of half-open ranges, bytes, in ascending order. Adding a
 *   range swallows those that it overlaps or touches; removing one cuts. Both
 *   find the ranges concerned and replace them by none, one or two (splice()).
 *   The free ranges are not stored: memblock_next_free() walks both arrays
 *   side by side.
 *
 * Operations, for n ranges
 *   add, remove, reserve, free    O(n): one search and one move of the rest
 *   next free range               O(n)
 *   alloc                         O(n * free ranges); n is about ten
 *
 * Allocation takes the highest place that fits, so that low memory, which is
 * scarce (old devices, the trampoline that starts other CPUs), is left; and
 * one allocation lies right below the one before it, so that all of them
 * together are one range of the reserved set.
 *
 * Invariants
 *   M1  range[i].start < range[i].end           no range is empty
 *   M2  range[i].end < range[i + 1].start       ascending, and none touch
 *   M3  nr <= MEMBLOCK_MAX_RANGES
 *   M4  alloc(size) = a  =>  [a, a + size) was free and is reserved now
 *   M5  a call that fails changes nothing
 *
 * Locking
 *   None: one CPU runs while memblock is in use. When the page allocator has
 *   taken over (memblock_close()), the sets are only read.
 *
 * Departures from Linux
 *   Linux grows the arrays, which needs an allocation in the middle of an
 *   allocation; here they are fixed, sized for twice what a boot loader can
 *   hand over, and the range too many is an error with a message. There are no
 *   flags and no nodes on ranges.
 */
#include <arch/machine.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/printk.h>
#include <lib/string.h>
#include <mm/memblock.h>

/* Never given out whatever the map says: real mode, firmware, video memory. */
#define LOW_RESERVED (1UL << 20)

struct memblock memblock;

void memblock_init(struct memblock *mb)
{
	mb->memory.name = "memory";
	mb->memory.nr = 0;
	mb->reserved.name = "reserved";
	mb->reserved.nr = 0;
	mb->closed = false;
}

/* --- sets ---------------------------------------------------------------- */

/* Index of the first range that ends at or above @pa. */
static unsigned int first_ending_from(const struct memblock_set *set, pa_t pa)
{
	unsigned int i = 0;

	while (i < set->nr && set->range[i].end < pa)
		i++;
	return i;
}

/* Replace the ranges with indices in [i, j) by the @n ranges at @by. */
static int splice(struct memblock_set *set, unsigned int i, unsigned int j,
		  const struct memblock_range *by, unsigned int n)
{
	if (set->nr - (j - i) + n > MEMBLOCK_MAX_RANGES) {
		printk("memblock: no room in %s for a range at %#lx: all %u "
		       "are in use\n",
		       set->name, by->start, MEMBLOCK_MAX_RANGES);
		return -ENOSPC;
	}
	memmove(&set->range[i + n], &set->range[j],
		(set->nr - j) * sizeof(*by));
	memcpy(&set->range[i], by, n * sizeof(*by));
	set->nr = set->nr - (j - i) + n;
	return 0;
}

static int set_add(struct memblock_set *set, pa_t start, pa_t end)
{
	struct memblock_range sum = {start, end};
	unsigned int i = first_ending_from(set, start);
	unsigned int j = i;

	while (j < set->nr && set->range[j].start <= end)
		j++;
	if (i < j) {
		sum.start = min(start, set->range[i].start);
		sum.end = max(end, set->range[j - 1].end);
	}
	return splice(set, i, j, &sum, 1);
}

static int set_remove(struct memblock_set *set, pa_t start, pa_t end)
{
	struct memblock_range rest[2];
	unsigned int i = first_ending_from(set, start + 1);
	unsigned int j = i, n = 0;

	while (j < set->nr && set->range[j].start < end)
		j++;
	if (i == j)
		return 0;
	if (set->range[i].start < start)
		rest[n++] = (struct memblock_range){set->range[i].start, start};
	if (end < set->range[j - 1].end)
		rest[n++] = (struct memblock_range){end, set->range[j - 1].end};
	return splice(set, i, j, rest, n);
}

/* End of [pa, pa + size), or 0 after a line that names @what it was for. */
static pa_t checked_end(const char *what, pa_t pa, uint64_t size)
{
	pa_t end;

	if (size && !__builtin_add_overflow(pa, size, &end))
		return end;
	printk("memblock: cannot %s %#lx bytes at %#lx: the range %s\n", what,
	       size, pa, size ? "wraps" : "is empty");
	return 0;
}

int memblock_add(struct memblock *mb, pa_t pa, uint64_t size)
{
	pa_t end = checked_end("add", pa, size);

	return end ? set_add(&mb->memory, pa, end) : -EINVAL;
}

int memblock_remove(struct memblock *mb, pa_t pa, uint64_t size)
{
	pa_t end = checked_end("remove", pa, size);

	return end ? set_remove(&mb->memory, pa, end) : -EINVAL;
}

int memblock_reserve(struct memblock *mb, pa_t pa, uint64_t size)
{
	pa_t end = checked_end("reserve", pa, size);

	return end ? set_add(&mb->reserved, pa, end) : -EINVAL;
}

int memblock_free(struct memblock *mb, pa_t pa, uint64_t size)
{
	pa_t end = checked_end("free", pa, size);

	return end ? set_remove(&mb->reserved, pa, end) : -EINVAL;
}

bool memblock_overlaps(const struct memblock_set *set, pa_t start, pa_t end)
{
	for (unsigned int i = 0; i < set->nr; i++)
		if (set->range[i].start < end && start < set->range[i].end)
			return true;
	return false;
}

/* --- free ranges --------------------------------------------------------- */

bool memblock_next_free(const struct memblock *mb, pa_t from, pa_t *start,
			pa_t *end)
{
	const struct memblock_range *r = mb->reserved.range;
	const struct memblock_range *r_end = r + mb->reserved.nr;
	pa_t pos = from;

	for (unsigned int i = 0; i < mb->memory.nr; i++) {
		pa_t stop = mb->memory.range[i].end;

		pos = max(pos, mb->memory.range[i].start);
		/* Step over the reserved ranges that begin at or below pos. */
		for (; r < r_end && r->start <= pos; r++)
			pos = max(pos, r->end);
		if (pos >= stop)
			continue;
		*start = pos;
		*end = r < r_end ? min(stop, r->start) : stop;
		return true;
	}
	return false;
}

/* Highest place for an allocation in the free range [start, end); 0: none. */
static pa_t place_in(pa_t start, pa_t end, uint64_t size, uint64_t align)
{
	pa_t pa;

	start = max(start, (pa_t)PAGE_SIZE);
	if (end < start || end - start < size)
		return 0;
	pa = round_down(end - size, align);
	return pa >= start ? pa : 0;
}

/* Highest place for an allocation in free memory; 0: none, bad arguments. */
static pa_t find_place(const struct memblock *mb, uint64_t size, uint64_t align,
		       pa_t from, pa_t limit)
{
	pa_t start, end, best = 0;

	if (!size || !is_power_of_2(align) || mb->closed)
		return 0;
	for_each_memblock_free(mb, start, end) {
		start = max(start, from);
		best = max(best, place_in(start, min(end, limit), size, align));
	}
	return best;
}

/* Take the place that find_place() found. */
static pa_t take_place(struct memblock *mb, pa_t pa, uint64_t size)
{
	return pa && !set_add(&mb->reserved, pa, pa + size) ? pa : 0;
}

pa_t memblock_alloc_in(struct memblock *mb, uint64_t size, uint64_t align,
		       pa_t from, pa_t limit)
{
	return take_place(mb, find_place(mb, size, align, from, limit), size);
}

static const char *why_not(const struct memblock *mb, uint64_t size,
			   uint64_t align)
{
	if (!size)
		return "the size is 0";
	if (!is_power_of_2(align))
		return "the alignment is no power of two";
	if (mb->closed)
		return "the page allocator has the memory";
	return "no free range fits";
}

pa_t memblock_alloc(struct memblock *mb, uint64_t size, uint64_t align,
		    uint64_t limit)
{
	pa_t pa = find_place(mb, size, align, 0, limit);

	if (!pa)
		printk("memblock: cannot allocate %#lx bytes aligned to %#lx "
		       "below %#lx: %s\n",
		       size, align, limit, why_not(mb, size, align));
	return take_place(mb, pa, size);
}

uint64_t memblock_set_bytes(const struct memblock_set *set)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < set->nr; i++)
		sum += set->range[i].end - set->range[i].start;
	return sum;
}

uint64_t memblock_free_bytes(const struct memblock *mb)
{
	uint64_t sum = 0;
	pa_t start, end;

	for_each_memblock_free(mb, start, end)
		sum += end - start;
	return sum;
}

void memblock_close(struct memblock *mb)
{
	mb->closed = true;
}

/* --- what the machine was handed at boot --------------------------------- */

static int reserve_if_any(struct memblock *mb, pa_t start, pa_t end)
{
	return start < end ? memblock_reserve(mb, start, end - start) : 0;
}

static int add_map(struct memblock *mb, const struct boot_info *info)
{
	for (unsigned int i = 0; i < info->nr_map; i++) {
		const struct mem_range *r = &info->map[i];
		int err;

		if (r->start >= r->end)
			continue;
		err = r->type == MEM_USABLE
			      ? memblock_add(mb, r->start, r->end - r->start)
			      : memblock_reserve(mb, r->start,
						 r->end - r->start);
		if (err)
			return err;
	}
	return memblock_reserve(mb, 0, LOW_RESERVED);
}

int memblock_add_boot_info(struct memblock *mb, const struct boot_info *info)
{
	int err = add_map(mb, info);
	pa_t start, end;

	arch_image_range(&start, &end);
	if (!err)
		err = reserve_if_any(mb, start, end);
	for (unsigned int i = 0; !err && i < info->nr_modules; i++)
		err = reserve_if_any(mb, info->modules[i].start,
				     info->modules[i].end);
	if (!err)
		err = reserve_if_any(mb, info->handoff_start,
				     info->handoff_end);
	return err;
}

/* --- verification -------------------------------------------------------- */

static bool set_verify(const struct memblock_set *set)
{
	if (set->nr > MEMBLOCK_MAX_RANGES) {
		printk("memblock: M3: %s has %u ranges\n", set->name, set->nr);
		return false;
	}
	for (unsigned int i = 0; i < set->nr; i++) {
		const struct memblock_range *r = &set->range[i];

		if (r->start >= r->end) {
			printk("memblock: M1: %s range %u [%#lx, %#lx) is "
			       "empty\n",
			       set->name, i, r->start, r->end);
			return false;
		}
		if (i && r[-1].end >= r->start) {
			printk("memblock: M2: %s range %u ends at %#lx, the "
			       "next begins at %#lx\n",
			       set->name, i - 1, r[-1].end, r->start);
			return false;
		}
	}
	return true;
}

bool memblock_verify(const struct memblock *mb)
{
	return set_verify(&mb->memory) && set_verify(&mb->reserved);
}
