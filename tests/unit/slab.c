/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches: objects against a model, failures, bad pointers, broken objects. */
#include <lib/math.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <tests/unit/one_line.h>

#define QUIET (GFP_KERNEL | __GFP_NOWARN)

/* --- one cache ------------------------------------------------------------ */

TEST(slab, objects_are_apart_and_aligned)
{
	static const size_t sizes[] = {1, 7, 8, 24, 100, 1000, 3000, 8192};
	static const size_t aligns[] = {0, 1, 8, 64, 4096};
	char *object[20];

	for (size_t i = 0; i < ARRAY_SIZE(sizes) * ARRAY_SIZE(aligns); i++) {
		size_t size = sizes[i / ARRAY_SIZE(aligns)];
		size_t align = aligns[i % ARRAY_SIZE(aligns)];
		struct kmem_cache *cache =
			kmem_cache_create("apart", size, align, NULL);

		REQUIRE_NOT_NULL(cache);
		for (unsigned int j = 0; j < ARRAY_SIZE(object); j++) {
			object[j] = kmem_cache_alloc(cache, GFP_KERNEL);
			REQUIRE_NOT_NULL(object[j]);
			EXPECT_EQ((va_t)object[j] % max(align, 8UL), 0);
			memset(object[j], (int)j, size);
		}
		EXPECT_EQ(slab_objects(cache), ARRAY_SIZE(object));
		for (unsigned int j = 0; j < ARRAY_SIZE(object); j++) {
			EXPECT_EQ(object[j][0], j);
			EXPECT_EQ(object[j][size - 1], j);
			kmem_cache_free(cache, object[j]);
		}
		EXPECT_EQ(slab_objects(cache), 0);
		EXPECT(slab_verify());
		EXPECT(kmem_cache_destroy(cache));
	}
}

TEST(slab, last_freed_is_first_allocated)
{
	struct kmem_cache *cache = kmem_cache_create("lifo", 40, 0, NULL);
	void *a, *b;

	REQUIRE_NOT_NULL(cache);
	a = kmem_cache_alloc(cache, GFP_KERNEL);
	b = kmem_cache_alloc(cache, GFP_KERNEL);
	kmem_cache_free(cache, a);
	EXPECT_EQ(kmem_cache_alloc(cache, GFP_KERNEL), a);
	kmem_cache_free(cache, a);
	kmem_cache_free(cache, b);
	kmem_cache_free(cache, NULL);
	EXPECT(kmem_cache_destroy(cache));
	EXPECT(kmem_cache_destroy(NULL));
}

TEST(slab, zeroed_when_asked)
{
	struct kmem_cache *cache = kmem_cache_create("zero", 100, 0, NULL);
	uint8_t *p, sum = 0;

	REQUIRE_NOT_NULL(cache);
	p = kmem_cache_alloc(cache, GFP_KERNEL);
	memset(p, 0xff, 100);
	kmem_cache_free(cache, p);
	EXPECT_EQ(kmem_cache_alloc(cache, GFP_KERNEL | __GFP_ZERO), p);
	for (unsigned int i = 0; i < 100; i++)
		sum |= p[i];
	EXPECT_EQ(sum, 0);
	kmem_cache_free(cache, p);
	EXPECT(kmem_cache_destroy(cache));
}

static unsigned int nr_constructed;

static void construct(void *object)
{
	memset(object, 0x42, 24);
	nr_constructed++;
}

TEST(slab, constructed_once_and_left_so)
{
	struct kmem_cache *cache;
	unsigned int constructed;
	uint8_t *p;

	nr_constructed = 0;
	cache = kmem_cache_create("ctor", 24, 0, construct);
	REQUIRE_NOT_NULL(cache);
	EXPECT_EQ(nr_constructed, 0);
	p = kmem_cache_alloc(cache, GFP_KERNEL);
	constructed = nr_constructed;
	EXPECT_GT(constructed, 1);
	for (unsigned int i = 0; i < 24; i++)
		EXPECT_EQ(p[i], 0x42);
	p[3] = 0x43;
	kmem_cache_free(cache, p);
	EXPECT_EQ(kmem_cache_alloc(cache, GFP_KERNEL), p);
	for (unsigned int i = 0; i < 24; i++)
		EXPECT_EQ(p[i], i == 3 ? 0x43 : 0x42);
	EXPECT_EQ(nr_constructed, constructed);
	EXPECT_ONE_LINE(EXPECT_NULL(kmem_cache_alloc(cache, __GFP_ZERO)),
			"ctor: objects have a constructor");
	kmem_cache_free(cache, p);
	EXPECT(kmem_cache_destroy(cache));
}

/* --- pages come and go ---------------------------------------------------- */

static bool find_info(const char *name, struct slab_info *info)
{
	for (size_t i = 0; slab_info(i, info); i++)
		if (!strcmp(info->name, name))
			return true;
	return false;
}

#define MANY 2000

TEST(slab, empty_slabs_go_back)
{
	static void *object[MANY];
	unsigned long free;
	struct kmem_cache *cache = kmem_cache_create("many", 256, 0, NULL);
	struct slab_info info;

	REQUIRE_NOT_NULL(cache);
	slab_drain();
	free = nr_free_pages();
	for (unsigned int i = 0; i < MANY; i++) {
		object[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		REQUIRE_NOT_NULL(object[i]);
	}
	REQUIRE(find_info("many", &info));
	EXPECT_EQ(info.objects, MANY);
	EXPECT_EQ(info.object_size, 256);
	EXPECT_EQ(nr_free_pages(), free - info.pages);
	EXPECT_GE(info.pages * PAGE_SIZE, MANY * info.stride);
	for (unsigned int i = 0; i < MANY; i++)
		kmem_cache_free(cache, object[i]);
	REQUIRE(find_info("many", &info));
	EXPECT_EQ(info.objects, 0);
	EXPECT_GT(info.slabs, 0);
	EXPECT_LT(info.slabs, 10);
	EXPECT_EQ(nr_free_pages(), free - info.pages);
	EXPECT(slab_verify());
	EXPECT_GE(slab_drain(), info.pages);
	REQUIRE(find_info("many", &info));
	EXPECT_EQ(info.slabs, 0);
	EXPECT_EQ(nr_free_pages(), free);
	EXPECT_EQ(slab_drain(), 0);
	EXPECT(kmem_cache_destroy(cache));
	EXPECT(!find_info("many", &info));
}

TEST(slab, destroy_with_objects_is_refused)
{
	struct kmem_cache *cache = kmem_cache_create("busy", 64, 0, NULL);
	char *p;

	REQUIRE_NOT_NULL(cache);
	p = kmem_cache_alloc(cache, GFP_KERNEL);
	strscpy(p, "still here", 64);
	EXPECT_ONE_LINE(EXPECT(!kmem_cache_destroy(cache)),
			"cannot destroy cache busy: 1 objects");
	EXPECT_STREQ(p, "still here");
	kmem_cache_free(cache, p);
	EXPECT(kmem_cache_destroy(cache));
}

TEST(slab, bad_caches)
{
	struct slab_info info;

	EXPECT_ONE_LINE(EXPECT_NULL(kmem_cache_create("a", 0, 0, NULL)),
			"size 0");
	EXPECT_ONE_LINE(
		EXPECT_NULL(kmem_cache_create("a", SLAB_MAX_SIZE + 1, 0, NULL)),
		"size 8193");
	EXPECT_ONE_LINE(EXPECT_NULL(kmem_cache_create("a", ~0UL, 0, NULL)),
			"size 18446744073709551615");
	EXPECT_ONE_LINE(EXPECT_NULL(kmem_cache_create("a", 8, 3, NULL)),
			"alignment 3");
	EXPECT_ONE_LINE(EXPECT_NULL(kmem_cache_create("a", 8, 8192, NULL)),
			"alignment 8192");
	EXPECT_ONE_LINE(EXPECT_NULL(kmem_cache_create("a", 8, 1UL << 63, NULL)),
			"alignment 9223372036854775808");
	EXPECT(!find_info("a", &info));
	fault_inject_arm(&failslab, 1);
	EXPECT_ONE_LINE(EXPECT_NULL(kmem_cache_create("a", 8, 0, NULL)),
			"kmem_cache: no object");
	fault_inject_disarm(&failslab);
	EXPECT(!find_info("a", &info));
	EXPECT(slab_verify());
}

/* --- failures ------------------------------------------------------------- */

TEST(slab, each_allocation_can_be_made_to_fail)
{
	struct kmem_cache *cache = kmem_cache_create("fails", 200, 0, NULL);
	void *p;

	REQUIRE_NOT_NULL(cache);
	fault_inject_arm(&failslab, 1);
	EXPECT_ONE_LINE(EXPECT_NULL(kmem_cache_alloc(cache, GFP_KERNEL)),
			"fails: no object of 200 bytes");
	fault_inject_arm(&failslab, 1);
	EXPECT_NULL(kmem_cache_alloc(cache, QUIET));
	fault_inject_disarm(&failslab);
	fault_inject_arm(&fail_page_alloc, 1);
	EXPECT_ONE_LINE(p = kmem_cache_alloc(cache, GFP_KERNEL),
			"out of memory: order 0");
	fault_inject_disarm(&fail_page_alloc);
	EXPECT_NULL(p);
	EXPECT_EQ(slab_objects(cache), 0);
	p = kmem_cache_alloc(cache, GFP_KERNEL);
	EXPECT_NOT_NULL(p);
	kmem_cache_free(cache, p);
	EXPECT(slab_verify());
	EXPECT(kmem_cache_destroy(cache));
}

TEST(slab, falls_back_to_small_slabs)
{
	struct kmem_cache *cache = kmem_cache_create("large", 2000, 0, NULL);
	struct slab_info info;
	void *p;

	REQUIRE_NOT_NULL(cache);
	fault_inject_arm(&fail_page_alloc, 1);
	p = kmem_cache_alloc(cache, GFP_KERNEL);
	fault_inject_disarm(&fail_page_alloc);
	EXPECT_NOT_NULL(p);
	REQUIRE(find_info("large", &info));
	EXPECT_EQ(info.pages, 1);
	EXPECT(slab_verify());
	kmem_cache_free(cache, p);
	EXPECT(kmem_cache_destroy(cache));
}

TEST(slab, works_with_no_page_left)
{
	struct kmem_cache *cache = kmem_cache_create("last", 512, 0, NULL);
	void *first, *p = NULL;
	struct page *page, *next;
	size_t n = 1, again = 0;
	LIST_HEAD(taken);

	REQUIRE_NOT_NULL(cache);
	first = kmem_cache_alloc(cache, GFP_KERNEL);
	for (unsigned int o = NR_ORDERS; o-- > 0;)
		while ((page = alloc_pages(QUIET, o)))
			list_add(&page->list, &taken);
	/* The rest of the slab, then nothing; freeing works, and what was
	 * freed is had again. */
	while ((p = kmem_cache_alloc(cache, QUIET))) {
		*(void **)p = first;
		first = p;
		n++;
	}
	EXPECT_EQ(slab_objects(cache), n);
	p = *(void **)first;
	kmem_cache_free(cache, first);
	first = kmem_cache_alloc(cache, QUIET);
	EXPECT_NOT_NULL(first);
	kmem_cache_free(cache, first);
	for (n--; n; n--) {
		first = p;
		p = n > 1 ? *(void **)p : NULL;
		kmem_cache_free(cache, first);
		again++;
	}
	EXPECT_EQ(slab_objects(cache), 0);
	list_for_each_entry_safe(page, next, &taken, list)
		__free_pages(page, page->order);
	EXPECT_GT(again, 2);
	EXPECT(slab_verify());
	EXPECT(kmem_cache_destroy(cache));
}

/* --- bad pointers --------------------------------------------------------- */

TEST(slab, what_can_not_be_freed)
{
	struct kmem_cache *cache = kmem_cache_create("right", 48, 0, NULL);
	struct kmem_cache *other = kmem_cache_create("wrong", 48, 0, NULL);
	char *p, *q, *page;

	REQUIRE_NOT_NULL(cache);
	REQUIRE_NOT_NULL(other);
	p = kmem_cache_alloc(cache, GFP_KERNEL);
	q = kmem_cache_alloc(cache, GFP_KERNEL);
	page = __get_free_pages(GFP_KERNEL, 0);
	REQUIRE_NOT_NULL(page);

	EXPECT_ONE_LINE(kmem_cache_free(other, p),
			"into wrong: it is of right");
	EXPECT_ONE_LINE(kmem_cache_free(cache, p + 8), "inside an object");
	EXPECT_ONE_LINE(kmem_cache_free(cache, p + 1), "inside an object");
	EXPECT_ONE_LINE(kfree(q + 47), "inside an object");
	EXPECT_ONE_LINE(kmem_cache_free(cache, page), "is used, order 0");
	EXPECT_ONE_LINE(kmem_cache_free(cache, (void *)24), "not in the");
	EXPECT_ONE_LINE(kmem_cache_free(cache, (void *)~7UL), "not in the");
	EXPECT_ONE_LINE(kfree((void *)VMALLOC_START), "not in the");
	EXPECT_ONE_LINE(free_pages((void *)((va_t)p & PAGE_MASK), 0), "slab");
	EXPECT_EQ(slab_objects(cache), 2);
	EXPECT(slab_verify());

	kmem_cache_free(cache, p);
	EXPECT_ONE_LINE(kmem_cache_free(cache, p), "free already");
	kmem_cache_free(cache, q);
	EXPECT_ONE_LINE(kmem_cache_free(cache, p), "free already");
	EXPECT_ONE_LINE(kmem_cache_free(cache, q), "free already");
	EXPECT_EQ(slab_objects(cache), 0);
	EXPECT(slab_verify());
	free_pages(page, 0);
	EXPECT(kmem_cache_destroy(cache));
	EXPECT(kmem_cache_destroy(other));
}

TEST(slab, behind_the_last_object)
{
	struct kmem_cache *cache = kmem_cache_create("tail", 1000, 0, NULL);
	struct slab_info info;
	char *base;
	size_t n;

	REQUIRE_NOT_NULL(cache);
	base = kmem_cache_alloc(cache, GFP_KERNEL); /* the slab's first */
	EXPECT_EQ((va_t)base % PAGE_SIZE, 0);
	REQUIRE(find_info("tail", &info));
	n = info.pages * PAGE_SIZE / info.stride;
	EXPECT_ONE_LINE(kfree(base + n * info.stride), "behind all");
	kmem_cache_free(cache, base);
	EXPECT(kmem_cache_destroy(cache));
}

static size_t link_at(const char *name)
{
	struct slab_info info;

	if (!find_info(name, &info))
		return 0;
#ifdef QUIRE_DEBUG
	return info.stride - sizeof(uint64_t); /* behind the red zone */
#else
	return 0;
#endif
}

TEST(slab, content_that_looks_like_a_link_is_freed)
{
	struct kmem_cache *cache = kmem_cache_create("mimic", 32, 0, NULL);
	uint64_t *link, copy;
	char *p, *q;

	/* The link of a free object, put back into it when it is in use. */
	REQUIRE_NOT_NULL(cache);
	p = kmem_cache_alloc(cache, GFP_KERNEL);
	q = kmem_cache_alloc(cache, GFP_KERNEL);
	link = (uint64_t *)(p + link_at("mimic"));
	kmem_cache_free(cache, p);
	copy = *link;
	EXPECT_NE(copy, 0);
	EXPECT_EQ(kmem_cache_alloc(cache, GFP_KERNEL), p);
	EXPECT_EQ(*link, 0);
	*link = copy;
	kmem_cache_free(cache, p);
	EXPECT_EQ(slab_objects(cache), 1);
	EXPECT_ONE_LINE(kmem_cache_free(cache, p), "free already");
	kmem_cache_free(cache, q);
	EXPECT(slab_verify());
	EXPECT(kmem_cache_destroy(cache));
}

/* --- broken objects ------------------------------------------------------- */

TEST(slab, overwritten_link_is_noticed)
{
	struct kmem_cache *cache = kmem_cache_create("smash", 64, 8, NULL);
	char *a, *b, *p;
	uint64_t *link, good;
	struct quiet quiet;

	REQUIRE_NOT_NULL(cache);
	a = kmem_cache_alloc(cache, GFP_KERNEL);
	b = kmem_cache_alloc(cache, GFP_KERNEL);
	kmem_cache_free(cache, a);
	link = (uint64_t *)(a + link_at("smash"));
	good = *link;
	*link = 0x4141414141414141;
	EXPECT_ONE_LINE(EXPECT(!slab_verify()), "smash");
	quiet_begin(&quiet);
	p = kmem_cache_alloc(cache, GFP_KERNEL);
	EXPECT_EQ(quiet_end(&quiet), 1);
	EXPECT_CONTAINS(quiet.text, "smash: link of free object");
	/* Another slab serves; the broken one is out of use, b still works. */
	EXPECT_NOT_NULL(p);
	EXPECT_NE((va_t)p & PAGE_MASK, (va_t)b & PAGE_MASK);
	EXPECT(slab_verify());
	kmem_cache_free(cache, p);
	kmem_cache_free(cache, b);
	EXPECT(slab_verify());

	/* Tidy up: free all the objects that were given up. */
	*link = 0;
	for (char *q = a; slab_objects(cache);) {
		struct slab_info info;

		REQUIRE(find_info("smash", &info));
		q = q == b ? q + info.stride : q;
		*(uint64_t *)(q + link_at("smash")) = 0;
		quiet_begin(&quiet);
		kmem_cache_free(cache, q);
		quiet_end(&quiet);
		q += info.stride;
	}
	EXPECT_NE(good, 0);
	EXPECT(kmem_cache_destroy(cache));
}

#ifdef QUIRE_DEBUG
TEST(slab, writes_beyond_and_after_are_noticed)
{
	struct kmem_cache *cache = kmem_cache_create("wild", 50, 0, NULL);
	char *p;

	REQUIRE_NOT_NULL(cache);
	p = kmem_cache_alloc(cache, GFP_KERNEL);
	EXPECT_EQ(p[0], 0x5a);
	p[50] = 1;
	EXPECT_ONE_LINE(kmem_cache_free(cache, p),
			"written beyond its end: byte 50 is 0x1");
	EXPECT_EQ(p[0], 0x6b);
	p[7] = 2;
	EXPECT_ONE_LINE(EXPECT_EQ(kmem_cache_alloc(cache, GFP_KERNEL), p),
			"after it was freed: byte 7 is 0x2");
	kmem_cache_free(cache, p);
	p[52] = 3;
	EXPECT_ONE_LINE(EXPECT_EQ(kmem_cache_alloc(cache, GFP_KERNEL), p),
			"beyond its end after it was freed: byte 52 is 0x3");
	kmem_cache_free(cache, p);
	EXPECT(slab_verify());
	EXPECT(kmem_cache_destroy(cache));
}
#endif

TEST(slab, verify_sees_what_is_broken)
{
	struct kmem_cache *cache = kmem_cache_create("verify", 128, 0, NULL);
	struct page *page;
	void *p;

	REQUIRE_NOT_NULL(cache);
	p = kmem_cache_alloc(cache, GFP_KERNEL);
	page = virt_to_page(p);
	page->slab_inuse++;
	EXPECT_ONE_LINE(EXPECT(!slab_verify()), "S2: cache verify");
	page->slab_inuse -= 2;
	EXPECT_ONE_LINE(EXPECT(!slab_verify()), "S2: cache verify");
	page->slab_inuse++;
	page->slab_free++;
	EXPECT_ONE_LINE(EXPECT(!slab_verify()), "S5: cache verify");
	page->slab_free--;
	page->type = PAGE_USED;
	EXPECT_ONE_LINE(EXPECT(!slab_verify()), "S1: cache verify");
	page->type = PAGE_SLAB;
	EXPECT(slab_verify());
	kmem_cache_free(cache, p);
	EXPECT(kmem_cache_destroy(cache));
}

/* --- random --------------------------------------------------------------- */

#define CACHES 5
#define SLOTS  500

struct slot {
	uint8_t *p;
	unsigned int cache;
	uint8_t value;
};

static const size_t model_sizes[CACHES] = {8, 40, 200, 1500, 6000};

static void fill_slot(struct slot *s, struct kmem_cache *const *cache,
		      struct rng *rng)
{
	s->cache = rng_below(rng, CACHES);
	s->value = rng_u64(rng);
	s->p = kmem_cache_alloc(cache[s->cache], QUIET);
	if (s->p)
		memset(s->p, s->value, model_sizes[s->cache]);
}

static void empty_slot(struct slot *s, struct kmem_cache *const *cache)
{
	if (!s->p)
		return;
	for (size_t i = 0; i < model_sizes[s->cache]; i++)
		if (s->p[i] != s->value) {
			EXPECT_EQ(s->p[i], s->value);
			break;
		}
	if (s->value % 2)
		kfree(s->p);
	else
		kmem_cache_free(cache[s->cache], s->p);
	s->p = NULL;
}

static void check_counts(const struct slot *slots,
			 struct kmem_cache *const *cache)
{
	size_t count[CACHES] = {0};

	for (unsigned int i = 0; i < SLOTS; i++)
		if (slots[i].p)
			count[slots[i].cache]++;
	for (unsigned int i = 0; i < CACHES; i++)
		EXPECT_EQ(slab_objects(cache[i]), count[i]);
	EXPECT(slab_verify());
}

TEST(slab, random_objects_keep_their_content)
{
	static struct slot slots[SLOTS];
	struct kmem_cache *cache[CACHES];
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (unsigned int i = 0; i < CACHES; i++) {
		cache[i] = kmem_cache_create("model", model_sizes[i], 0, NULL);
		REQUIRE_NOT_NULL(cache[i]);
	}
	for (unsigned int i = 0; i < 10000; i++) {
		struct slot *s = &slots[rng_below(&rng, SLOTS)];

		if (s->p)
			empty_slot(s, cache);
		else
			fill_slot(s, cache, &rng);
		if (i % 500 == 0)
			check_counts(slots, cache);
		if (i % 2000 == 1999)
			slab_drain();
	}
	for (unsigned int i = 0; i < SLOTS; i++)
		empty_slot(&slots[i], cache);
	check_counts(slots, cache);
	for (unsigned int i = 0; i < CACHES; i++)
		EXPECT(kmem_cache_destroy(cache[i]));
	EXPECT(buddy_verify());
}
