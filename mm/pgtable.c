/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page tables.
 *
 * Terms
 *	table	PT_ENTRIES entries on one page; the tree has PT_LEVELS levels
 *		of them, level 0 at the bottom, one root
 *	leaf	an entry that maps memory: 4 KiB at level 0, 2 MiB at level 1,
 *		1 GiB at level 2
 *	run	neighbouring entries of one table, worked on in one loop
 *
 * Structures
 *	Nothing beside the tables themselves, which the machine reads too. A
 *	table is found at the direct-map address of the memory it lies in.
 *
 * Operations
 *	Going down to a table costs one load per level. Everything that works
 *	on a range goes down once per table, not once per page, and then
 *	writes the run: n pages cost n stores and n / 512 descents.
 *
 *	map	first finds the slot empty, so a mapping is never overwritten:
 *		an occupied slot undoes what this call wrote, and is an error.
 *	unmap	only clears entries. It needs no memory, and so cannot fail: a
 *		free must not depend on an allocation. The tables stay, for
 *		the next user of the addresses; vmalloc space thus keeps a
 *		table for each 2 MiB that was ever in use (0.2 % of it).
 *	protect	may have to split large leaves. It does all splits before the
 *		first change, so that it fails before it changed anything; a
 *		split by itself changes no translation.
 *
 *	An entry that was present may be remembered by a TLB, also when map
 *	wrote it and took it back: the caller flushes before the addresses are
 *	used again. An entry that was absent is never remembered.
 *
 * Invariants
 *	P1	an entry of level l covers the va aligned to 2^pt_shift(l)
 *	P2	no leaf is both PROT_WRITE and PROT_EXEC
 *	P3	an entry of level l > 0 is none, a leaf, or points to a table of
 *		level l - 1; once it points to a table it does so for good,
 *		but for level 1, whose tables pgtable_unlink() takes out
 *	P4	nr_tables == tables made - tables destroyed
 *
 * Locking
 *	Two callers may work in one tree at once as long as their ranges are
 *	disjoint, which the owner of the addresses sees to. They meet only
 *	where both miss the same table: pgtable_lock decides whose is linked.
 *	It is taken for that alone, with interrupts off, below the locks of
 *	the areas and above those of the page allocator; no memory is
 *	allocated under it. Readers take no lock: by P3 a table that was
 *	reached stays valid.
 *
 * Departures from Linux
 *	One tree, one loop over numbered levels in place of a type and a set of
 *	functions per level. No lock per table and no reference counts: tables
 *	of the kernel's half are never freed.
 */
#include <arch/va.h>
#include <lib/compiler.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/panic.h>
#include <lib/printk.h>
#include <lib/spinlock.h>
#include <lib/string.h>
#include <mm/memblock.h>
#include <mm/page_alloc.h>
#include <mm/pgtable.h>

static spinlock_t pgtable_lock = SPINLOCK_INIT;
static size_t nr_tables; /* (pgtable_lock) */

static size_t leaf_size(unsigned int level)
{
	return 1UL << pt_shift(level);
}

static pte_t *table_of(pte_t pte)
{
	return pa_to_va(pte_table_pa(pte));
}

/* Where the entry of @level that covers @va ends, at most @end. */
static va_t entry_end(va_t va, va_t end, unsigned int level)
{
	size_t rest = leaf_size(level) - (va & (leaf_size(level) - 1));

	return end - va > rest ? va + rest : end;
}

/* Whole entries of @level in [va, end), up to the end of their table. */
static size_t run_length(va_t va, va_t end, unsigned int level)
{
	return min((size_t)((end - va) >> pt_shift(level)),
		   (size_t)(PT_ENTRIES - pt_index(va, level)));
}

/* ---- tables ------------------------------------------------------------ */

static pte_t *table_alloc(gfp_t gfp)
{
	pa_t pa;

	if (likely(page_alloc_ready()))
		return get_zeroed_page(gfp);
	pa = memblock_alloc(&memblock, PAGE_SIZE, PAGE_SIZE,
			    EARLY_DIRECT_MAP_END);
	return pa ? memset(pa_to_va(pa), 0, PAGE_SIZE) : NULL;
}

static void table_free(pte_t *table)
{
	if (likely(page_alloc_ready()))
		free_pages(table, 0);
	else
		memblock_free(&memblock, va_to_pa(table), PAGE_SIZE);
}

static void count_tables(long change)
{
	unsigned long flags;

	spin_lock_irqsave(&pgtable_lock, flags);
	nr_tables += (size_t)change;
	spin_unlock_irqrestore(&pgtable_lock, flags);
}

/*
 * Put @table into @slot in place of @old, or free it when another caller has
 * changed the slot already.
 */
static void table_link(pte_t *slot, pte_t old, pte_t *table)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&pgtable_lock, flags);
	first = pte_get(slot).v == old.v;
	if (first) {
		pte_set(slot, pte_make_table(va_to_pa(table)));
		nr_tables++;
	}
	spin_unlock_irqrestore(&pgtable_lock, flags);
	if (!first)
		table_free(table);
}

/* Make the empty @slot point to a table, unless another caller does first. */
static noinline int table_install(pte_t *slot, gfp_t gfp)
{
	pte_t *table = table_alloc(gfp);

	if (!table)
		return -ENOMEM;
	table_link(slot, (pte_t){0}, table);
	return 0;
}

/* The slow part of down(): @slot, of @level, does not point to a table. */
static noinline int make_table(pte_t *slot, unsigned int level, gfp_t gfp)
{
	if (pte_leaf(pte_get(slot), level))
		return -EEXIST;
	return table_install(slot, gfp);
}

/* From *@table, of @level, to the table below it on the way to @va. */
static __always_inline int down(pte_t **table, va_t va, unsigned int level,
				gfp_t gfp)
{
	pte_t *slot = &(*table)[pt_index(va, level)];
	pte_t pte = pte_get(slot);

	while (unlikely(!pte_table(pte, level))) {
		int err = make_table(slot, level, gfp);

		if (err)
			return err;
		pte = pte_get(slot);
	}
	*table = table_of(pte);
	return 0;
}

/*
 * Go down to the table of @level that covers @va, making what is missing. One
 * step per level, written out: this is the way of every mapping.
 * Return: 0; -ENOMEM; -EEXIST when a large leaf lies there.
 */
static __always_inline int table_at(pte_t *root, va_t va, unsigned int level,
				    gfp_t gfp, pte_t **found)
{
	pte_t *table = root;
	int err;

	static_assert(PT_LEVELS == 4, "steps from level 3 to level 0");
	err = down(&table, va, 3, gfp);
	if (!err && level < 2)
		err = down(&table, va, 2, gfp);
	if (!err && level < 1)
		err = down(&table, va, 1, gfp);
	*found = table;
	return err;
}

int pgtable_table(pte_t *root, va_t va, gfp_t gfp, pte_t **table)
{
	return table_at(root, va, 0, gfp, table);
}

pte_t *pgtable_unlink(pte_t *root, va_t va)
{
	pte_t *table = root, *slot;

	for (unsigned int level = PT_LEVELS - 1; level > 1; level--) {
		pte_t pte = pte_get(&table[pt_index(va, level)]);

		if (!pte_table(pte, level))
			return NULL;
		table = table_of(pte);
	}
	slot = &table[pt_index(va, 1)];
	if (!pte_table(pte_get(slot), 1))
		return NULL;
	table = table_of(pte_get(slot));
	pte_clear(slot);
	return table;
}

void pgtable_free_table(pte_t *table)
{
	table_free(table);
	count_tables(-1);
}

/* pgtable_slot() for who changes the tree. */
static __always_inline pte_t *slot_at(pte_t *root, va_t va, unsigned int *level)
{
	return (pte_t *)pgtable_slot(root, va, level);
}

pte_t *pgtable_create(gfp_t gfp)
{
	pte_t *root = table_alloc(gfp);

	if (root)
		count_tables(1);
	return root;
}

static void destroy_level(pte_t *table, unsigned int level)
{
	for (unsigned int i = 0; i < PT_ENTRIES && level > 0; i++)
		if (pte_table(table[i], level))
			destroy_level(table_of(table[i]), level - 1);
	table_free(table);
	count_tables(-1);
}

void pgtable_destroy(pte_t *root)
{
	destroy_level(root, PT_LEVELS - 1);
}

size_t pgtable_nr_tables(void)
{
	return __atomic_load_n(&nr_tables, __ATOMIC_RELAXED);
}

/* ---- map --------------------------------------------------------------- */

static bool beyond_memory(va_t start, va_t end, pa_t pa)
{
	const pa_t limit = (pa_t)1 << MAX_PHYS_BITS;

	return end - start > limit || pa > limit - (end - start);
}

static bool writable_and_executable(pgprot_t prot)
{
	return (prot & (PROT_WRITE | PROT_EXEC)) == (PROT_WRITE | PROT_EXEC);
}

static __always_inline bool range_ok(va_t start, va_t end, pa_t pa,
				     pgprot_t prot)
{
	return start < end && !((start | end | pa) & ~PAGE_MASK) &&
	       !beyond_memory(start, end, pa) && !writable_and_executable(prot);
}

static noinline int refuse(const char *what, va_t start, va_t end, pa_t pa,
			   pgprot_t prot)
{
	const char *why = "not page aligned";

	if (writable_and_executable(prot))
		why = "both writable and executable";
	else if (start >= end)
		why = "empty or wraps";
	else if (beyond_memory(start, end, pa))
		why = "beyond physical memory";
	printk("pgtable: %s [0x%lx, 0x%lx) to 0x%lx, prot 0x%x: %s\n", what,
	       start, end, (unsigned long)pa, prot, why);
	return -EINVAL;
}

/* The failing end of a map: take back [start, at), and say why. */
static noinline int map_failed(pte_t *root, va_t start, va_t at, int err)
{
	if (err == -EEXIST)
		printk("pgtable: map from 0x%lx: 0x%lx is mapped already\n",
		       start, at);
	if (at > start)
		pgtable_unmap(root, start, at);
	return err;
}

/* Fill @n empty slots from @slot on. Return: how many, up to the first that
 * was not empty. */
static size_t fill_leaves(pte_t *slot, size_t n, pa_t pa, pgprot_t prot,
			  unsigned int level)
{
	const pte_t like = pte_make(0, prot, level);
	size_t i;

	for (i = 0; i < n && pte_none(pte_get(&slot[i])); i++)
		pte_set(&slot[i], pte_at(like, pa + i * leaf_size(level)));
	return i;
}

/* The same with pages, up to the first that is NULL, too. */
static size_t fill_pages(pte_t *slot, size_t n, struct page *const *pages,
			 pgprot_t prot)
{
	const pte_t like = pte_make(0, prot, 0);
	size_t i;

	for (i = 0; i < n && pages[i] && pte_none(pte_get(&slot[i])); i++) {
		DEBUG_ASSERT(page_valid(pages[i]));
		pte_set(&slot[i], pte_at(like, page_to_pa(pages[i])));
	}
	return i;
}

/* The level of the largest leaf that may stand at the head of [va, end). */
static unsigned int leaf_level(va_t va, va_t end, pa_t pa,
			       unsigned int max_level)
{
	unsigned int level = max_level;

	while (level > 0 && (((va | pa) & (leaf_size(level) - 1)) ||
			     end - va < leaf_size(level)))
		level--;
	return level;
}

/*
 * Map one run at the head of [va, end), of leaves of @level or, where a table
 * stands in their place, of smaller ones.
 * Return: 0 and its length in @done; -EEXIST, -ENOMEM.
 */
static int map_run(pte_t *root, va_t va, va_t end, pa_t pa, pgprot_t prot,
		   unsigned int level, gfp_t gfp, size_t *done)
{
	pte_t *table;
	int err = table_at(root, va, level, gfp, &table);

	while (!err && pte_table(pte_get(&table[pt_index(va, level)]), level))
		err = table_at(root, va, --level, gfp, &table);
	if (err)
		return err;
	*done = fill_leaves(&table[pt_index(va, level)],
			    run_length(va, end, level), pa, prot, level)
		<< pt_shift(level);
	return *done ? 0 : -EEXIST;
}

int pgtable_map_range(pte_t *root, va_t start, va_t end, pa_t pa, pgprot_t prot,
		      unsigned int max_level, gfp_t gfp)
{
	va_t va = start;

	if (!range_ok(start, end, pa, prot))
		return refuse("map", start, end, pa, prot);
	ASSERT(max_level <= arch_max_leaf_level());
	while (va < end) {
		size_t done = 0;

		int err =
			map_run(root, va, end, pa, prot,
				leaf_level(va, end, pa, max_level), gfp, &done);

		if (err)
			return map_failed(root, start, va, err);
		va += done;
		pa += done;
	}
	return 0;
}

int pgtable_map_pages(pte_t *root, va_t start, struct page *const *pages,
		      size_t nr, pgprot_t prot, gfp_t gfp)
{
	va_t va = start, end;
	size_t size;

	if (unlikely(__builtin_mul_overflow(nr, PAGE_SIZE, &size) ||
		     __builtin_add_overflow(start, size, &end)))
		end = 0;
	if (unlikely(!range_ok(start, end, 0, prot)))
		return refuse("map pages", start, end, 0, prot);
	while (va < end) {
		size_t n = run_length(va, end, 0), done;
		pte_t *table;
		int err = table_at(root, va, 0, gfp, &table);

		if (unlikely(err))
			return map_failed(root, start, va, err);
		done = fill_pages(&table[pt_index(va, 0)], n, pages, prot);
		va += done << PAGE_SHIFT;
		pages += done;
		if (unlikely(done < n))
			return map_failed(root, start, va,
					  *pages ? -EEXIST : -EINVAL);
	}
	return 0;
}

/* ---- unmap ------------------------------------------------------------- */

/* Clear the large leaf, or nothing, at @slot, for the head of [va, end).
 * Return: where what follows it begins. */
static noinline va_t unmap_large(pte_t *slot, unsigned int level, va_t va,
				 va_t end)
{
	va_t next = entry_end(va, end, level);

	if (pte_leaf(pte_get(slot), level)) {
		ASSERTF(next - va == leaf_size(level),
			"unmap [0x%lx, 0x%lx) cuts the leaf at 0x%lx", va, end,
			va & ~(leaf_size(level) - 1));
		pte_clear(slot);
	}
	return next;
}

void pgtable_unmap(pte_t *root, va_t start, va_t end)
{
	va_t va = start;

	ASSERTF(start < end && !((start | end) & ~PAGE_MASK),
		"unmap [0x%lx, 0x%lx)", start, end);
	while (va < end) {
		unsigned int level;
		pte_t *slot = slot_at(root, va, &level);
		size_t n;

		if (unlikely(level > 0)) {
			va = unmap_large(slot, level, va, end);
			continue;
		}
		n = run_length(va, end, 0);
		pgtable_clear(slot, n);
		va += n << PAGE_SHIFT;
	}
}

/* ---- protect ----------------------------------------------------------- */

/* Put a table of smaller leaves in place of the large leaf at @slot. */
static int split_leaf(pte_t *slot, unsigned int level, gfp_t gfp)
{
	pte_t leaf = pte_get(slot);
	pte_t *table = table_alloc(gfp);

	if (!table)
		return -ENOMEM;
	fill_leaves(table, PT_ENTRIES, pte_pa(leaf, level),
		    pte_prot(leaf, level), level - 1);
	table_link(slot, leaf, table);
	return 0;
}

/* Split until no leaf reaches from below @va to above it. */
static int split_at(pte_t *root, va_t va, gfp_t gfp)
{
	for (;;) {
		unsigned int level;
		pte_t *slot = slot_at(root, va, &level);
		int err;

		if (!pte_leaf(pte_get(slot), level) ||
		    !(va & (leaf_size(level) - 1)))
			return 0;
		err = split_leaf(slot, level, gfp);
		if (err)
			return err;
	}
}

static void set_prot(pte_t *slot, pgprot_t prot, unsigned int level)
{
	pte_t pte = pte_get(slot);

	if (pte_leaf(pte, level))
		pte_set(slot, pte_make(pte_pa(pte, level), prot, level));
}

int pgtable_protect(pte_t *root, va_t start, va_t end, pgprot_t prot, gfp_t gfp)
{
	va_t va = start;
	int err;

	if (!range_ok(start, end, 0, prot))
		return refuse("protect", start, end, 0, prot);
	err = split_at(root, start, gfp);
	if (!err)
		err = split_at(root, end, gfp);
	if (err)
		return err;
	while (va < end) {
		unsigned int level;
		pte_t *slot = slot_at(root, va, &level);
		size_t n = level ? 1 : run_length(va, end, 0);

		for (size_t i = 0; i < n; i++)
			set_prot(&slot[i], prot, level);
		va = level ? entry_end(va, end, level) : va + n * PAGE_SIZE;
	}
	return 0;
}

/* ---- look ------------------------------------------------------------- */

bool pgtable_walk(const pte_t *root, va_t va, struct pgtable_range *leaf)
{
	unsigned int level;
	pte_t pte = pte_get(pgtable_slot(root, va, &level));

	if (!pte_leaf(pte, level))
		return false;
	leaf->start = va & ~(leaf_size(level) - 1);
	leaf->end = leaf->start + leaf_size(level);
	leaf->pa = pte_pa(pte, level);
	leaf->prot = pte_prot(pte, level);
	leaf->level = level;
	return true;
}

struct merger {
	struct pgtable_range range; /* collected so far; empty: start == end */
	pgtable_emit_fn *emit;
	void *ctx;
};

static bool merger_flush(struct merger *m)
{
	bool go_on = true;

	if (m->range.start != m->range.end)
		go_on = m->emit(m->ctx, &m->range);
	m->range.start = m->range.end = 0;
	return go_on;
}

/* Append the leaf @pte, which maps [va, next), or the hole that it is. */
static bool merger_add(struct merger *m, va_t va, va_t next, pte_t pte,
		       unsigned int level)
{
	struct pgtable_range *r = &m->range;

	if (!pte_leaf(pte, level))
		return merger_flush(m);
	if (r->start != r->end && r->end == va && r->level == level &&
	    r->prot == pte_prot(pte, level)) {
		r->end = next;
		return true;
	}
	if (!merger_flush(m))
		return false;
	r->start = va;
	r->end = next;
	r->pa = pte_pa(pte, level) + (va & (leaf_size(level) - 1));
	r->prot = pte_prot(pte, level);
	r->level = level;
	return true;
}

static bool visit_level(struct merger *m, const pte_t *table,
			unsigned int level, va_t va, va_t end)
{
	while (va < end) {
		pte_t pte = pte_get(&table[pt_index(va, level)]);
		va_t next = entry_end(va, end, level);
		bool go_on;

		if (pte_table(pte, level))
			go_on = visit_level(m, table_of(pte), level - 1, va,
					    next);
		else
			go_on = merger_add(m, va, next, pte, level);
		if (!go_on)
			return false;
		va = next;
	}
	return true;
}

void pgtable_for_each_range(const pte_t *root, va_t start, va_t end,
			    pgtable_emit_fn *emit, void *ctx)
{
	struct merger m = {.emit = emit, .ctx = ctx};

	if (visit_level(&m, root, PT_LEVELS - 1, start, end))
		merger_flush(&m);
}

static bool print_range(void *ctx, const struct pgtable_range *r)
{
	static const char *const leaf_names[] = {"4K", "2M", "1G"};

	printk("0x%016lx-0x%016lx %9luK r%c%c%s %s\n", r->start, r->end,
	       (r->end - r->start) >> 10, r->prot & PROT_WRITE ? 'w' : '-',
	       r->prot & PROT_EXEC ? 'x' : '-',
	       r->prot & PROT_UNCACHED ? " uncached" : "",
	       leaf_names[r->level]);
	return true;
}

void pgtable_dump(const pte_t *root, va_t start, va_t end)
{
	pgtable_for_each_range(root, start, end, print_range, NULL);
}
