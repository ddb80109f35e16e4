/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log of the TLBs: private logs that are told made-up events, and the
 * machine's, with flushes left out on purpose.
 */
#include <mm/tlb_log.h>

#ifdef QUIRE_DEBUG

#	include <arch/tlb.h>
#	include <lib/math.h>
#	include <lib/random.h>
#	include <lib/string.h>
#	include <mm/vmalloc.h>
#	include <tests/unit/one_line.h>
#	include <tests/unit/tlb_watch.h>
#	include <tests/unit/vmap_window.h>

#	define PAGES(n) ((va_t)(n)*PAGE_SIZE)
#	define ROOM     64

static struct tlb_log mine;
static struct tlb_stale room[ROOM];

/* What the private log reported. */
static struct {
	unsigned int nr;
	struct tlb_stale stale;
	struct tlb_act mapped;
} reported;

static void note(struct tlb_log *l, const struct tlb_stale *stale,
		 const struct tlb_act *mapped)
{
	EXPECT(l == &mine);
	reported.nr++;
	reported.stale = *stale;
	reported.mapped = *mapped;
}

static void open_log(size_t ranges)
{
	reported.nr = 0;
	tlb_log_init(&mine, room, ranges * sizeof(*room), note);
}

/* CPU @cpu unmaps the pages [@start, @end); the CPUs @online run. */
static void unmap(unsigned int cpu, va_t start, va_t end, uint64_t online)
{
	const struct tlb_act act = {PAGES(start), PAGES(end), (void *)0x1111,
				    cpu, 1000};

	tlb_log_unmapped(&mine, &act, (cpumask_t){online});
}

/* CPU @cpu maps the pages [@start, @end). Return: whether that is in order. */
static bool map(unsigned int cpu, va_t start, va_t end)
{
	const struct tlb_act act = {PAGES(start), PAGES(end), (void *)0x2222,
				    cpu, 2000};

	return tlb_log_mapped(&mine, &act);
}

static void flush(unsigned int cpu, va_t start, va_t end)
{
	tlb_log_begins(&mine, cpu);
	tlb_log_flushed(&mine, cpu, PAGES(start), PAGES(end));
}

static void flush_all(unsigned int cpu)
{
	tlb_log_begins(&mine, cpu);
	tlb_log_flushed(&mine, cpu, 0, ~0UL);
}

TEST(tlb_log, flushed_on_all_cpus)
{
	open_log(ROOM);
	EXPECT(map(0, 10, 20));
	unmap(0, 10, 20, 7);
	EXPECT_EQ(mine.nr_stale, 1);
	flush(0, 10, 20);
	flush(2, 9, 21);
	EXPECT_EQ(mine.nr_stale, 1);
	flush_all(1);
	EXPECT_EQ(mine.nr_stale, 0);
	EXPECT(map(1, 10, 20));
	EXPECT_EQ(reported.nr, 0);
	EXPECT_EQ(mine.nr_flushed, 1);
	EXPECT(tlb_log_verify(&mine));
}

TEST(tlb_log, one_cpu_did_not_flush)
{
	open_log(ROOM);
	unmap(2, 10, 20, 0xf);
	flush_all(0);
	flush_all(3);
	EXPECT(!map(1, 15, 16));
	REQUIRE_EQ(reported.nr, 1);
	EXPECT_EQ(reported.stale.owing.bits, 6);
	EXPECT_EQ(reported.stale.unmapped.cpu, 2);
	EXPECT_EQ(reported.stale.unmapped.start, PAGES(10));
	EXPECT_EQ(reported.mapped.cpu, 1);
	EXPECT_EQ(reported.mapped.start, PAGES(15));
	EXPECT_EQ(mine.nr_violations, 1);
	/* Said once. */
	EXPECT(map(1, 15, 16));
	EXPECT(tlb_log_verify(&mine));
}

TEST(tlb_log, only_what_meets_is_reported)
{
	open_log(ROOM);
	unmap(0, 10, 20, 1);
	EXPECT(map(0, 0, 10));
	EXPECT(map(0, 20, 30));
	EXPECT_EQ(mine.nr_stale, 1);
	EXPECT(!map(0, 0, 11));
	unmap(0, 10, 20, 1);
	EXPECT(!map(0, 19, 100));
	unmap(0, 10, 20, 1);
	EXPECT(!map(0, 0, 100));
	EXPECT(tlb_log_verify(&mine));
}

TEST(tlb_log, a_flush_that_began_before_does_not_count)
{
	open_log(ROOM);
	tlb_log_begins(&mine, 0);
	unmap(1, 10, 20, 1);
	tlb_log_flushed(&mine, 0, 0, ~0UL);
	EXPECT_EQ(mine.nr_stale, 1);
	flush_all(0);
	EXPECT_EQ(mine.nr_stale, 0);
	/* Nor does the beginning of another CPU's. */
	tlb_log_begins(&mine, 0);
	unmap(1, 10, 20, 3);
	tlb_log_begins(&mine, 1);
	tlb_log_flushed(&mine, 0, 0, ~0UL);
	tlb_log_flushed(&mine, 1, 0, ~0UL);
	EXPECT(!map(0, 10, 11));
	EXPECT_EQ(reported.stale.owing.bits, 1);
}

TEST(tlb_log, a_flush_of_a_part_does_not_count)
{
	open_log(ROOM);
	unmap(0, 10, 20, 1);
	flush(0, 10, 19);
	flush(0, 11, 20);
	flush(0, 0, 10);
	flush(0, 20, 40);
	EXPECT_EQ(mine.nr_stale, 1);
	flush(0, 10, 20);
	EXPECT_EQ(mine.nr_stale, 0);
}

TEST(tlb_log, one_flush_for_many_ranges)
{
	open_log(ROOM);
	for (unsigned int i = 0; i < 20; i++)
		unmap(0, 10 * i, 10 * i + 5, 3);
	flush(0, 50, 155);
	flush(1, 50, 155);
	EXPECT_EQ(mine.nr_flushed, 11);
	EXPECT_EQ(mine.nr_stale, 9);
	EXPECT(map(0, 50, 155));
	EXPECT(!map(0, 44, 45));
	EXPECT(!map(0, 160, 161));
	EXPECT(tlb_log_verify(&mine));
}

TEST(tlb_log, cpus_that_did_not_run_owe_nothing)
{
	open_log(ROOM);
	unmap(0, 10, 20, 5);
	flush_all(0);
	flush_all(2);
	EXPECT(map(1, 10, 20));
}

TEST(tlb_log, unmapped_again_owes_anew)
{
	open_log(ROOM);
	unmap(0, 10, 20, 3);
	flush_all(0);
	unmap(1, 15, 25, 3);
	EXPECT_EQ(mine.nr_stale, 1);
	flush_all(1);
	EXPECT(!map(0, 24, 25));
	EXPECT_EQ(reported.stale.owing.bits, 1);
	EXPECT(tlb_log_verify(&mine));
}

TEST(tlb_log, without_room_nothing_false_is_said)
{
	open_log(2);
	unmap(0, 10, 20, 1);
	unmap(0, 20, 30, 1);
	unmap(0, 30, 40, 1);
	EXPECT_EQ(mine.nr_dropped, 1);
	EXPECT(map(0, 30, 40));
	EXPECT(!map(0, 20, 30));
	unmap(0, 20, 30, 1);
	EXPECT_EQ(mine.nr_dropped, 1);
	EXPECT(!map(0, 20, 30));
	EXPECT(tlb_log_verify(&mine));
}

TEST(tlb_log, the_whole_story)
{
	struct quiet quiet;

	open_log(ROOM);
	EXPECT(map(0, 16, 32));
	unmap(2, 16, 32, 3);
	unmap(2, 64, 65, 3);
	flush(0, 16, 32);
	EXPECT(!map(1, 24, 25));
	quiet_begin(&quiet);
	tlb_log_tell(&mine, &reported.stale, &reported.mapped);
	quiet_end(&quiet);
	EXPECT_CONTAINS(quiet.text, "[0x18000, 0x19000) is mapped by CPU 1");
	EXPECT_CONTAINS(quiet.text, "was unmapped by CPU 2");
	EXPECT_CONTAINS(quiet.text, "not flushed since on CPUs 1\n");
	EXPECT_CONTAINS(quiet.text, "CPU 2 unmaps [0x10000, 0x20000)");
	EXPECT_CONTAINS(quiet.text, "CPU 0 has flushed [0x10000, 0x20000)");
	EXPECT_CONTAINS(quiet.text, "CPU 1 maps [0x18000, 0x19000)");
	EXPECT_NULL(strstr(quiet.text, "0x40000"));
	EXPECT_NULL(strstr(quiet.text, "#1 "));
}

/* --- against a model ------------------------------------------------------ */

#	define MODEL_PAGES 40
#	define MODEL_CPUS  4

/* The same by ranges in a list, without sequence numbers. */
static struct {
	va_t start, end;
	uint64_t owing, begun; /* CPUs; begun: a flush since it was unmapped */
} model[ROOM];
static unsigned int nr_model;

/* Forget the ranges that meet [@start, @end). Return: how many. */
static unsigned int model_remove(va_t start, va_t end)
{
	unsigned int n = 0, removed;

	for (unsigned int i = 0; i < nr_model; i++)
		if (model[i].start >= end || start >= model[i].end)
			model[n++] = model[i];
	removed = nr_model - n;
	nr_model = n;
	return removed;
}

static void model_flushed(unsigned int cpu, va_t start, va_t end)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nr_model; i++) {
		if (start <= model[i].start && model[i].end <= end &&
		    model[i].begun >> cpu & 1)
			model[i].owing &= ~(1UL << cpu);
		if (model[i].owing)
			model[n++] = model[i];
	}
	nr_model = n;
}

static void random_step(struct rng *rng)
{
	unsigned int cpu = rng_below(rng, MODEL_CPUS);
	va_t start = rng_below(rng, MODEL_PAGES);
	va_t end = start + 1 + rng_below(rng, 6);

	switch (rng_below(rng, 6)) {
	case 0:
		unmap(cpu, start, end, (1 << MODEL_CPUS) - 1);
		model_remove(start, end);
		model[nr_model].start = start;
		model[nr_model].end = end;
		model[nr_model].owing = (1 << MODEL_CPUS) - 1;
		model[nr_model++].begun = 0;
		break;
	case 1:
	case 2:
		tlb_log_begins(&mine, cpu);
		for (unsigned int i = 0; i < nr_model; i++)
			model[i].begun |= 1UL << cpu;
		break;
	case 3:
	case 4:
		start = rng_below(rng, 10);
		end = start + 1 + rng_below(rng, MODEL_PAGES);
		tlb_log_flushed(&mine, cpu, PAGES(start), PAGES(end));
		model_flushed(cpu, start, end);
		break;
	default:
		EXPECT_EQ(map(cpu, start, end), !model_remove(start, end));
	}
}

TEST(tlb_log, random_events_against_a_model)
{
	struct rng rng;

	rng_seed(&rng, test_seed());
	open_log(ROOM);
	nr_model = 0;
	for (unsigned int i = 0; i < 20000; i++) {
		random_step(&rng);
		REQUIRE_EQ(mine.nr_stale, nr_model);
		if (i % 100 == 0)
			REQUIRE(tlb_log_verify(&mine));
	}
	EXPECT_GT(mine.nr_flushed, 100);
	EXPECT_GT(mine.nr_violations, 100);
	EXPECT_EQ(mine.nr_dropped, 0);
}

/* --- the machine's log ---------------------------------------------------- */

/* Random areas, some kept, all gone at the end. */
static void churn(void *seed)
{
	void *kept[8] = {NULL};
	struct rng rng;

	rng_seed(&rng, *(uint64_t *)seed + cpu_id());
	for (unsigned int i = 0; i < 200; i++) {
		void **slot = &kept[rng_below(&rng, ARRAY_SIZE(kept))];

		vfree(*slot);
		*slot = vmalloc(PAGES(1 + rng_below(&rng, 8)));
		EXPECT_NOT_NULL(*slot);
		if (i % 50 == 49)
			vm_unmap_aliases();
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(kept); i++)
		vfree(kept[i]);
}

TEST(tlb_log, correct_runs_verify)
{
	unsigned long flushed = tlb_log.nr_flushed;
	uint64_t seed = test_seed();

	tlb_watch_begin();
	test_run_on_cpus(cpu_online_mask(), churn, &seed);
	vm_unmap_aliases();
	tlb_watch_end();
	EXPECT_TLB_VIOLATIONS(0);
	EXPECT_GE(tlb_log.nr_flushed, flushed + 200);
	EXPECT_EQ(tlb_log.nr_dropped, 0);
	EXPECT(tlb_log_verify(&tlb_log));
}

/* Use the same address twice, with @skip left out of the flush in between. */
static void reuse(enum tlb_test_skip skip)
{
	const struct vm_request req = {.size = PAGES(1),
				       .align = PAGE_SIZE,
				       .start = VMALLOC_START,
				       .end = VMALLOC_END,
				       .gfp = GFP_KERNEL,
				       .prot = PAGE_KERNEL,
				       .flags = VM_ALLOC,
				       .node = NUMA_NO_NODE};
	struct vm_request there = req;
	struct vmap_window w;
	void *p, *q;

	REQUIRE(window_open(&w, 16));
	there.start = w.space.start;
	there.end = w.space.end;
	p = vmalloc_in(&w.space, &there);
	vfree_in(&w.space, p);
	tlb_watch_begin();
	tlb_test_skip(skip);
	purge_vmap_area_lazy(&w.space);
	tlb_test_skip(TLB_SKIP_NOTHING);
	q = vmalloc_in(&w.space, &there);
	tlb_watch_end();
	EXPECT(p && p == q);
	tlb_flush_all();
	vfree_in(&w.space, q);
	window_close(&w);
}

TEST(tlb_log, flush_done)
{
	reuse(TLB_SKIP_NOTHING);
	EXPECT_TLB_VIOLATIONS(0);
}

TEST(tlb_log, flush_left_out_here)
{
	reuse(TLB_SKIP_LOCAL);
	EXPECT_TLB_VIOLATIONS(1);
	EXPECT_EQ(tlb_watch.stale.owing.bits, cpumask_of(cpu_id()).bits);
	EXPECT_EQ(tlb_watch.mapped.cpu, cpu_id());
	EXPECT_EQ(tlb_watch.mapped.start, tlb_watch.stale.unmapped.start);
}

TEST(tlb_log, flush_left_out_on_the_others)
{
	uint64_t others = cpu_online_mask().bits & ~cpumask_of(cpu_id()).bits;

	if (!others)
		SKIP("needs a second CPU");
	reuse(TLB_SKIP_REMOTE);
	EXPECT_TLB_VIOLATIONS(1);
	EXPECT_EQ(tlb_watch.stale.owing.bits, others);
}

#endif
