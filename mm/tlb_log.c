/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log of the TLBs.
 *
 * Terms
 *	stale	a range whose entries were cleared and that some CPU may still
 *		translate as before
 *	owing	the CPUs that were online when it was unmapped and did not
 *		flush it since
 *	event	something unmapped, a flush that begins, a flush that has
 *		ended, something mapped; numbered as they come
 *
 * Why
 *	That lazily freed addresses come back only after a flush on every CPU is
 *	the rule that everything about vmalloc space stands on, and the one that
 *	tests see broken only by luck: a stale translation does harm only if the
 *	CPU happens to keep it and to use it. Here the rule itself is checked,
 *	at every mapping, whatever became of the translation.
 *
 *	It is checked from what is done to entries and TLBs, not from what the
 *	area allocator believes: whichever way addresses take from one owner to
 *	the next (lazy list, caches, another policy), one unmaps and one maps.
 *
 * Structures
 *	A tree of the stale ranges, each with its owing CPUs. A range enters
 *	when it is unmapped and leaves when the last CPU that owed did flush; so
 *	the tree is as large as what is lazy. Its memory is set aside at boot:
 *	freeing must not need any. If it is used up, ranges are not followed,
 *	and counted; never is something reported that is not so.
 *	The last TLB_LOG_EVENTS events are kept for the story.
 *
 * Operations
 *	unmapped	O(log n)
 *	flush begins	O(1)
 *	flushed		O(log n + ranges in it)
 *	mapped		O(log n)
 *
 *	A flush counts for a range that lies in it entirely, and only if it
 *	began after the range was unmapped: what a CPU forgets while another
 *	one clears the entry, it may read again before that is done. The order
 *	of the events is that in which they took the lock; the entry is cleared
 *	before its event, and the flush done after its own, so that the order
 *	of events is one in which things may have happened.
 *
 * Invariants
 *	T1	stale ranges are disjoint, each owes something
 *	T2	nr_stale = ranges in the tree; unmapped = flushed + stale +
 *		dropped + those that were mapped too early or unmapped again
 *	T3	no mapped range meets a stale one: the rule
 *
 * Locking
 *	One lock, interrupts off, inside all others; nothing is called under it.
 */
#ifdef QUIRE_DEBUG

#	include <arch/clock.h>
#	include <arch/tlb.h>
#	include <lib/math.h>
#	include <lib/panic.h>
#	include <lib/printk.h>
#	include <mm/page_alloc.h>
#	include <mm/tlb_log.h>

struct tlb_log tlb_log;

/* --- stale ranges --------------------------------------------------------- */

static struct tlb_stale *stale_of(const struct rb_node *node)
{
	return rb_entry(node, struct tlb_stale, node);
}

/* The first stale range that ends above @addr. */
static struct rb_node *first_above_locked(const struct tlb_log *log, va_t addr)
{
	struct rb_node *node = log->stale.rb_node, *found = NULL;

	while (node) {
		if (stale_of(node)->unmapped.end > addr) {
			found = node;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/* Insert @stale, which meets no other. */
static void insert_locked(struct tlb_log *log, struct tlb_stale *stale)
{
	struct rb_node **link = &log->stale.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = stale->unmapped.start < stale_of(parent)->unmapped.start
			       ? &parent->rb_left
			       : &parent->rb_right;
	}
	rb_link_node(&stale->node, parent, link);
	rb_insert_color(&stale->node, &log->stale);
	log->nr_stale++;
}

static void remove_locked(struct tlb_log *log, struct tlb_stale *stale)
{
	rb_erase(&stale->node, &log->stale);
	stale->next_unused = log->unused;
	log->unused = stale;
	log->nr_stale--;
}

/*
 * Remove all ranges that meet [@start, @end).
 * Return: whether there was one, the first of them in *@first, if not NULL.
 */
static bool remove_meeting_locked(struct tlb_log *log, va_t start, va_t end,
				  struct tlb_stale *first)
{
	struct rb_node *node = first_above_locked(log, start), *next;
	bool found = false;

	for (; node && stale_of(node)->unmapped.start < end; node = next) {
		next = rb_next(node);
		if (!found && first)
			*first = *stale_of(node);
		found = true;
		remove_locked(log, stale_of(node));
	}
	return found;
}

/* --- events --------------------------------------------------------------- */

static uint64_t note_locked(struct tlb_log *log, enum tlb_event_kind kind,
			    const struct tlb_act *act)
{
	DEBUG_ASSERT(spin_is_locked(&log->lock));
	log->seq++;
	log->event[log->seq % TLB_LOG_EVENTS] = (struct tlb_event){kind, *act};
	return log->seq;
}

void tlb_log_init(struct tlb_log *log, void *memory, size_t size,
		  tlb_log_report_fn report)
{
	struct tlb_stale *stale = memory;

	*log = (struct tlb_log){.stale = RB_ROOT, .report = report};
	spin_lock_init(&log->lock);
	for (size_t n = size / sizeof(*stale); n; n--, stale++) {
		stale->next_unused = log->unused;
		log->unused = stale;
	}
}

void tlb_log_unmapped(struct tlb_log *log, const struct tlb_act *act,
		      cpumask_t online)
{
	struct tlb_stale *stale;
	unsigned long flags;
	uint64_t seq;

	spin_lock_irqsave(&log->lock, flags);
	seq = note_locked(log, TLB_UNMAPPED, act);
	log->nr_unmapped++;
	remove_meeting_locked(log, act->start, act->end, NULL);
	stale = log->unused;
	if (stale) {
		log->unused = stale->next_unused;
		stale->unmapped = *act;
		stale->seq = seq;
		stale->owing = online;
		insert_locked(log, stale);
	} else {
		log->nr_dropped++;
	}
	spin_unlock_irqrestore(&log->lock, flags);
}

void tlb_log_begins(struct tlb_log *log, unsigned int cpu)
{
	const struct tlb_act act = {.cpu = cpu, .ticks = clock_ticks()};
	unsigned long flags;

	spin_lock_irqsave(&log->lock, flags);
	log->begun[cpu] = note_locked(log, TLB_BEGINS, &act);
	spin_unlock_irqrestore(&log->lock, flags);
}

/* @cpu forgot [@start, @end), and what was unmapped before it began. */
static void settle_locked(struct tlb_log *log, unsigned int cpu, va_t start,
			  va_t end)
{
	struct rb_node *node = first_above_locked(log, start), *next;

	for (; node && stale_of(node)->unmapped.start < end; node = next) {
		struct tlb_stale *s = stale_of(node);

		next = rb_next(node);
		if (s->unmapped.start < start || s->unmapped.end > end ||
		    s->seq > log->begun[cpu])
			continue;
		s->owing.bits &= ~cpumask_of(cpu).bits;
		if (s->owing.bits)
			continue;
		remove_locked(log, s);
		log->nr_flushed++;
	}
}

void tlb_log_flushed(struct tlb_log *log, unsigned int cpu, va_t start,
		     va_t end)
{
	const struct tlb_act act = {start, end, NULL, cpu, clock_ticks()};
	unsigned long flags;

	spin_lock_irqsave(&log->lock, flags);
	note_locked(log, TLB_FLUSHED, &act);
	settle_locked(log, cpu, start, end);
	spin_unlock_irqrestore(&log->lock, flags);
}

bool tlb_log_mapped(struct tlb_log *log, const struct tlb_act *act)
{
	struct tlb_stale stale;
	unsigned long flags;
	bool early;

	spin_lock_irqsave(&log->lock, flags);
	note_locked(log, TLB_MAPPED, act);
	log->nr_mapped++;
	early = remove_meeting_locked(log, act->start, act->end, &stale);
	log->nr_violations += early;
	spin_unlock_irqrestore(&log->lock, flags);
	if (early) /* T3 */
		log->report(log, &stale, act);
	return !early;
}

bool tlb_log_verify(struct tlb_log *log)
{
	unsigned long flags;
	va_t end = 0;
	size_t n = 0;
	bool ok = true;

	spin_lock_irqsave(&log->lock, flags);
	for (struct rb_node *node = rb_first(&log->stale); node && ok;
	     node = rb_next(node), n++) {
		const struct tlb_stale *s = stale_of(node);

		ok = s->unmapped.start >= end && s->owing.bits;
		end = s->unmapped.end;
	}
	ok = ok && n == log->nr_stale && rb_verify(&log->stale) &&
	     log->nr_unmapped >=
		     log->nr_flushed + log->nr_stale + log->nr_dropped;
	spin_unlock_irqrestore(&log->lock, flags);
	if (!ok)
		printk("TLB log: T1 or T2: range %zu of %zu, ends at %#lx; %lu "
		       "unmapped, %lu flushed, %lu dropped\n",
		       n, log->nr_stale, end, log->nr_unmapped, log->nr_flushed,
		       log->nr_dropped);
	return ok;
}

/* --- the story ------------------------------------------------------------ */

static void print_cpus(cpumask_t mask)
{
	unsigned int cpu;

	for_each_cpu(cpu, mask)
		printk(" %u", cpu);
	printk("\n");
}

static void print_event(uint64_t seq, const struct tlb_event *e)
{
	static const char *const names[] = {
		[TLB_UNMAPPED] = "unmaps",
		[TLB_BEGINS] = "begins a flush",
		[TLB_FLUSHED] = "has flushed",
		[TLB_MAPPED] = "maps",
	};

	printk("  #%lu CPU %u %s", seq, e->act.cpu, names[e->kind]);
	if (e->kind != TLB_BEGINS)
		printk(" [0x%lx, 0x%lx)", e->act.start, e->act.end);
	if (e->act.owner)
		printk(" of %pS", e->act.owner);
	printk("\n");
}

static bool concerns(const struct tlb_event *e, const struct tlb_act *act)
{
	return e->kind == TLB_BEGINS ||
	       (e->kind != TLB_NOTHING && e->act.start < act->end &&
		act->start < e->act.end);
}

/* Events since @from that concern @act, the oldest first. */
static void print_events(struct tlb_log *log, uint64_t from,
			 const struct tlb_act *act)
{
	uint64_t last = log->seq;

	if (last >= TLB_LOG_EVENTS)
		from = max(from, last - TLB_LOG_EVENTS + 1);
	for (uint64_t seq = from; seq <= last; seq++) {
		struct tlb_event e;
		unsigned long flags;

		spin_lock_irqsave(&log->lock, flags);
		e = log->event[seq % TLB_LOG_EVENTS];
		spin_unlock_irqrestore(&log->lock, flags);
		if (concerns(&e, act))
			print_event(seq, &e);
	}
}

void tlb_log_tell(struct tlb_log *log, const struct tlb_stale *stale,
		  const struct tlb_act *mapped)
{
	const struct tlb_act *unmapped = &stale->unmapped;

	printk("TLB log: [0x%lx, 0x%lx) is mapped by CPU %u for %pS\n",
	       mapped->start, mapped->end, mapped->cpu, mapped->owner);
	printk("  [0x%lx, 0x%lx) of %pS was unmapped by CPU %u %lu us before\n",
	       unmapped->start, unmapped->end, unmapped->owner, unmapped->cpu,
	       clock_ticks_to_ns(mapped->ticks - unmapped->ticks) / 1000);
	printk("  and was not flushed since on CPUs");
	print_cpus(stale->owing);
	print_events(log, stale->seq, unmapped);
}

static void tell_and_panic(struct tlb_log *log, const struct tlb_stale *stale,
			   const struct tlb_act *mapped)
{
	tlb_log_tell(log, stale, mapped);
	panic("T3: [0x%lx, 0x%lx) is used again, CPUs %#lx may remember it",
	      mapped->start, mapped->end, stale->owing.bits);
}

/* --- the machine's -------------------------------------------------------- */

/* Of all memory; enough for the lazy areas of a few CPUs. */
#	define LOG_SHARE     64
#	define LOG_MAX_ORDER 9U

static void machine_begins(unsigned int cpu)
{
	tlb_log_begins(&tlb_log, cpu);
}

static void machine_flushed(unsigned int cpu, va_t start, va_t end)
{
	tlb_log_flushed(&tlb_log, cpu, start, end);
}

void tlb_log_start(void)
{
	static const struct tlb_observer observer = {machine_begins,
						     machine_flushed};
	unsigned int order =
		min(ilog2(nr_managed_pages() / LOG_SHARE), LOG_MAX_ORDER);
	void *memory = __get_free_pages(GFP_KERNEL, order);

	if (!memory)
		panic("no memory for the log of the TLBs, order %u", order);
	tlb_log_init(&tlb_log, memory, PAGE_SIZE << order, tell_and_panic);
	tlb_set_observer(&observer);
}

static struct tlb_act act_of(va_t start, va_t end, const void *owner)
{
	return (struct tlb_act){start, end, owner, cpu_id(), clock_ticks()};
}

void tlb_log_unmap(const pte_t *root, va_t start, va_t end, const void *owner)
{
	const struct tlb_act act = act_of(start, end, owner);

	if (root == arch_root_table())
		tlb_log_unmapped(&tlb_log, &act, cpu_online_mask());
}

void tlb_log_map(const pte_t *root, va_t start, va_t end, const void *owner)
{
	const struct tlb_act act = act_of(start, end, owner);

	if (root == arch_root_table())
		tlb_log_mapped(&tlb_log, &act);
}

#endif
