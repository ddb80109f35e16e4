/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All CPUs at once: random allocations and frees, of memory that another CPU
 * may have allocated, some of them from an interrupt. What was written is
 * checked before it is freed; the structures and the balance afterwards.
 */
#include <arch/cpumask.h>
#include <arch/smp.h>
#include <arch/va.h>
#include <lib/math.h>
#include <lib/random.h>
#include <lib/string.h>
#include <lib/test.h>
#include <mm/page_alloc.h>
#include <mm/slab.h>
#include <mm/vmalloc.h>
#include <mm/vmap_purge.h>
#include <stdatomic.h>

#define QUIET (GFP_KERNEL | __GFP_NOWARN)

/* One kind of memory. */
struct kind {
	void *(*alloc)(struct rng *rng); /* written; NULL: out of memory */
	void (*free)(void *p);           /* checked first. Any context */
	unsigned int rounds;             /* on each CPU */
};

/* Memory that is in use, free for any CPU to take. */
#define SLOTS 64
static _Atomic(void *) slots[SLOTS];

static const struct kind *running;

static void rng_of_cpu(struct rng *rng)
{
	rng_seed(rng, test_seed() * MAX_CPUS + cpu_id());
}

/* Free @p here, or in an interrupt on any CPU. */
static void free_somewhere(void *p, struct rng *rng)
{
	unsigned int cpu = rng_below(rng, cpus_online());

	if (!p)
		return;
	if (rng_below(rng, 256) == 0)
		EXPECT_EQ(cpu_call(cpu, running->free, p, true), 0);
	else
		running->free(p);
}

static void work(void *arg)
{
	struct rng rng;

	rng_of_cpu(&rng);
	for (unsigned int i = 0; i < running->rounds; i++) {
		_Atomic(void *) *slot = &slots[rng_below(&rng, SLOTS)];
		void *p = atomic_exchange(slot, NULL);

		if (!p)
			p = atomic_exchange(slot, running->alloc(&rng));
		free_somewhere(p, &rng);
	}
}

static void run(const struct kind *kind)
{
	running = kind;
	test_run_on_cpus(cpu_online_mask(), work, NULL);
	for (unsigned int i = 0; i < SLOTS; i++) {
		void *p = atomic_exchange(&slots[i], NULL);

		if (p)
			kind->free(p);
	}
	EXPECT(buddy_verify());
	EXPECT(slab_verify());
	EXPECT(vmap_verify());
}

/* --- blocks of pages ------------------------------------------------------ */

/* Its value is at both ends of each page, and in the descriptor. */
static void mark_pages(struct page *page, size_t n, uint64_t value)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t *p = page_address(page + i);

		p[0] = value + i;
		p[PAGE_SIZE / sizeof(*p) - 1] = ~value;
	}
	page->private = value;
}

static bool pages_marked(struct page *page, size_t n)
{
	uint64_t value = page->private;
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		const uint64_t *p = page_address(page + i);

		ok = ok && p[0] == value + i &&
		     p[PAGE_SIZE / sizeof(*p) - 1] == ~value;
	}
	return ok;
}

static void *alloc_block(struct rng *rng)
{
	unsigned int order = rng_below(rng, 5);
	struct page *page = alloc_pages(QUIET, order);

	if (page)
		mark_pages(page, 1UL << order, rng_u64(rng));
	return page;
}

static void free_block(void *p)
{
	struct page *page = p;

	EXPECT_EQ(page_ref_count(page), 1);
	EXPECT(pages_marked(page, 1UL << page->order));
	__free_pages(page, page->order);
}

TEST(stress, blocks_of_pages)
{
	run(&(const struct kind){alloc_block, free_block, 20000});
}

/* --- pages in bulk -------------------------------------------------------- */

#define BULK 40

/* Exchange some pages of @array with those of other CPUs. */
static void exchange_pages(struct page **array, struct rng *rng)
{
	for (unsigned int i = 0; i < 10; i++) {
		struct page **mine = &array[rng_below(rng, BULK)];

		*mine = atomic_exchange(&slots[rng_below(rng, SLOTS)],
					(void *)*mine);
	}
}

static void work_in_bulk(void *arg)
{
	struct page *array[BULK] = {NULL};
	struct rng rng;

	rng_of_cpu(&rng);
	for (unsigned int round = 0; round < 1500; round++) {
		size_t first = rng_below(&rng, BULK);
		bool filled[BULK];

		for (unsigned int i = 0; i < BULK; i++)
			filled[i] = array[i];
		EXPECT_EQ(alloc_pages_bulk(QUIET, BULK, array), BULK);
		for (unsigned int i = 0; i < BULK; i++)
			if (array[i] && !filled[i])
				mark_pages(array[i], 1, rng_u64(&rng));
		exchange_pages(array, &rng);
		for (unsigned int i = 0; i < BULK; i++)
			EXPECT(!array[i] || pages_marked(array[i], 1));
		free_pages_bulk(array + first, BULK - first);
	}
	free_pages_bulk(array, BULK);
}

TEST(stress, pages_in_bulk)
{
	test_run_on_cpus(cpu_online_mask(), work_in_bulk, NULL);
	for (unsigned int i = 0; i < SLOTS; i++) {
		struct page *page = atomic_exchange(&slots[i], NULL);

		if (page) {
			EXPECT(pages_marked(page, 1));
			__free_page(page);
		}
	}
	EXPECT(buddy_verify());
}

/* --- objects -------------------------------------------------------------- */

/* A word with the size, then bytes of one value. */
struct object {
	uint32_t size;
	uint8_t value;
	uint8_t bytes[];
};

static bool object_ok(const struct object *o)
{
	for (size_t i = sizeof(*o); i < o->size; i++)
		if (((const uint8_t *)o)[i] != o->value)
			return false;
	return true;
}

static struct object *write_object(struct object *o, size_t size,
				   struct rng *rng)
{
	if (!o)
		return NULL;
	o->value = rng_u64(rng);
	memset(o, o->value, size);
	o->size = size;
	o->value = ((uint8_t *)o)[sizeof(*o)];
	return o;
}

static void *alloc_any_size(struct rng *rng)
{
	size_t size = sizeof(struct object) + 1 +
		      rng_below(rng, rng_below(rng, 8) ? 100 : 3000);

	return write_object(kmalloc(size, QUIET), size, rng);
}

static void free_any_size(void *p)
{
	EXPECT(object_ok(p));
	kfree(p);
}

TEST(stress, objects_of_any_size)
{
	run(&(const struct kind){alloc_any_size, free_any_size, 10000});
}

#define OBJECT_SIZE 120

static struct kmem_cache *cache;

static void *alloc_object(struct rng *rng)
{
	return write_object(kmem_cache_alloc(cache, QUIET), OBJECT_SIZE, rng);
}

static void free_object(void *p)
{
	EXPECT(object_ok(p));
	kmem_cache_free(cache, p);
}

/* One cache, and somebody who takes its empty slabs away. */
TEST(stress, objects_of_one_cache)
{
	cache = kmem_cache_create("stress", OBJECT_SIZE, 0, NULL);
	REQUIRE_NOT_NULL(cache);
	run(&(const struct kind){alloc_object, free_object, 20000});
	EXPECT_EQ(slab_objects(cache), 0);
	kmem_cache_destroy(cache);
}

/* --- vmalloc -------------------------------------------------------------- */

static void *alloc_area(struct rng *rng)
{
	size_t size = 1 + rng_below(rng, 12 * PAGE_SIZE);
	void *p = rng_below(rng, 16) ? vmalloc(size) : vzalloc(size);
	uint64_t value = rng_u64(rng);

	for (size_t at = 0; p && at < size; at += PAGE_SIZE)
		va_store64((va_t)p + at, value + at);
	if (rng_below(rng, 40) == 0)
		vm_unmap_aliases();
	return p;
}

static void free_area(void *p)
{
	struct vm_struct *vm = find_vm_area(p);
	uint64_t value = va_load64((va_t)p);

	EXPECT_NOT_NULL(vm);
	for (size_t at = 0; vm && at < vm->size; at += PAGE_SIZE)
		EXPECT_EQ(va_load64((va_t)p + at), value + at);
	vfree(p);
}

TEST(stress, areas)
{
	run(&(const struct kind){alloc_area, free_area, 2000});
	vm_unmap_aliases();
	EXPECT(vmap_verify());
}
