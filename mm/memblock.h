/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Early memory: which physical memory there is and which of it is taken, from
 * the first moments until the page allocator takes over. See memblock.c.
 */
#ifndef MM_MEMBLOCK_H
#define MM_MEMBLOCK_H

#include <arch/boot_info.h>
#include <arch/page.h>
#include <lib/compiler.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMBLOCK_MAX_RANGES 256

/* memblock_alloc(): anywhere. */
#define MEMBLOCK_NO_LIMIT UINT64_MAX

struct memblock_range {
	pa_t start, end; /* bytes, half-open, not empty */
};

/* A set of addresses: ascending ranges, neither touching the next. */
struct memblock_set {
	const char *name;
	unsigned int nr;
	struct memblock_range range[MEMBLOCK_MAX_RANGES];
};

struct memblock {
	struct memblock_set memory;   /* all memory that is fit for use */
	struct memblock_set reserved; /* what is taken, memory or not */
	bool closed;                  /* the page allocator has it now */
};

/* The machine's. */
extern struct memblock memblock;

/*
 * Make @mb empty.
 * Context: any; nobody else uses @mb.
 */
void memblock_init(struct memblock *mb);

/*
 * Enter what the machine was handed at boot into the empty @mb: usable memory,
 * and as reserved the first MiB, every range that is not usable, the kernel
 * image, boot modules and the loader's own structures.
 * Context: boot.
 * Return: 0; -ENOSPC after one line: more ranges than fit.
 */
int memblock_add_boot_info(struct memblock *mb, const struct boot_info *info);

/*
 * Say that the @size bytes at @pa are memory (add), are none (remove), are
 * taken (reserve), or are free again (free). What was so already may be said
 * again. Removed memory stays reserved if it was.
 * Context: boot, one CPU.
 * Return: 0; -EINVAL after one line: the range is empty or wraps; -ENOSPC
 * after one line: no room for one more range. Nothing changed in either case.
 */
int memblock_add(struct memblock *mb, pa_t pa, uint64_t size);
int memblock_remove(struct memblock *mb, pa_t pa, uint64_t size);
int memblock_reserve(struct memblock *mb, pa_t pa, uint64_t size);
int memblock_free(struct memblock *mb, pa_t pa, uint64_t size);

/*
 * Take @size bytes, aligned to @align (a power of two), that end at or below
 * @limit: the highest such place. Not cleared. Never page 0.
 * Context: boot, one CPU.
 * Return: the address; 0 after one line: bad arguments, no such place, no room
 * for the range, or the page allocator took over.
 */
pa_t memblock_alloc(struct memblock *mb, uint64_t size, uint64_t align,
		    uint64_t limit);

/*
 * The same from @from on, and quiet: for callers that have another way.
 * Context: as above. Return: the address; 0.
 */
pa_t memblock_alloc_in(struct memblock *mb, uint64_t size, uint64_t align,
		       pa_t from, pa_t limit);

/*
 * Find the first free (memory, not reserved) range that ends above @from, cut
 * off below @from.
 * Context: any, while nobody changes @mb.
 * Return: true with [*start, *end); false: there is none.
 */
bool memblock_next_free(const struct memblock *mb, pa_t from, pa_t *start,
			pa_t *end);

/* The free ranges [start, end) in ascending order; both are pa_t variables. */
#define for_each_memblock_free(mb, start, end)                                 \
	for ((start) = (end) = 0;                                              \
	     memblock_next_free(mb, end, &(start), &(end));)

/*
 * Does any byte of the range [@start, @end) belong to the set?
 * Context: any, while nobody changes the set.
 */
bool memblock_overlaps(const struct memblock_set *set, pa_t start, pa_t end);

/* Bytes in a set; free bytes of @mb. Context: as above. */
uint64_t memblock_set_bytes(const struct memblock_set *set);
uint64_t memblock_free_bytes(const struct memblock *mb);

/*
 * No more allocations: the page allocator takes the free ranges.
 * Context: boot, one CPU.
 */
void memblock_close(struct memblock *mb);

/*
 * Check the invariants of both sets.
 * Return: true; false after one line that says which one is broken and where.
 */
bool memblock_verify(const struct memblock *mb);

#endif
