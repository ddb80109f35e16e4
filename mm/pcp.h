/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-CPU lists of free blocks in front of the zones. See pcp.c.
 */
#ifndef MM_PCP_H
#define MM_PCP_H

#include <arch/percpu.h>
#include <mm/buddy.h>
#include <mm/zonelist.h>
#include <stddef.h>

/* Blocks of orders below this are kept. */
#define PCP_ORDERS 5

/* Pages in a batch, of any order. Requests for fewer single pages than this are
 * served from the lists. */
#define PCP_BATCH_PAGES 32U

/* The blocks of one zone and order that a CPU keeps; a cache line. */
struct pcp_list {
	struct page *first; /* the loaded stack, linked by struct page.next */
	uint32_t nr;        /* blocks on it */
	uint32_t batch;     /* blocks that it has room for */
	uint64_t used;      /* head of such a block when it is allocated */
	struct page *spare; /* the spare stack */
	uint32_t spare_nr;
	struct zone *zone; /* where the blocks come from */
} __aligned(64);

/* What a CPU keeps. Touched by that CPU alone, interrupts off. */
struct pcp {
	/* The lists, by order, of the zone that each choice of zones begins
	 * with; NULL: not set up yet, or no zone of this CPU's node. */
	struct pcp_list *choice[NR_ZONE_CHOICES];
	unsigned int first_zone; /* its node's zones have this id and on */
	bool ready;
	struct pcp_list list[NR_ZONES * PCP_ORDERS];
};

DECLARE_PER_CPU(struct pcp, pcp);

/* Descriptors of a block: KEPT in place of USED by one. */
#define PCP_KEPT(used_) ((used_)-page_head(PAGE_USED - PAGE_KEPT, 0, 0, 1))

/* Fill an empty list; make room on a full one. Interrupts off. Return: false:
 * its zone has nothing. */
bool pcp_reload(struct pcp_list *list);
void pcp_unload(struct pcp_list *list);

/* Take the block on top of @list, which has one. Interrupts off. */
static inline struct page *pcp_pop(struct pcp_list *list)
{
	struct page *page = list->first;

	list->first = page->next;
	list->nr--;
	page_set_head(page, list->used);
	return page;
}

/*
 * Take a block of 2^@order pages, @order below PCP_ORDERS, that @gfp permits,
 * from this CPU's list.
 * Context: any.
 * Return: its first page, with one reference; NULL: the list is empty, or is
 * not set up yet.
 */
static __always_inline struct page *pcp_alloc(gfp_t gfp, unsigned int order)
{
	unsigned long flags = irq_save();
	struct pcp_list *list = this_cpu_read(pcp.choice[gfp & GFP_ZONES]);
	struct page *page = NULL;

	if (likely(list && list[order].first))
		page = pcp_pop(&list[order]);
	irq_restore(flags);
	return page;
}

/*
 * Put the block of 2^@order pages at @page, any pointer, on @mine's list, if it
 * is in use, whole, by one user, and of this CPU's node. Interrupts off.
 */
static __always_inline bool pcp_push(struct pcp *mine, struct page *page,
				     unsigned int order)
{
	struct pcp_list *list;
	unsigned int zone;
	uint64_t head;

	if (unlikely(!page_valid(page)))
		return false;
	head = __atomic_load_n(&page->head, __ATOMIC_RELAXED);
	zone = page_head_zone(head) - mine->first_zone;
	if (unlikely(zone >= NR_ZONES))
		return false;
	list = &mine->list[zone * PCP_ORDERS + order];
	if (unlikely(head != list->used ||
		     !__atomic_compare_exchange_n(
			     &page->head, &head, PCP_KEPT(head), false,
			     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)))
		return false;
	if (unlikely(list->nr >= list->batch))
		pcp_unload(list);
	page->next = list->first;
	list->first = page;
	list->nr++;
	return true;
}

/*
 * Free the block of 2^@order pages at @page, any pointer, @order below
 * PCP_ORDERS, to this CPU's list, if it is in use, whole, by one user, and of
 * this CPU's node.
 * Context: any.
 * Return: false when it is not so; nothing is changed then.
 */
static __always_inline bool pcp_free(struct page *page, unsigned int order)
{
	unsigned long flags = irq_save();
	bool kept = pcp_push(this_cpu_ptr(&pcp), page, order);

	irq_restore(flags);
	return kept;
}

/*
 * pcp_alloc() that refills the list when it is empty.
 * Return: NULL: its zone has none either, or is not of this CPU's node.
 */
struct page *pcp_alloc_refill(gfp_t gfp, unsigned int order);

/*
 * Fill the NULL slots among the @n slots of @array with single pages from this
 * CPU's list, which is refilled.
 * Return: r such that slots [0, r) are all filled and slots from r on are as
 * they were; less than @n: there are no more.
 */
size_t pcp_alloc_bulk(gfp_t gfp, size_t n, struct page **array);

/*
 * pcp_free() for the single pages in the @n slots, NULL or any pointer, up to
 * the first that is not such; those slots are NULL then.
 * Return: how many slots were dealt with.
 */
size_t pcp_free_bulk(struct page **slot, size_t n);

/*
 * From now on lists are kept, of the zones of @set.
 * Context: boot.
 */
void pcp_init(struct zone_set *set);

/*
 * CPUs may have got other nodes: let each give back what it keeps, and keep
 * what is of its node from now on.
 * Context: as drain_all_pages().
 */
void pcp_nodes_changed(void);

/*
 * Give what this CPU keeps back to the zones.
 * Context: any. Return: pages given back.
 */
size_t pcp_drain_local(void);

/*
 * The same for every CPU.
 * Context: interrupts on, not in an interrupt, no spinlock held.
 */
void drain_all_pages(void);

/* Pages of zone @id on the lists of all CPUs; exact when no CPU allocates or
 * frees. Any context. */
unsigned long pcp_pages(unsigned int id);

/*
 * Check the invariants of pcp.c for every CPU.
 * Context: any; nobody allocates or frees meanwhile.
 * Return: true; false after one line that says what is broken.
 */
bool pcp_verify(void);

#endif
