/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page tables: map, unmap, protect, look up, dump.
 *
 * Every function takes the root table that it works on: arch_root_table() for
 * the kernel's own, pgtable_create() for a scratch tree. Addresses are page
 * aligned and ranges half-open. Nothing here flushes a TLB: whoever unmaps or
 * changes a mapping flushes before the old one may matter.
 */
#ifndef MM_PGTABLE_H
#define MM_PGTABLE_H

#include <arch/pte.h>
#include <lib/panic.h>
#include <mm/gfp.h>
#include <mm/page.h>

/*
 * Before the kernel's own tree is in force, physical memory is reachable at
 * its direct-map address only below this: what the early allocator gives out
 * for tables and descriptors lies there.
 */
#define EARLY_DIRECT_MAP_END ((pa_t)4 << 30)

/* One leaf, or a run of equal ones: [start, end) with one protection. */
struct pgtable_range {
	va_t start, end;
	pa_t pa; /* behind start */
	pgprot_t prot;
	unsigned int level; /* of the leaves: 0 is 4 KiB, 1 2 MiB, 2 1 GiB */
};

/*
 * An empty tree.
 * Context: as @gfp says.
 * Return: its root table; NULL when there is no memory.
 */
pte_t *pgtable_create(gfp_t gfp);

/*
 * Free every table of the tree at @root, not the memory that it maps. For
 * trees that no CPU translates through.
 * Context: any; the same allocator is in charge as when the tree was made.
 */
void pgtable_destroy(pte_t *root);

/*
 * Map [start, end) to physical memory from @pa on, with leaves up to level
 * @max_level, the largest that alignment and the tables in place allow.
 * Context: as @gfp says.
 * Return: 0; -EINVAL for a range that is empty, unaligned or wraps, or for
 * memory both writable and executable; -EEXIST when something is mapped there;
 * -ENOMEM. After an error nothing is mapped that was not before.
 */
int pgtable_map_range(pte_t *root, va_t start, va_t end, pa_t pa, pgprot_t prot,
		      unsigned int max_level, gfp_t gfp);

/*
 * Map the @nr pages of @pages from @start on, one walk per table.
 * Context: as @gfp says.
 * Return: as pgtable_map_range(); -EINVAL when a page is NULL.
 */
int pgtable_map_pages(pte_t *root, va_t start, struct page *const *pages,
		      size_t nr, pgprot_t prot, gfp_t gfp);

/*
 * Make the table of level 0 that maps the addresses around @va, if it is not
 * there. It stays.
 * Context: as @gfp says.
 * Return: 0 with the table in *@table; -ENOMEM; -EEXIST where a large leaf
 * lies.
 */
int pgtable_table(pte_t *root, va_t va, gfp_t gfp, pte_t **table);

/*
 * Take out of the tree the table of level 0 that maps the addresses around @va,
 * and in which no entry is set. It may be freed once every CPU was flushed.
 * Context: any; nobody maps there meanwhile.
 * Return: the table; NULL when there is none.
 */
pte_t *pgtable_unlink(pte_t *root, va_t va);

/* Free a table that pgtable_unlink() gave. Context: any. */
void pgtable_free_table(pte_t *table);

/* Make the empty @slot a leaf as @like is, for @page. Any context. */
static __always_inline void pgtable_write(pte_t *slot, const struct page *page,
					  pte_t like)
{
	DEBUG_ASSERT(pte_none(pte_get(slot)));
	DEBUG_ASSERT(page_valid(page));
	pte_set(slot, pte_at(like, page_to_pa(page)));
}

/*
 * Write the @n entries from @slot on, all none and in one table, for @pages.
 * Context: any.
 * Return: how many: up to the first page that is NULL.
 */
static __always_inline size_t pgtable_write_pages(pte_t *slot,
						  struct page *const *pages,
						  size_t n, pgprot_t prot)
{
	const pte_t like = likely(prot == PAGE_KERNEL)
				   ? pte_make(0, PAGE_KERNEL, 0)
				   : pte_make(0, prot, 0);
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		if (unlikely(!pages[i] || !pages[i + 1] || !pages[i + 2] ||
			     !pages[i + 3]))
			break;
		pgtable_write(&slot[i], pages[i], like);
		pgtable_write(&slot[i + 1], pages[i + 1], like);
		pgtable_write(&slot[i + 2], pages[i + 2], like);
		pgtable_write(&slot[i + 3], pages[i + 3], like);
	}
	for (; i < n && pages[i]; i++)
		pgtable_write(&slot[i], pages[i], like);
	return i;
}

/* Clear the @n entries from @slot on, a cache line at a time. Any context. */
static __always_inline void pgtable_clear(pte_t *slot, size_t n)
{
	if (n == 1) {
		pte_clear(slot);
		return;
	}
	for (; n >= 8; n -= 8, slot += 8) {
		pte_clear(&slot[0]);
		pte_clear(&slot[1]);
		pte_clear(&slot[2]);
		pte_clear(&slot[3]);
		pte_clear(&slot[4]);
		pte_clear(&slot[5]);
		pte_clear(&slot[6]);
		pte_clear(&slot[7]);
	}
	for (; n; n--, slot++)
		pte_clear(slot);
}

/*
 * Clear every entry of [start, end); holes are passed over, tables stay. A
 * large leaf has to lie inside as a whole.
 * Context: any; needs no memory.
 */
void pgtable_unmap(pte_t *root, va_t start, va_t end);

/*
 * Change the protection of what is mapped in [start, end); holes stay holes.
 * Large leaves that reach out of the range are split first.
 * Context: as @gfp says.
 * Return: 0; -EINVAL as for pgtable_map_range(); -ENOMEM, and then no
 * protection was changed.
 */
int pgtable_protect(pte_t *root, va_t start, va_t end, pgprot_t prot,
		    gfp_t gfp);

/*
 * The leaf that maps @va, whole, written to @leaf.
 * Context: any.
 * Return: false when @va is not mapped.
 */
bool pgtable_walk(const pte_t *root, va_t va, struct pgtable_range *leaf);

/* From *@slot, an entry of @level, to the entry below it on the way to @va.
 * Return: false when it does not point to a table. */
static inline bool pgtable_step(const pte_t **slot, va_t va, unsigned int level)
{
	pte_t pte = pte_get(*slot);

	if (!pte_table(pte, level))
		return false;
	*slot = (const pte_t *)pa_to_va(pte_table_pa(pte)) +
		pt_index(va, level - 1);
	return true;
}

/*
 * The lowest entry on the way to @va: a leaf or none, its level in @level. One
 * step per level, written out: every look-up and unmap goes this way.
 * Context: any.
 */
static inline const pte_t *pgtable_slot(const pte_t *root, va_t va,
					unsigned int *level)
{
	const pte_t *slot = &root[pt_index(va, 3)];

	static_assert(PT_LEVELS == 4, "steps from level 3 to level 0");
	if (!pgtable_step(&slot, va, 3))
		*level = 3;
	else if (!pgtable_step(&slot, va, 2))
		*level = 2;
	else if (!pgtable_step(&slot, va, 1))
		*level = 1;
	else
		*level = 0;
	return slot;
}

/*
 * The physical address that @va is mapped to.
 * Context: any.
 * Return: 0 when @va is not mapped (page 0 never is).
 */
static inline pa_t pgtable_translate(const pte_t *root, va_t va)
{
	unsigned int level;
	pte_t pte = pte_get(pgtable_slot(root, va, &level));

	if (!pte_leaf(pte, level))
		return 0;
	return pte_pa(pte, level) | (va & ((1UL << pt_shift(level)) - 1));
}

/* Called with each range of a tree; false ends the iteration. */
typedef bool pgtable_emit_fn(void *ctx, const struct pgtable_range *range);

/*
 * Call @emit for what is mapped in [start, end), in address order, adjacent
 * leaves of one size and protection merged into one range.
 * Context: any, as far as @emit goes.
 */
void pgtable_for_each_range(const pte_t *root, va_t start, va_t end,
			    pgtable_emit_fn *emit, void *ctx);

/*
 * Print the ranges mapped in [start, end), a line each:
 * `0xffff888000001000-0xffff888000200000 2044K rw- 4K`.
 * Context: any.
 */
void pgtable_dump(const pte_t *root, va_t start, va_t end);

/*
 * Tables in all trees, made minus destroyed: pages that are kept, not leaked.
 * Context: any.
 */
size_t pgtable_nr_tables(void);

#endif
