/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory map: from what the firmware says to what may be relied on.
 *
 * Terms
 *   entry   what a loader passes: start, length, type. Nothing about it is
 *           trusted: entries overlap, come unsorted, are empty, wrap, or lie
 *           where no memory can be.
 *   range   what the map holds: [start, end) of one type.
 *   hole    addresses in no range. Nothing is known of them, so nothing but
 *           device drivers may use them; in particular they are not RAM.
 *   strict  a type is stricter than another when less may be done with the
 *           memory: usable < ACPI tables < ACPI NVS < reserved < bad.
 *
 * Structure
 *   An array in struct boot_info, kept in order at all times. There is no
 *   second array: this runs before there is any memory but the stack.
 *
 * Operations
 *   add        Settles the entry piece by piece, lowest address first. A piece
 *              lies either in a hole, which it fills, or within one range,
 *              which keeps it unless the entry is stricter. O(n) a piece.
 *   normalise  One pass that rounds to pages. Done last, since two halves of a
 *              page may come from two entries: both usable, the page is too.
 *   give up    When the array is full, one slot is freed at the least cost in
 *              memory: either the smallest usable range is forgotten, or two
 *              neighbouring ranges, neither usable, become one that takes in
 *              the hole between them.
 *
 * Invariants
 *   (B1) map[i].start < map[i].end <= map[i + 1].start
 *   (B2) of neighbours that touch, at most one is usable
 *   (B3) a byte of an accepted entry that is not usable is never in a usable
 *        range, whatever was added before or after and whatever was given up
 *   (B4) after normalise, boundaries are page aligned and ranges that touch
 *        differ in type
 *
 * Giving up keeps B3, because what it forgets was usable, and what it puts in
 * place of a hole or a range is as strict as the strictest part.
 */
#include <lib/firmware/boot_map.h>

#include <lib/math.h>
#include <lib/printk.h>
#include <lib/string.h>

#define PHYS_END ((pa_t)1 << MAX_PHYS_BITS)

enum mem_type boot_map_type(uint32_t e820)
{
	switch (e820) {
	case 1:
		return MEM_USABLE;
	case 3:
		return MEM_ACPI_RECLAIM;
	case 4:
		return MEM_ACPI_NVS;
	case 5:
		return MEM_BAD;
	default:
		return MEM_RESERVED;
	}
}

static bool stricter(enum mem_type a, enum mem_type b)
{
	static const unsigned char rank[] = {
		[MEM_USABLE] = 0,   [MEM_ACPI_RECLAIM] = 1, [MEM_ACPI_NVS] = 2,
		[MEM_RESERVED] = 3, [MEM_BAD] = 4,
	};

	return rank[a] > rank[b];
}

static bool fits(const struct boot_info *info, unsigned int slots)
{
	return info->nr_map + slots <= BOOT_MAX_RANGES;
}

static void insert_at(struct boot_info *info, unsigned int i,
		      struct mem_range range)
{
	memmove(&info->map[i + 1], &info->map[i],
		(info->nr_map - i) * sizeof(range));
	info->map[i] = range;
	info->nr_map++;
}

static void remove_at(struct boot_info *info, unsigned int i)
{
	info->nr_map--;
	memmove(&info->map[i], &info->map[i + 1],
		(info->nr_map - i) * sizeof(info->map[0]));
}

/* --- when the map is full ------------------------------------------------ */

/* Bytes that are or might become usable and won't be, if slot @i is freed. */
static uint64_t slot_cost(const struct boot_info *info, unsigned int i)
{
	const struct mem_range *r = &info->map[i];

	if (r->type == MEM_USABLE)
		return r->end - r->start;
	if (i + 1 < info->nr_map && r[1].type != MEM_USABLE)
		return r[1].start - r->end;
	return UINT64_MAX;
}

/* A full map has one whose cost is finite: a usable range or two others. */
static unsigned int cheapest_slot(const struct boot_info *info)
{
	unsigned int best = 0;

	for (unsigned int i = 1; i < info->nr_map; i++)
		if (slot_cost(info, i) < slot_cost(info, best))
			best = i;
	return best;
}

static void give_up_slot(struct boot_info *info, unsigned int i)
{
	struct mem_range *r = &info->map[i];

	info->nr_map_dropped++;
	if (r->type == MEM_USABLE) {
		remove_at(info, i);
		return;
	}
	r->end = r[1].end;
	if (stricter(r[1].type, r->type))
		r->type = r[1].type;
	remove_at(info, i + 1);
}

/* --- adding -------------------------------------------------------------- */

/*
 * Fill the hole @piece, which lies just before slot @i.
 * Return: where to go on: the end of the piece, or its start when a slot had
 * to be freed first and the hole may look different now.
 */
static pa_t fill(struct boot_info *info, unsigned int i, struct mem_range piece)
{
	struct mem_range *next = &info->map[i];
	struct mem_range *prev = i > 0 ? next - 1 : NULL;
	bool joins_prev =
		prev && prev->end == piece.start && prev->type == piece.type;
	bool joins_next = i < info->nr_map && next->start == piece.end &&
			  next->type == piece.type;
	unsigned int victim;

	if (joins_prev && joins_next) {
		prev->end = next->end;
		remove_at(info, i);
	} else if (joins_prev) {
		prev->end = piece.end;
	} else if (joins_next) {
		next->start = piece.start;
	} else if (fits(info, 1)) {
		insert_at(info, i, piece);
	} else {
		victim = cheapest_slot(info);
		if (piece.type != MEM_USABLE ||
		    piece.end - piece.start > slot_cost(info, victim)) {
			give_up_slot(info, victim);
			return piece.start;
		}
		info->nr_map_dropped++;
	}
	return piece.end;
}

/* Make [start, end), which lies within slot @i, a hole. */
static void cut(struct boot_info *info, unsigned int i, pa_t start, pa_t end)
{
	struct mem_range *r = &info->map[i];
	struct mem_range rest = {end, r->end, r->type};

	if (r->start < start) {
		r->end = start;
		if (end < rest.end)
			insert_at(info, i + 1, rest);
	} else if (end < r->end) {
		r->start = end;
	} else {
		remove_at(info, i);
	}
}

/*
 * Make room for @piece of a stricter type within slot @i.
 * Return: where to go on: the start of the piece, which mostly is a hole now,
 * or its end when all of the slot's range took on the stricter type, since
 * there were no slots for the parts.
 */
static pa_t override(struct boot_info *info, unsigned int i,
		     struct mem_range piece)
{
	struct mem_range *r = &info->map[i];
	unsigned int more = (r->start < piece.start) + (piece.end < r->end);

	if (r->type != MEM_USABLE && !fits(info, more)) {
		r->type = piece.type;
		info->nr_map_dropped++;
		return piece.end;
	}
	if (more == 2 && !fits(info, 1))
		give_up_slot(info, cheapest_slot(info));
	else
		cut(info, i, piece.start, piece.end);
	return piece.start;
}

/*
 * Settle the lowest piece of @entry that is all in a hole or all in one range.
 * Return: where what is left of the entry begins. Each call that returns the
 * same place as before has freed a slot or made a hole, and the next call but
 * one moves on.
 */
static pa_t settle(struct boot_info *info, struct mem_range entry)
{
	struct mem_range *r = info->map;
	unsigned int i = 0;

	for (; i < info->nr_map && r->end <= entry.start; i++)
		r++;
	if (i == info->nr_map || entry.start < r->start) {
		if (i < info->nr_map)
			entry.end = min(entry.end, r->start);
		return fill(info, i, entry);
	}
	entry.end = min(entry.end, r->end);
	if (!stricter(entry.type, r->type))
		return entry.end;
	return override(info, i, entry);
}

static void refuse(struct boot_info *info, pa_t start, uint64_t len,
		   enum mem_type type, const char *why)
{
	if (info->nr_map_dropped++ == 0)
		printk("memory map: entry 0x%llx + 0x%llx, type %u: %s\n",
		       (unsigned long long)start, (unsigned long long)len, type,
		       why);
}

void boot_map_add(struct boot_info *info, pa_t start, uint64_t len,
		  enum mem_type type)
{
	struct mem_range entry = {.start = start, .type = type};
	bool wraps = __builtin_add_overflow(start, len, &entry.end);

	if (len == 0) {
		refuse(info, start, len, type, "empty");
		return;
	}
	if (wraps && type == MEM_USABLE) {
		refuse(info, start, len, type, "wraps");
		return;
	}
	if (start >= PHYS_END) {
		refuse(info, start, len, type, "beyond any memory");
		return;
	}
	if (wraps || entry.end > PHYS_END)
		entry.end = PHYS_END;
	while (entry.start < entry.end)
		entry.start = settle(info, entry);
}

/* --- rounding ------------------------------------------------------------ */

static struct mem_range to_pages(struct mem_range r)
{
	if (r.type == MEM_USABLE) {
		r.start = PAGE_ALIGN(r.start);
		r.end = PAGE_ALIGN_DOWN(r.end);
	} else {
		r.start = PAGE_ALIGN_DOWN(r.start);
		r.end = PAGE_ALIGN(r.end);
	}
	return r;
}

/*
 * Append @r, already rounded, to the @n ranges that are finished.
 * Only ranges that are not usable grow, and they shared no byte before, so @r
 * meets at most the last page of the last range: the stricter gets it.
 * Return: how many are finished now.
 */
static unsigned int append(struct mem_range *map, unsigned int n,
			   struct mem_range r)
{
	struct mem_range *last = n > 0 ? &map[n - 1] : NULL;

	if (last && r.start < last->end) {
		if (stricter(r.type, last->type))
			last->end = r.start;
		else
			r.start = last->end;
		if (last->start == last->end)
			last = --n > 0 ? last - 1 : NULL;
	}
	if (r.start >= r.end)
		return n;
	if (last && last->end == r.start && last->type == r.type) {
		last->end = r.end;
		return n;
	}
	map[n] = r;
	return n + 1;
}

void boot_map_normalise(struct boot_info *info)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < info->nr_map; i++)
		n = append(info->map, n, to_pages(info->map[i]));
	info->nr_map = n;
}

bool boot_map_verify(const struct boot_info *info)
{
	const struct mem_range *r = info->map;

	for (unsigned int i = 0; i < info->nr_map; i++, r++) {
		bool sound = r->start < r->end && r->end <= PHYS_END &&
			     ((r->start | r->end) & ~PAGE_MASK) == 0;

		if (sound && i > 0)
			sound = r[-1].end < r->start ||
				(r[-1].end == r->start &&
				 r[-1].type != r->type);
		if (!sound) {
			printk("memory map: range %u is unsound: "
			       "0x%llx-0x%llx, type %u\n",
			       i, (unsigned long long)r->start,
			       (unsigned long long)r->end, r->type);
			return false;
		}
	}
	return true;
}
