/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-CPU lists of free blocks.
 *
 * Most blocks are small, and most are freed soon, by the CPU that allocated
 * them. Such a block need not travel to its zone, where a lock waits and
 * buddies are joined only to be split again. Each CPU keeps some small blocks
 * of its own node's zones, and goes to the zone for many at a time.
 *
 * Terms
 *   kept       on a CPU's list: free to its users, allocated to its zone
 *   stack      blocks of one zone and order, last in, first out, linked
 *              through struct page.next
 *   batch      how many blocks travel between a list and the zone at once: 32
 *              pages' worth of any order
 *   list       of a zone and order on a CPU: two stacks of at most a batch
 *   choice     of zones that a caller permits (gfp flags); begins with one zone
 *
 * Structures
 *   A list is two stacks (magazines, in Bonwick's terms), `loaded` and `spare`.
 *
 *     allocate  from loaded; when that is empty, from spare, swapped in; when
 *               both are, a batch comes from the zone
 *     free      to loaded; when that is full, it becomes the spare, and what
 *               was the spare goes back to the zone
 *
 *   So whoever allocates and frees around any level goes to the zone once a
 *   batch at most, with no level to tune, and what goes back is the older half.
 *   A kept block's head says KEPT, so it is neither joined with a buddy nor
 *   freed a second time.
 *
 *   A CPU's lists are set up when it first finds that they are not: what it
 *   keeps depends on its node, which is known only when all CPUs run.
 *
 * Operations
 *   alloc, free        O(1), no lock; O(batch) once a batch
 *   bulk               as many from the list as it has, then runs from the
 *                      zone: a large request takes no detour
 *   drain              O(blocks kept)
 *
 * Invariants
 *   K1  a block is on a stack of CPU c <=> its head is KEPT, of the stack's
 *       order and zone, which is one of c's node
 *   K2  nr = length of the loaded stack <= batch; spare_nr, of the spare
 *   K3  nr_free_pages() = pages free in the zones + pages kept
 *   K4  kept pages of one CPU <= 2 * batch * NR_ZONES * PCP_ORDERS
 *
 * Locking
 *   A CPU's lists are touched by that CPU alone, with interrupts off, so that
 *   its interrupt handlers may allocate and free too. Other CPUs' lists are
 *   drained by a call to them. A zone's lock is taken inside, for a batch.
 *   That a block is freed once is decided by one compare-and-exchange of its
 *   head, since two CPUs may be wrong about it at once.
 *
 * Departures from Linux
 *   Linux tunes high-water marks per zone, and frees the oldest pages; here two
 *   stacks do. Blocks of another node go straight home.
 */
#include <arch/cpumask.h>
#include <arch/smp.h>
#include <lib/printk.h>
#include <mm/node.h>
#include <mm/pcp.h>

_Static_assert(PCP_BATCH_PAGES >> (PCP_ORDERS - 1), "a block at least");

DEFINE_PER_CPU(struct pcp, pcp);

static struct zone_set *zones; /* constant after boot; NULL before */

/* --- setting up ------------------------------------------------------------
 */

static void init_list(struct pcp_list *list, struct zone *zone,
		      unsigned int order)
{
	*list = (struct pcp_list){
		.batch = PCP_BATCH_PAGES >> order,
		.used = page_head(PAGE_USED, order, zone->id, 1),
		.zone = zone,
	};
}

/* Set up the lists of this CPU, which keeps nothing. Interrupts off. */
static void init_cpu(struct pcp *mine)
{
	unsigned int nid = cpu_to_node(cpu_id());

	mine->first_zone = nid * NR_ZONES;
	for (unsigned int i = 0; i < NR_ZONES * PCP_ORDERS; i++)
		init_list(&mine->list[i],
			  &zones->zone[mine->first_zone + i / PCP_ORDERS],
			  i % PCP_ORDERS);
	for (gfp_t gfp = 0; gfp < NR_ZONE_CHOICES; gfp++) {
		const struct zone *best =
			*zonelist_zones(&zones->list[nid], gfp);

		mine->choice[gfp] =
			best && best->nid == nid
				? &mine->list[best->type * PCP_ORDERS]
				: NULL;
	}
	mine->ready = true;
}

/* The lists for @gfp, set up. Interrupts off. Return: NULL: none. */
static struct pcp_list *lists_for(struct pcp *mine, gfp_t gfp)
{
	if (unlikely(!mine->ready) && zones)
		init_cpu(mine);
	return mine->choice[gfp & GFP_ZONES];
}

void pcp_init(struct zone_set *set)
{
	zones = set;
}

/* --- to and from the zone --------------------------------------------------
 */

static void swap_stacks(struct pcp_list *list)
{
	struct page *first = list->spare;
	uint32_t nr = list->spare_nr;

	list->spare = list->first;
	list->spare_nr = list->nr;
	list->first = first;
	list->nr = nr;
}

/* Put the spare stack back. Return: how many blocks. */
static unsigned int give_back_spare(struct pcp_list *list)
{
	unsigned int nr = list->spare_nr;

	if (nr)
		zone_put_kept(list->zone, list->spare, list->spare->order);
	list->spare = NULL;
	list->spare_nr = 0;
	return nr;
}

/*
 * Fill the empty loaded stack from the zone. Blocks come in runs, which are
 * pushed from behind, so that they are handed out in ascending order.
 */
static bool refill(struct pcp_list *list)
{
	unsigned int order = list->used >> 40 & 0xff;
	size_t got;

	while (list->nr < list->batch) {
		struct page *page = zone_alloc_run(
			list->zone, order, list->batch - list->nr, &got);

		if (!page)
			break;
		list->nr += got;
		while (got--) {
			struct page *block = page + (got << order);

			page_set_head(block, PCP_KEPT(list->used));
			block->next = list->first;
			list->first = block;
		}
	}
	return list->nr > 0;
}

bool pcp_reload(struct pcp_list *list)
{
	if (!list->spare_nr)
		return refill(list);
	swap_stacks(list);
	return true;
}

void pcp_unload(struct pcp_list *list)
{
	give_back_spare(list);
	swap_stacks(list);
}

/* --- allocation and freeing ------------------------------------------------
 */

struct page *pcp_alloc_refill(gfp_t gfp, unsigned int order)
{
	unsigned long flags = irq_save();
	struct pcp_list *list = lists_for(this_cpu_ptr(&pcp), gfp);
	struct page *page = NULL;

	if (list && (list[order].first || pcp_reload(&list[order])))
		page = pcp_pop(&list[order]);
	irq_restore(flags);
	return page;
}

size_t pcp_alloc_bulk(gfp_t gfp, size_t n, struct page **array)
{
	unsigned long flags = irq_save();
	struct pcp_list *list = lists_for(this_cpu_ptr(&pcp), gfp);
	size_t i = 0;

	for (; list && i < n; i++) {
		if (array[i])
			continue;
		if (unlikely(!list->first) && !pcp_reload(list))
			break;
		array[i] = pcp_pop(list);
	}
	irq_restore(flags);
	return i;
}

size_t pcp_free_bulk(struct page **slot, size_t n)
{
	unsigned long flags = irq_save();
	struct pcp *mine = this_cpu_ptr(&pcp);
	size_t i = 0;

	for (; i < n; i++) {
		if (!slot[i])
			continue;
		if (!pcp_push(mine, slot[i], 0))
			break;
		slot[i] = NULL;
	}
	irq_restore(flags);
	return i;
}

/* --- draining ---------------------------------------------------------------
 */

size_t pcp_drain_local(void)
{
	unsigned long flags = irq_save();
	struct pcp *mine = this_cpu_ptr(&pcp);
	size_t pages = 0;

	for (unsigned int i = 0; i < NR_ZONES * PCP_ORDERS; i++) {
		struct pcp_list *list = &mine->list[i];
		size_t blocks = give_back_spare(list);

		swap_stacks(list);
		pages += (blocks + give_back_spare(list)) << i % PCP_ORDERS;
	}
	irq_restore(flags);
	return pages;
}

static void drain_here(void *unused)
{
	pcp_drain_local();
}

void drain_all_pages(void)
{
	cpu_call_mask(cpu_online_mask(), drain_here, NULL, true);
}

static void start_over_here(void *unused)
{
	pcp_drain_local();
	init_cpu(this_cpu_ptr(&pcp));
}

void pcp_nodes_changed(void)
{
	cpu_call_mask(cpu_online_mask(), start_over_here, NULL, true);
}

/* --- reports and checks -----------------------------------------------------
 */

unsigned long pcp_pages(unsigned int id)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask()) {
		const struct pcp *of = per_cpu_ptr(&pcp, cpu);
		unsigned int zone = id - of->first_zone;

		if (!of->ready || zone >= NR_ZONES)
			continue;
		for (unsigned int o = 0; o < PCP_ORDERS; o++) {
			const struct pcp_list *list =
				&of->list[zone * PCP_ORDERS + o];

			sum += (unsigned long)(list->nr + list->spare_nr) << o;
		}
	}
	return sum;
}

/* Is the stack from @page on one of @nr blocks that @list may keep? */
static bool stack_ok(const struct pcp_list *list, const struct page *page,
		     unsigned int nr)
{
	unsigned int n = 0;

	for (; page && n <= nr; page = page->next, n++)
		if (!page_valid(page) || page->head != PCP_KEPT(list->used))
			return false;
	return n == nr && nr <= list->batch;
}

static bool verify_cpu(unsigned int cpu)
{
	const struct pcp *of = per_cpu_ptr(&pcp, cpu);

	for (unsigned int i = 0; i < NR_ZONES * PCP_ORDERS; i++) {
		const struct pcp_list *list = &of->list[i];

		if (stack_ok(list, list->first, list->nr) &&
		    stack_ok(list, list->spare, list->spare_nr))
			continue;
		printk("pcp: K1, K2: CPU %u, zone %u, order %u: %u and %u "
		       "blocks\n",
		       cpu, of->first_zone + i / PCP_ORDERS, i % PCP_ORDERS,
		       list->nr, list->spare_nr);
		return false;
	}
	return true;
}

bool pcp_verify(void)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpu_online_mask())
		if (!verify_cpu(cpu))
			return false;
	return true;
}
