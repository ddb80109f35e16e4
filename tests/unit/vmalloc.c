/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmalloc and vfree: contents, failures, bad input, stale translations. */
#include <arch/tlb.h>
#include <arch/va.h>
#include <lib/errno.h>
#include <lib/math.h>
#include <lib/random.h>
#include <lib/string.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/vmalloc.h>
#include <mm/vmap_purge.h>
#include <tests/unit/one_line.h>
#include <tests/unit/tlb_watch.h>
#include <tests/unit/vmap_window.h>

#define PAGES(n) ((n)*PAGE_SIZE)

static va_t addr_of(const void *p)
{
	return (va_t)p;
}

static bool readable(va_t va)
{
	uint8_t value;

	return va_try_load8(va, &value);
}

static void *node_range(size_t size, size_t align, va_t start, va_t end,
			gfp_t gfp)
{
	return __vmalloc_node_range(size, align, start, end, gfp, PAGE_KERNEL,
				    0, NUMA_NO_NODE);
}

TEST(vmalloc, every_page_is_there_and_its_own)
{
	const size_t nr = 40;
	void *p = vmalloc(PAGES(nr));
	va_t va = addr_of(p);

	REQUIRE_NOT_NULL(p);
	EXPECT(is_vmalloc_addr(p));
	EXPECT_EQ(va & ~PAGE_MASK, 0);
	for (size_t i = 0; i < nr; i++)
		va_store64(va + PAGES(i) + 8 * i, i + 1);
	for (size_t i = 0; i < nr; i++) {
		const struct page *page = vmalloc_to_page(p + PAGES(i));

		EXPECT_EQ(va_load64(va + PAGES(i) + 8 * i), i + 1);
		REQUIRE_NOT_NULL(page);
		EXPECT_EQ(((uint64_t *)page_address(page))[i], i + 1);
		EXPECT_EQ(page_ref_count((struct page *)page), 1);
	}
	EXPECT(vmap_verify());
	vfree(p);
	EXPECT(vmap_verify());
}

TEST(vmalloc, guard_page_faults)
{
	void *p = vmalloc(PAGES(1)), *q = vmalloc(PAGES(2));

	REQUIRE_NOT_NULL(p);
	REQUIRE_NOT_NULL(q);
	EXPECT(readable(addr_of(p)));
	EXPECT(readable(addr_of(p) + PAGES(1) - 1));
	EXPECT(!readable(addr_of(p) + PAGES(1)));
	EXPECT(!readable(addr_of(q) + PAGES(2)));
	EXPECT(!va_try_store8(addr_of(q) + PAGES(2), 1));
	EXPECT_GE(addr_of(q) > addr_of(p) ? addr_of(q) - addr_of(p)
					  : addr_of(p) - addr_of(q),
		  PAGES(2));
	vfree(p);
	vfree(q);
}

TEST(vmalloc, size_is_recorded_as_asked)
{
	static const size_t sizes[] = {1, 4095, 4096, 4097, 12288, 100000};

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		void *p = vmalloc(sizes[i]);
		const struct vm_struct *vm = find_vm_area(p);
		size_t nr = DIV_ROUND_UP(sizes[i], PAGE_SIZE);

		REQUIRE_NOT_NULL(p);
		REQUIRE_NOT_NULL(vm);
		EXPECT_EQ(vm->size, sizes[i]);
		EXPECT_EQ(vm->nr_pages, nr);
		EXPECT_EQ(vm->flags, VM_ALLOC);
		EXPECT(vm->addr == p);
		EXPECT_NOT_NULL(vm->caller);
		EXPECT_EQ(vm->pages == &vm->page, nr == 1);
		for (size_t k = 0; k < nr; k++)
			EXPECT(vm->pages[k] == vmalloc_to_page(p + PAGES(k)));
		vfree(p);
	}
}

static void dirty_some_pages(void)
{
	void *p = vmalloc(PAGES(64));

	REQUIRE_NOT_NULL(p);
	for (size_t i = 0; i < PAGES(64); i += 512)
		va_store64(addr_of(p) + i, ~0UL);
	vfree(p);
}

TEST(vmalloc, vzalloc_clears)
{
	void *p;

	dirty_some_pages();
	p = vzalloc(PAGES(64));
	REQUIRE_NOT_NULL(p);
	for (size_t i = 0; i < PAGES(64); i += 8)
		REQUIRE_EQ(va_load64(addr_of(p) + i), 0);
	vfree(p);
}

TEST(vmalloc, alignment_and_window)
{
	va_t start = VMALLOC_START + (8UL << 30);
	void *p, *q;

	vm_unmap_aliases(); /* what was freed here is there again */
	p = node_range(PAGES(3), HUGE_PAGE_SIZE, start + 1,
		       start + 4 * HUGE_PAGE_SIZE, GFP_KERNEL);
	q = node_range(PAGES(3), 1, start, start + PAGES(4), GFP_KERNEL);
	EXPECT_EQ(addr_of(p), start + HUGE_PAGE_SIZE);
	EXPECT_EQ(addr_of(q), start);
	vfree(p);
	vfree(q);
}

TEST(vmalloc, protection_is_kept)
{
	void *p = __vmalloc_node_range(PAGES(1), 1, VMALLOC_START, VMALLOC_END,
				       GFP_KERNEL, PAGE_KERNEL_RO, 0, 0);

	REQUIRE_NOT_NULL(p);
	EXPECT(readable(addr_of(p)));
	EXPECT(!va_try_store8(addr_of(p), 1));
	vfree(p);
}

/* ---- bad input ---------------------------------------------------------- */

TEST(vmalloc, bad_requests_are_refused_with_one_line)
{
	static const struct {
		size_t size, align;
		va_t start, end;
		const char *part;
	} bad[] = {
		{0, PAGE_SIZE, VMALLOC_START, VMALLOC_END, "size is 0"},
		{SIZE_MAX, PAGE_SIZE, VMALLOC_START, VMALLOC_END,
		 "more than there is memory"},
		{SIZE_MAX - PAGE_SIZE, PAGE_SIZE, VMALLOC_START, VMALLOC_END,
		 "more than there is memory"},
		{PAGE_SIZE, 0, VMALLOC_START, VMALLOC_END, "not a power"},
		{PAGE_SIZE, 3 * PAGE_SIZE, VMALLOC_START, VMALLOC_END,
		 "not a power"},
		{PAGE_SIZE, PAGE_SIZE, VMALLOC_START - PAGE_SIZE, VMALLOC_END,
		 "not inside"},
		{PAGE_SIZE, PAGE_SIZE, VMALLOC_START, VMALLOC_END + PAGE_SIZE,
		 "not inside"},
		{PAGE_SIZE, PAGE_SIZE, 0, UINTPTR_MAX, "not inside"},
		{PAGE_SIZE, PAGE_SIZE, VMALLOC_START + 4096, VMALLOC_START,
		 "too small"},
		{PAGE_SIZE, PAGE_SIZE, VMALLOC_START, VMALLOC_START + 4096,
		 "too small"},
		{PAGE_SIZE, 1UL << 63, VMALLOC_START, VMALLOC_END, "no room"},
	};
	struct vmap_space_stats before = vmap_stats();

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		void *p = &before;

		EXPECT_ONE_LINE(p = node_range(bad[i].size, bad[i].align,
					       bad[i].start, bad[i].end,
					       GFP_KERNEL),
				bad[i].part);
		EXPECT_NULL(p);
	}
	EXPECT_EQ(vmap_stats().nr_busy, before.nr_busy);
	EXPECT(vmap_verify());
}

TEST(vmalloc, bad_protection_flags_and_node)
{
	void *p = NULL;

	EXPECT_ONE_LINE(p = __vmalloc_node_range(1, 1, VMALLOC_START,
						 VMALLOC_END, GFP_KERNEL,
						 PROT_WRITE | PROT_EXEC, 0, 0),
			"both writable and executable");
	EXPECT_NULL(p);
	EXPECT_ONE_LINE(p = __vmalloc_node_range(1, 1, VMALLOC_START,
						 VMALLOC_END, GFP_KERNEL,
						 PAGE_KERNEL, 0x40, 0),
			"unknown");
	EXPECT_NULL(p);
	EXPECT_ONE_LINE(p = __vmalloc_node_range(1, 1, VMALLOC_START,
						 VMALLOC_END, GFP_KERNEL,
						 PAGE_KERNEL, 0, 99),
			"node 99: there are");
	EXPECT_NULL(p);
	EXPECT_ONE_LINE(p = vmalloc((nr_managed_pages() + 1) << PAGE_SHIFT),
			"more than there is memory");
	EXPECT_NULL(p);
}

TEST(vmalloc, bad_frees_are_refused_with_one_line)
{
	void *p = vmalloc(PAGES(3)), *other = vmalloc(1);

	REQUIRE_NOT_NULL(p);
	REQUIRE_NOT_NULL(other);
	EXPECT_NO_LINE(vfree(NULL));
	EXPECT_ONE_LINE(vfree(p + 1), "inside the area");
	EXPECT_ONE_LINE(vfree(p + PAGES(2)), "0x2000 bytes inside the area");
	EXPECT_ONE_LINE(vfree((void *)(VMALLOC_END - 4096)),
			"no area is there");
	EXPECT_ONE_LINE(vfree((void *)8), "no area is there");
	EXPECT_ONE_LINE(vfree(&p), "no area is there");
	EXPECT_ONE_LINE(vunmap(p), "another kind");
	EXPECT(readable(addr_of(p)));
	vfree(p);
	EXPECT_ONE_LINE(vfree(p), "no area is there");
	EXPECT_NO_LINE(vfree(other));
	EXPECT(vmap_verify());
}

/* ---- out of memory ------------------------------------------------------ */

/* What must be the same before and after an allocation that failed. */
struct levels {
	size_t busy, bytes, pages;
};

static struct levels levels(struct vmap_space *space)
{
	struct vmap_space_stats stats;

	purge_vmap_area_lazy(space);
	vmap_empty_caches(space);
	slab_drain();
	stats = vmap_space_stats(space);
	return (struct levels){stats.nr_busy, stats.free_bytes,
			       nr_free_pages() + pgtable_nr_tables() +
				       vmap_index_pages()};
}

static bool same_levels(struct levels a, struct levels b)
{
	EXPECT_EQ(a.busy, b.busy);
	EXPECT_EQ(a.bytes, b.bytes);
	EXPECT_EQ(a.pages, b.pages);
	return a.busy == b.busy && a.bytes == b.bytes && a.pages == b.pages;
}

TEST(vmalloc, more_than_is_free_gives_all_back)
{
	struct levels before = levels(&vmalloc_space);
	size_t size = (nr_free_pages() + 1) << PAGE_SHIFT;
	void *p = NULL;

	EXPECT_ONE_LINE(p = vmalloc(size), "out of memory");
	EXPECT_NULL(p);
	EXPECT(same_levels(levels(&vmalloc_space), before));
	EXPECT_NO_LINE(p = node_range(size, 1, VMALLOC_START, VMALLOC_END,
				      GFP_KERNEL | __GFP_NOWARN));
	EXPECT_NULL(p);
	EXPECT(same_levels(levels(&vmalloc_space), before));
	EXPECT(vmap_verify());
	EXPECT(buddy_verify());
}

/* Allocate and free in @space, while the @nth allocation of @attr fails. */
static bool try_with_fault(struct vmap_space *space, size_t size,
			   struct fault_attr *attr, unsigned long nth)
{
	const struct vm_request req = {
		.size = size,
		.align = PAGE_SIZE,
		.start = space->start + PAGES(500), /* needs 2 descriptors */
		.end = space->end,
		.gfp = GFP_KERNEL | __GFP_NOWARN,
		.prot = PAGE_KERNEL,
		.flags = VM_ALLOC,
	};
	struct levels before = levels(space);
	void *p = NULL;

	fault_inject_arm(attr, nth);
	EXPECT_NO_LINE(p = vmalloc_in(space, &req));
	fault_inject_disarm(attr);
	EXPECT(vmap_verify_space(space));
	vfree_in(space, p);
	EXPECT(same_levels(levels(space), before));
	return p;
}

/*
 * Make the 1st, 2nd, ... allocation of @attr fail until there are no more, each
 * time in a new space without any page table yet.
 * Return: how many times the whole failed.
 */
static unsigned int fail_each(struct fault_attr *attr, size_t size)
{
	unsigned int failures = 0;
	unsigned long nth = 0;

	do {
		pte_t *root = pgtable_create(GFP_KERNEL);
		struct vmap_space space;

		if (!root || vmap_space_init(&space, "test", VMALLOC_START,
					     VMALLOC_START + PAGES(4096), root))
			return 0;
		failures += !try_with_fault(&space, size, attr, ++nth);
		vmap_space_destroy(&space);
		pgtable_destroy(root);
	} while (attr->failed && nth < 200);
	EXPECT_EQ(attr->failed, 0);
	return failures;
}

TEST(vmalloc, each_object_allocation_may_fail)
{
	EXPECT_EQ(fail_each(&failslab, PAGES(1)), 2);
	EXPECT_EQ(fail_each(&failslab, PAGES(40)), 3);
}

/* The words of the index and three page tables; then one more of each: 40 pages
 * from page 500 on lie in two. */
TEST(vmalloc, each_page_allocation_may_fail)
{
	EXPECT_GE(fail_each(&fail_page_alloc, PAGES(2)), 4);
	EXPECT_GE(fail_each(&fail_page_alloc, PAGES(40)), 6);
}

TEST(vmalloc, vfree_needs_no_memory)
{
	void *p = vmalloc(PAGES(20));

	REQUIRE_NOT_NULL(p);
	fault_inject_arm(&failslab, 1);
	fault_inject_arm(&fail_page_alloc, 1);
	vfree(p);
	vm_unmap_aliases();
	fault_inject_disarm(&failslab);
	fault_inject_disarm(&fail_page_alloc);
	EXPECT_EQ(failslab.calls, 0);
	EXPECT_EQ(fail_page_alloc.calls, 0);
	EXPECT(vmap_verify());
}

TEST(vmalloc, small_window_exhausted_and_recovered)
{
	struct vmap_window w;
	struct vm_request req = {.size = PAGES(3),
				 .align = PAGE_SIZE,
				 .gfp = GFP_KERNEL | __GFP_NOWARN,
				 .prot = PAGE_KERNEL,
				 .flags = VM_ALLOC};
	void *p[17];

	REQUIRE(window_open(&w, 64));
	req.start = w.space.start;
	req.end = w.space.end;
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < 17; i++) {
			p[i] = vmalloc_in(&w.space, &req);
			EXPECT_EQ(p[i] != NULL, i < 16);
		}
		EXPECT(vmap_verify_space(&w.space));
		for (unsigned int i = 0; i < 16; i++)
			vfree_in(&w.space, p[(i * 5 + round) % 16]);
		req.gfp = GFP_NOWAIT;
		EXPECT_NULL(vmalloc_in(&w.space, &req));
		req.gfp = GFP_KERNEL | __GFP_NOWARN;
	}
	window_close(&w);
}

/* ---- stale translations ------------------------------------------------- */

/*
 * Translations that were used stay in this machine's TLB until flushed: true
 * under plain emulation and hosted, not everywhere. A full flush first, since
 * large pages touched before it would make every later flush a full one.
 */
static bool tlb_keeps_stale_entries(void)
{
	void *p = vmalloc(1);
	bool stale;

	if (!p)
		return false;
	tlb_flush_all_local();
	va_store8(addr_of(p), 1);
	vfree(p);
	stale = readable(addr_of(p));
	vm_unmap_aliases();
	return stale;
}

TEST(vmalloc, freed_addresses_fault_after_the_purge)
{
	void *p;

	if (!tlb_keeps_stale_entries())
		SKIP("needs a TLB that keeps what is not flushed");
	p = vmalloc(PAGES(2));
	REQUIRE_NOT_NULL(p);
	tlb_flush_all_local();
	va_store8(addr_of(p), 1);
	va_store8(addr_of(p) + PAGES(1), 1);
	vfree(p);
	EXPECT(readable(addr_of(p)));
	EXPECT(readable(addr_of(p) + PAGES(1)));
	vm_unmap_aliases();
	EXPECT(!readable(addr_of(p)));
	EXPECT(!readable(addr_of(p) + PAGES(1)));
}

static void no_flush(va_t start, va_t end)
{
	EXPECT_LT(start, end);
}

/*
 * Allocate, write, free, allocate again at the same address.
 * Return: true when the second user sees the first one's memory.
 */
static bool second_user_sees_the_first(struct vmap_space *space)
{
	const struct vm_request req = {.size = PAGES(1),
				       .align = PAGE_SIZE,
				       .start = space->start,
				       .end = space->end,
				       .gfp = GFP_KERNEL,
				       .prot = PAGE_KERNEL,
				       .flags = VM_ALLOC};
	void *p = vmalloc_in(space, &req), *q;
	struct page *first, *second, *blocker;
	bool stale;

	if (!p)
		return false;
	first = vmalloc_to_page(p);
	get_page(first); /* so that the second user gets another page */
	va_store64(addr_of(p), 0x1111);
	vfree_in(space, p);
	purge_vmap_area_lazy(space);
	blocker = alloc_page(GFP_KERNEL);
	q = vmalloc_in(space, &req);
	EXPECT(q == p);
	second = vmalloc_to_page(q);
	EXPECT(second != first);
	*(uint64_t *)page_address(second) = 0x2222;
	stale = va_load64(addr_of(q)) != 0x2222;
	vfree_in(space, q);
	purge_vmap_area_lazy(space);
	__free_page(first);
	__free_page(blocker);
	return stale;
}

TEST(vmalloc, a_missing_flush_is_seen)
{
	struct vmap_window w;

	if (!tlb_keeps_stale_entries())
		SKIP("needs a TLB that keeps what is not flushed");
	REQUIRE(window_open(&w, 16));
	tlb_flush_all_local();
	EXPECT(!second_user_sees_the_first(&w.space));
	w.space.flush = no_flush;
	tlb_flush_all_local();
	tlb_watch_begin();
	EXPECT(second_user_sees_the_first(&w.space));
	tlb_watch_end();
	EXPECT_TLB_VIOLATIONS(1);
	tlb_flush_all();
	window_close(&w);
}

/* ---- random operations against a model ---------------------------------- */

#define WINDOW_PAGES 256
#define SLOTS        40

struct slot {
	void *p;
	size_t nr;
	uint64_t tag;
};

static bool used[WINDOW_PAGES]; /* pages of areas, guard pages too */

static void mark(struct vmap_space *space, const struct slot *s, bool value)
{
	size_t first = (addr_of(s->p) - space->start) >> PAGE_SHIFT;

	for (size_t i = 0; i <= s->nr; i++) {
		EXPECT_EQ(used[first + i], !value);
		used[first + i] = value;
	}
}

static void fill(struct vmap_space *space, struct slot *s, uint64_t tag,
		 size_t nr, size_t align)
{
	const struct vm_request req = {.size = PAGES(nr) - tag % PAGE_SIZE,
				       .align = align,
				       .start = space->start,
				       .end = space->end,
				       .gfp = GFP_KERNEL | __GFP_NOWARN,
				       .prot = PAGE_KERNEL,
				       .flags = VM_ALLOC};

	s->p = vmalloc_in(space, &req);
	if (!s->p)
		return;
	s->nr = nr;
	s->tag = tag;
	EXPECT_EQ(addr_of(s->p) % align, 0);
	mark(space, s, true);
	for (size_t i = 0; i < nr; i++)
		va_store64(addr_of(s->p) + PAGES(i), tag + i);
}

static void check_and_free(struct vmap_space *space, struct slot *s)
{
	for (size_t i = 0; i < s->nr; i++)
		EXPECT_EQ(va_load64(addr_of(s->p) + PAGES(i)), s->tag + i);
	EXPECT(!readable(addr_of(s->p) + PAGES(s->nr)));
	mark(space, s, false);
	vfree_in(space, s->p);
	s->p = NULL;
}

TEST(vmalloc, random_operations_against_a_model)
{
	static struct slot slots[SLOTS];
	struct vmap_window w;
	struct rng rng;

	rng_seed(&rng, test_seed());
	memset(used, 0, sizeof(used));
	REQUIRE(window_open(&w, WINDOW_PAGES));
	for (unsigned int step = 0; step < 3000; step++) {
		struct slot *s = &slots[rng_below(&rng, SLOTS)];

		if (s->p)
			check_and_free(&w.space, s);
		else
			fill(&w.space, s, rng_u64(&rng) | 1,
			     1 + rng_below(&rng, 12),
			     PAGE_SIZE << rng_below(&rng, 5));
		if (step % 100 == 0)
			REQUIRE(vmap_verify_space(&w.space));
	}
	for (unsigned int i = 0; i < SLOTS; i++)
		if (slots[i].p)
			check_and_free(&w.space, &slots[i]);
	EXPECT(vmap_verify_space(&w.space));
	EXPECT(buddy_verify());
	EXPECT(slab_verify());
	window_close(&w);
}
