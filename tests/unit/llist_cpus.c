/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lock-free lists: all CPUs add, one takes. */
#include <arch/cpumask.h>
#include <lib/llist.h>
#include <lib/test.h>
#include <mm/page_alloc.h>

#define ORDER 3  /* of the memory for one CPU's items */
#define BURST 16 /* items */

struct item {
	struct llist_node link;
	unsigned int cpu, number;
};

#define NR_ITEMS ((PAGE_SIZE << ORDER) / sizeof(struct item))

static LLIST_HEAD(list);
static struct item *items[MAX_CPUS];
static _Atomic unsigned int adding;  /* CPUs that do */
static _Atomic unsigned long firsts; /* additions that found the list empty */

/* The consumer's own. */
static unsigned int next_of[MAX_CPUS];
static unsigned long nr_taken;

static void free_items(void)
{
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (items[cpu])
			free_pages(items[cpu], ORDER);
		items[cpu] = NULL;
	}
}

static void allocate_items(void)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		items[cpu] = __get_free_pages(GFP_KERNEL, ORDER);
		if (!items[cpu]) {
			free_items();
			SKIP("needs %zu KiB for each of %u CPUs",
			     (PAGE_SIZE << ORDER) >> 10, cpus_online());
		}
	}
}

TEST_SUITE(llist_cpus, .setup = allocate_items, .teardown = free_items,
	   .min_cpus = 2, .why = "to add while another takes");

/* Each producer's items come in its order, none twice. */
static void look_at(struct llist_node *taken)
{
	struct item *item, *tmp;

	llist_for_each_entry_safe(item, tmp, llist_reverse_order(taken), link) {
		EXPECT_EQ(item->number, next_of[item->cpu]);
		next_of[item->cpu] = item->number + 1;
	}
	nr_taken += taken != NULL;
}

static void add(unsigned int i)
{
	struct item *item = &items[cpu_id()][i];

	item->cpu = cpu_id();
	item->number = i;
	if (llist_add(&item->link, &list))
		atomic_fetch_add(&firsts, 1);
}

/* CPU 0 takes, and adds between; the others wait for it now and then, so that
 * all happens at once also where they are faster. */
static void add_or_take(void *arg)
{
	for (unsigned int i = 0; i < NR_ITEMS; i++) {
		add(i);
		if (cpu_id() == 0)
			look_at(llist_del_all(&list));
		while (cpu_id() && i % BURST == 0 && !llist_empty(&list))
			cpu_relax();
	}
	atomic_fetch_sub(&adding, 1);
	while (cpu_id() == 0 && atomic_load(&adding)) {
		look_at(llist_del_all(&list));
		cpu_relax();
	}
}

TEST(llist_cpus, many_add_one_takes)
{
	unsigned int cpu;

	adding = cpus_online();
	firsts = nr_taken = 0;
	for_each_cpu(cpu, cpu_online_mask())
		next_of[cpu] = 0;
	test_run_on_cpus(cpu_online_mask(), add_or_take, NULL);
	look_at(llist_del_all(&list));
	for_each_cpu(cpu, cpu_online_mask())
		EXPECT_EQ(next_of[cpu], NR_ITEMS);
	EXPECT_EQ(firsts, nr_taken);
	test_log("%zu items of each of %u CPUs, taken %lu times", NR_ITEMS,
		 cpus_online(), nr_taken);
}
