/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every way to cut fragments, with random sizes, alignments and lives, against
 * a naive model: a list of what is live, each filled with a pattern of its own,
 * and the blocks that must exist because of that.
 */
#include <lib/random.h>
#include <lib/test.h>
#include <mm/page_alloc.h>
#include <tests/bench/page_frag_ways.h>
#include <tests/unit/one_line.h>

#define QUIET (GFP_KERNEL | __GFP_NOWARN)
#define LIVE  96
#define STEPS 6000

struct fragment {
	uint8_t *p; /* NULL: none */
	unsigned int size;
	uint8_t pattern;
};

static struct model {
	struct page_frag_cache nc;
	page_frag_way_fn alloc;
	bool in_use; /* the way: the walker knows what remains */
	struct fragment live[LIVE];
	unsigned long free; /* pages, at the beginning */
	struct rng rng;
} model;

/* --- the model ------------------------------------------------------------ */

/* Pages of all blocks that are in use: the cache's, and those with fragments.
 * Each is counted where it is met first. */
static unsigned long pages_of_blocks(struct model *m)
{
	struct page *seen[LIVE + 1];
	unsigned int n = 0;
	unsigned long sum = 0;

	for (unsigned int i = 0; i <= LIVE; i++) {
		void *p = i < LIVE ? m->live[i].p : page_frag_block(&m->nc);
		struct page *head = p ? virt_to_head_page(p) : NULL;
		unsigned int j = 0;

		while (j < n && seen[j] != head)
			j++;
		if (!head || j < n)
			continue;
		seen[n++] = head;
		sum += 1UL << head->order;
	}
	return sum;
}

static unsigned int live_in(const struct model *m, const struct page *head)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < LIVE; i++)
		n += m->live[i].p && virt_to_head_page(m->live[i].p) == head;
	return n;
}

/* F3 of the cache's block, and nothing lost or doubled. */
static void check_books(struct model *m)
{
	void *block = page_frag_block(&m->nc);

	if (block) {
		struct page *head = virt_to_page(block);

		EXPECT_EQ(page_ref_count(head),
			  m->nc.pagecnt_bias + live_in(m, head));
		EXPECT_GE(m->nc.pagecnt_bias, 1);
	}
	if (m->in_use)
		EXPECT(page_frag_cache_verify(&m->nc));
	EXPECT_EQ(m->free - nr_free_pages(), pages_of_blocks(m));
}

static void check_apart(const struct model *m, const struct fragment *f)
{
	for (unsigned int i = 0; i < LIVE; i++) {
		const struct fragment *g = &m->live[i];

		if (g->p && g != f)
			EXPECT(f->p + f->size <= g->p ||
			       g->p + g->size <= f->p);
	}
}

/* --- steps -----------------------------------------------------------------
 */

static void fill(struct fragment *f)
{
	for (unsigned int i = 0; i < f->size; i++)
		f->p[i] = (uint8_t)(f->pattern + i);
}

static bool intact(const struct fragment *f)
{
	for (unsigned int i = 0; i < f->size; i++)
		if (f->p[i] != (uint8_t)(f->pattern + i))
			return false;
	return true;
}

/* Small ones mostly, all up to a block sometimes. */
static unsigned int random_size(struct rng *rng)
{
	unsigned int most = 1U << (6 + rng_below(rng, 10));

	return 1 + (unsigned int)rng_below(rng, most);
}

static void step_alloc(struct model *m, struct fragment *f)
{
	unsigned int align = 1U << rng_below(&m->rng, PAGE_SHIFT + 1);
	bool fails = rng_below(&m->rng, 8) == 0;

	if (rng_below(&m->rng, 2))
		align = 1;
	f->size = random_size(&m->rng);
	f->pattern = (uint8_t)rng_u64(&m->rng);
	if (fails)
		fault_inject_arm(&fail_page_alloc, 1);
	f->p = m->alloc(&m->nc, f->size, QUIET, -align);
	fault_inject_disarm(&fail_page_alloc);
	EXPECT(f->p || fails);
	if (!f->p)
		return;
	EXPECT_EQ((uintptr_t)f->p % align, 0);
	EXPECT_EQ(virt_to_head_page(f->p),
		  virt_to_head_page(f->p + f->size - 1));
	check_apart(m, f);
	fill(f);
}

static void step_free(struct model *m, struct fragment *f)
{
	EXPECT(intact(f));
	page_frag_free(f->p + rng_below(&m->rng, f->size));
	f->p = NULL;
}

/* Allocate and free at random; now and then most is freed, so that blocks are
 * begun again, and the cache drained. */
static void run(struct model *m)
{
	for (unsigned int i = 0; i < STEPS; i++) {
		struct fragment *f = &m->live[rng_below(&m->rng, LIVE)];
		bool freeing = i / 300 % 3 == 2;

		if (f->p)
			step_free(m, f);
		else if (!freeing || rng_below(&m->rng, 8) == 0)
			step_alloc(m, f);
		if (rng_below(&m->rng, 500) == 0)
			page_frag_cache_drain(&m->nc);
		if (i % 50 == 0)
			check_books(m);
	}
	for (unsigned int i = 0; i < LIVE; i++)
		if (m->live[i].p)
			step_free(m, &m->live[i]);
	check_books(m);
	page_frag_cache_drain(&m->nc);
	EXPECT_EQ(nr_free_pages(), m->free);
	EXPECT(buddy_verify());
}

/* What must be refused, whatever the way, in any state. */
static void refuse(struct model *m)
{
	static const unsigned int bad[] = {
		0, 32769, 0x80000000U, UINT32_MAX, 0xfffff000U, 0xffff8000U};

	for (unsigned int used = 0; used <= 4096; used = used * 8 + 1) {
		void *p = used ? m->alloc(&m->nc, used, QUIET, ~0U) : NULL;
		struct page_frag_cache before = m->nc;

		for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
			EXPECT_ONE_LINE(EXPECT_NULL(m->alloc(&m->nc, bad[i],
							     QUIET, ~0U)),
					"at least 1, at most 32768");
			EXPECT_ONE_LINE(EXPECT_NULL(m->alloc(&m->nc, bad[i],
							     QUIET, -4096U)),
					"at least 1, at most 32768");
		}
		EXPECT_EQ(m->nc.encoded_va, before.encoded_va);
		EXPECT_EQ(m->nc.remaining, before.remaining);
		EXPECT_EQ(m->nc.pagecnt_bias, before.pagecnt_bias);
		page_frag_free(p);
	}
	page_frag_cache_drain(&m->nc);
}

/* One byte each: as many fragments as bytes, then another block. */
static void one_byte_each(struct model *m)
{
	uint8_t *first = m->alloc(&m->nc, 1, QUIET, ~0U), *last = NULL;
	struct page *head = virt_to_head_page(first);

	for (unsigned int i = 1; i < PAGE_FRAG_CACHE_MAX_SIZE; i++)
		last = m->alloc(&m->nc, 1, QUIET, ~0U);
	EXPECT_EQ(virt_to_head_page(last), head);
	EXPECT_EQ(m->nc.pagecnt_bias, 1);
	EXPECT_EQ(m->free - nr_free_pages(), 8);
	last = m->alloc(&m->nc, 1, QUIET, ~0U);
	EXPECT_NE(virt_to_head_page(last), head);
	EXPECT_EQ(m->free - nr_free_pages(), 16);
	for (unsigned int i = 0; i < PAGE_FRAG_CACHE_MAX_SIZE; i++)
		page_frag_free(first);
	EXPECT_EQ(m->free - nr_free_pages(), 8);
	page_frag_free(last);
	page_frag_cache_drain(&m->nc);
	EXPECT_EQ(m->free, nr_free_pages());
}

static void try_way(page_frag_way_fn alloc, bool in_use)
{
	model = (struct model){
		.alloc = alloc, .in_use = in_use, .free = nr_free_pages()};
	rng_seed(&model.rng, test_seed());
	refuse(&model);
	one_byte_each(&model);
	run(&model);
}

TEST_SUITE(page_frag_random, .min_pages = 1024, .why = "96 blocks of 8");

TEST(page_frag_random, in_use)
{
	try_way(__page_frag_alloc_align, true);
}

TEST(page_frag_random, in_use_by_the_template)
{
	try_way(page_frag_alloc_in_use, true);
}

TEST(page_frag_random, option1)
{
	try_way(page_frag_alloc_option1, false);
}

TEST(page_frag_random, option2)
{
	try_way(page_frag_alloc_option2, false);
}

TEST(page_frag_random, option3)
{
	try_way(page_frag_alloc_option3, false);
}

TEST(page_frag_random, upwards)
{
	try_way(page_frag_alloc_upwards, false);
}
