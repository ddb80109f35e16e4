/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page descriptors: one `struct page` for every page of memory. See page.c.
 */
#ifndef MM_PAGE_H
#define MM_PAGE_H

#include <arch/page.h>
#include <lib/compiler.h>
#include <lib/list.h>
#include <mm/memblock.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks of pages have 2^order pages, order 0..MAX_ORDER: 4 KiB to 4 MiB. */
#define MAX_ORDER       10
#define NR_ORDERS       (MAX_ORDER + 1)
#define MAX_BLOCK_PAGES (1UL << MAX_ORDER)

struct kmem_cache;

/* What a descriptor says about its page. All zeros: PAGE_NONE. */
enum page_type {
	PAGE_NONE, /* no block starts here: inside one, reserved, no memory */
	PAGE_FREE, /* first page of a free block */
	PAGE_KEPT, /* the same, on a CPU's list: its zone counts it as used */
	PAGE_USED, /* first page of an allocated block */
	PAGE_SLAB, /* the same, and slab objects are in it */
	PAGE_FRAG, /* the same, and it is cut into fragments */
	PAGE_TAIL, /* inside an allocated compound block of order .order */
};

/* struct page.flags, of the head of an allocated block; else 0 */
#define PAGE_COMPOUND   ((uint8_t)1) /* the other pages are PAGE_TAIL */
#define PAGE_PFMEMALLOC ((uint8_t)2) /* from the reserves */

/*
 * Who may touch a field: of a free block, whoever holds the zone's lock (Z);
 * of a kept block the CPU that keeps it (K); of an allocated block its owner
 * (O); of a slab, whoever holds the cache's lock (S).
 */
struct page {
	union {
		struct list_head list; /* Z: free list. S: cache's. Else O */
		struct page *next;     /* K: the CPU's list */
	};
	union {
		unsigned long private;         /* O: at the owner's disposal */
		struct kmem_cache *slab_cache; /* S, constant */
	};
	union {
		struct {
			union {
				_Atomic uint32_t refcount; /* users; free: 0 */
				struct {
					uint16_t slab_inuse; /* S: objects */
					uint16_t slab_free;  /* S: the first */
				};
			};
			uint8_t type;  /* enum page_type. Z, O */
			uint8_t order; /* of the block. Z, O */
			uint8_t zone;  /* where the block is, an index. Z, O */
			uint8_t flags; /* Z, O */
		};
		uint64_t head; /* all of these as one value, see page_head() */
	};
};

_Static_assert(sizeof(struct page) == 32, "two descriptors a cache line");

/* Descriptor of pfn 0; mapped only where pfn_valid(). */
#define vmemmap ((struct page *)VMEMMAP_BASE)

/* Make of the allocated block at @page one of another type. Another CPU may
 * look whether it is free. Context: its owner. */
static inline void page_set_type(struct page *page, enum page_type type)
{
	__atomic_store_n(&page->type, (uint8_t)type, __ATOMIC_RELAXED);
}

static inline struct page *pfn_to_page(unsigned long pfn)
{
	return vmemmap + pfn;
}

static inline unsigned long page_to_pfn(const struct page *page)
{
	return ((va_t)page - VMEMMAP_BASE) / sizeof(*page);
}

static inline pa_t page_to_pa(const struct page *page)
{
	return ((va_t)page - VMEMMAP_BASE) * (PAGE_SIZE / sizeof(*page));
}

static inline struct page *pa_to_page(pa_t pa)
{
	return pfn_to_page(pa >> PAGE_SHIFT);
}

/* Direct map address of a page's memory. Any context. */
static inline void *page_address(const struct page *page)
{
	return pa_to_va(page_to_pa(page));
}

/* Descriptor of the page at direct map address @va. Any context. */
static inline struct page *virt_to_page(const void *va)
{
	return pa_to_page(va_to_pa(va));
}

/*
 * One bit for each MAX_BLOCK_PAGES pages, set: they have descriptors. All pages
 * below page_first_hole have.
 */
extern unsigned long *page_present;
extern unsigned long page_present_bits;
extern unsigned long page_first_hole;

/*
 * Is there a descriptor for this pfn, any number? (Its page may still be
 * reserved or no memory: descriptors come MAX_BLOCK_PAGES at a time.)
 * Context: any. False for all before page_init().
 */
static inline bool pfn_valid(unsigned long pfn)
{
	unsigned long bit = pfn >> MAX_ORDER;

	if (likely(pfn < page_first_hole))
		return true;
	return bit < page_present_bits &&
	       (page_present[bit / 64] >> (bit % 64) & 1);
}

/* Is @va a direct map address whose page has a descriptor? Any context. */
static inline bool virt_addr_valid(const void *va)
{
	return pfn_valid(va_to_pa(va) >> PAGE_SHIFT);
}

/* Is @page, any pointer, a descriptor that exists? Any context. */
static inline bool page_valid(const struct page *page)
{
	va_t offset = (va_t)page - VMEMMAP_BASE;

	return offset % sizeof(*page) == 0 && pfn_valid(offset / sizeof(*page));
}

/*
 * The value of struct page.head for a block with @refs users and no flags:
 * written, and compared, in one instruction. PAGE_NONE is 0.
 */
static inline uint64_t page_head(enum page_type type, unsigned int order,
				 uint8_t zone, uint32_t refs)
{
	return refs | (uint64_t)type << 32 | (uint64_t)order << 40 |
	       (uint64_t)zone << 48;
}

/* Write the head of @page, whose owner, or whose zone's lock, one has: whoever
 * frees a neighbour looks at it under the lock alone. */
static inline void page_set_head(struct page *page, uint64_t head)
{
	__atomic_store_n(&page->head, head, __ATOMIC_RELAXED);
}

/* The head of @page, anybody's, as it was at one moment: a descriptor with that
 * head, and nothing else. */
static inline struct page page_seen(const struct page *page)
{
	return (struct page){
		.head = __atomic_load_n(&page->head, __ATOMIC_RELAXED)};
}

/* The zone that a head says. */
static inline uint8_t page_head_zone(uint64_t head)
{
	return head >> 48 & 0xff;
}

/*
 * First descriptor of the compound block around @page; @page itself when it is
 * in none. Context: any; the caller holds a reference.
 */
static inline struct page *compound_head(struct page *page)
{
	unsigned long inside = (1UL << page->order) - 1;

	if (likely(page->type != PAGE_TAIL))
		return page;
	return page - (page_to_pfn(page) & inside);
}

/*
 * Head of the allocated block around address @va, where that is a compound one
 * or on its first page; else the descriptor of @va's page.
 * Context: any; virt_addr_valid(va). Told from .order alone: by P3 a head's pfn
 * has no bits below its order.
 */
static inline struct page *virt_to_head_page(const void *va)
{
	unsigned long pfn = va_to_pa(va) >> PAGE_SHIFT;

	return pfn_to_page(pfn & -1UL << pfn_to_page(pfn)->order);
}

/* Did the block at the head @page come from the reserves, which only those may
 * use who free memory with it? Context: any; the caller holds a reference. */
static inline bool page_is_pfmemalloc(const struct page *page)
{
	return page->flags & PAGE_PFMEMALLOC;
}

/* Users of the block that @page starts or is a tail of. Any context. */
static inline unsigned int page_ref_count(struct page *page)
{
	return atomic_load_explicit(&compound_head(page)->refcount,
				    memory_order_relaxed);
}

/*
 * One more user of the allocated block that @page starts or is a tail of.
 * Context: any; the caller has a reference. Panics when there was none.
 */
void get_page(struct page *page);

/*
 * Find the next stretch of vmemmap, at or after address @from (0: the first),
 * that must be mapped and zeroed for the memory in @mb. Stretches ascend, do
 * not touch, and are page aligned.
 * Context: boot.
 * Return: true with [*start, *end); false: that was all.
 */
bool vmemmap_next(const struct memblock *mb, va_t from, va_t *start, va_t *end);

/*
 * Note which pages have descriptors: those that vmemmap_next() tells. They are
 * mapped and zeroed by now.
 * Context: boot, before page_alloc_init(). Panics without memory for the map.
 */
void page_init(struct memblock *mb);

/* Name of a page type, for messages. Any context. */
const char *page_type_name(unsigned int type);

#endif
