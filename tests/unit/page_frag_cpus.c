/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_frag caches: fragments freed by all CPUs at once. */
#include <arch/cpumask.h>
#include <lib/test.h>
#include <mm/mm.h>
#include <mm/page_alloc.h>
#include <mm/page_frag_cache.h>
#include <mm/pgtable.h>

#define NR     4096 /* fragments */
#define ROUNDS 30

static char *fragments[NR];
static _Atomic unsigned int next;

/* Free pages, the threads of test_run_on_cpus() leaving nothing behind that
 * counts. */
static unsigned long pages_at_rest(void)
{
	mm_drain_all();
	return nr_free_pages() + pgtable_nr_tables();
}

/* Every CPU takes what comes next; none is freed twice. */
static void free_some(void *arg)
{
	unsigned int i;

	while ((i = atomic_fetch_add(&next, 1)) < NR) {
		char *p = fragments[i];

		EXPECT_EQ(*p, (char)i);
		*p = 0;
		page_frag_free(p);
	}
}

/* The last free of each block is on any CPU, and there is only one. */
TEST(page_frag_cpus, last_free_on_any_cpu)
{
	unsigned long free = pages_at_rest();
	struct page_frag_cache nc = {0};

	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int i = 0; i < NR; i++) {
			fragments[i] = page_frag_alloc(&nc, 300, GFP_KERNEL);
			REQUIRE_NOT_NULL(fragments[i]);
			*fragments[i] = (char)i;
		}
		if (round % 2)
			page_frag_cache_drain(&nc);
		atomic_store(&next, 0);
		test_run_on_cpus(cpu_online_mask(), free_some, NULL);
		EXPECT(page_frag_cache_verify(&nc));
		EXPECT_EQ(free - pages_at_rest(), round % 2 ? 0 : 8);
	}
	EXPECT(buddy_verify());
}

/* --- each CPU with a cache of its own --------------------------------------
 */

#define SLOTS 64

static char *_Atomic slots[SLOTS];

/* Put a new fragment where another was, and free that: mostly another CPU's. */
static void exchange(void *arg)
{
	struct page_frag_cache nc = {0};

	for (unsigned int i = 0; i < 4000; i++) {
		unsigned int size = 1 + i * 37 % 3000;
		char *p = page_frag_alloc(&nc, size, GFP_KERNEL);

		REQUIRE_NOT_NULL(p);
		p[0] = 0x5a;
		p[size - 1] = 0x5a;
		p = atomic_exchange(&slots[i % SLOTS], p);
		if (p)
			EXPECT_EQ(*p, 0x5a);
		page_frag_free(p);
		if (i % 1000 == 0)
			EXPECT(page_frag_cache_verify(&nc));
	}
	page_frag_cache_drain(&nc);
}

TEST(page_frag_cpus, fragments_go_from_cpu_to_cpu)
{
	unsigned long free = pages_at_rest();

	test_run_on_cpus(cpu_online_mask(), exchange, NULL);
	for (unsigned int i = 0; i < SLOTS; i++)
		page_frag_free(atomic_exchange(&slots[i], NULL));
	EXPECT_EQ(pages_at_rest(), free);
	EXPECT(buddy_verify());
}
