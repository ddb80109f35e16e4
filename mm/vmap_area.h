/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Areas: ranges of kernel virtual addresses. What one is made of, and where a
 * new one goes. Who has which: vmap_index.h. How they come back: vmap_purge.h.
 * What is mapped there: vmap.h and vmalloc.h.
 */
#ifndef MM_VMAP_AREA_H
#define MM_VMAP_AREA_H

#include <arch/pte.h>
#include <lib/compiler.h>
#include <lib/list.h>
#include <lib/llist.h>
#include <lib/rbtree.h>
#include <lib/spinlock.h>
#include <mm/gfp.h>

struct page;
struct vm_struct;
struct vmap_cpu;
struct vmap_leaf;

/* Build with VMAP_AREA_WORDS=11 for the layout in which nothing is shared. */
#ifndef VMAP_AREA_WORDS
#	define VMAP_AREA_WORDS 8
#endif

/* State of an area, in the low bits of its va_start. None: free, in a cache,
 * or with whoever just took it. */
#define VA_VM   ((va_t)1) /* busy: .vm says what for */
#define VA_RAM  ((va_t)2) /* busy: handed out piecemeal */
#define VA_LAZY ((va_t)4) /* freed, not flushed yet */
/* Beside the state: the index leads to this descriptor. */
#define VA_INDEXED ((va_t)8)

#define VA_BUSY       (VA_VM | VA_RAM)
#define VA_FLAGS_MASK (PAGE_SIZE - 1)

/*
 * One range, [va_start, va_end), page aligned, a guard page at its end
 * included. The fields of a union are never in use together:
 *	free	subtree_max_size
 *	busy	flags, vm
 *	lazy	flags, purge_list; the same in a cache
 * Lock letters: see struct vmap_space.
 */
#if VMAP_AREA_WORDS == 8
struct vmap_area {
	union {
		va_t va_start;
		va_t flags; /* VA_…, below PAGE_SIZE */
	};
	va_t va_end;
	union {
		size_t subtree_max_size; /* F: largest in the free tree below */
		struct llist_node purge_list;
		struct vm_struct *vm;
	};
	struct rb_node rb_node; /* F: by address */
	struct list_head list;  /* F: by address; else whoever took it */
};

static_assert(offsetof(struct vmap_area, va_end) == 1 * sizeof(void *) &&
		      offsetof(struct vmap_area, vm) == 2 * sizeof(void *) &&
		      offsetof(struct vmap_area, rb_node) ==
			      3 * sizeof(void *) &&
		      offsetof(struct vmap_area, list) == 6 * sizeof(void *),
	      "the order of the fields");
#else
struct vmap_area {
	va_t va_start;
	va_t va_end;
	size_t subtree_max_size; /* F: largest in the free tree below */
	va_t flags;              /* VA_… */
	struct rb_node rb_node;  /* F: by address */
	struct list_head list;   /* F: by address; else whoever took it */
	struct llist_node purge_list;
	struct vm_struct *vm;
};
#endif

static_assert(sizeof(struct vmap_area) == VMAP_AREA_WORDS * sizeof(void *),
	      "8 words, or 11");

static inline va_t get_va_start(const struct vmap_area *va)
{
	return va->va_start & ~VA_FLAGS_MASK;
}

static inline size_t va_size(const struct vmap_area *va)
{
	return va->va_end - get_va_start(va);
}

static inline va_t va_flags(const struct vmap_area *va)
{
	return __atomic_load_n(&va->flags, __ATOMIC_ACQUIRE) & VA_FLAGS_MASK;
}

/* The word that .flags is, for an area at @start with @flags. */
static inline va_t va_flags_word(va_t start, va_t flags)
{
	return VMAP_AREA_WORDS == 8 ? start | flags : flags;
}

/* Replace all flags of @va; what was written before is seen by who sees it. */
static inline void set_va_flags(struct vmap_area *va, va_t flags)
{
	__atomic_store_n(&va->flags, va_flags_word(get_va_start(va), flags),
			 __ATOMIC_RELEASE);
}

/* One value for size and flags: equal for areas in which both are equal. */
static inline size_t va_likeness(const struct vmap_area *va)
{
	return VMAP_AREA_WORDS == 8 ? va->va_end - va->flags
				    : va_size(va) - va->flags;
}

/*
 * If @va starts at @start and has just the flags @from, give it @to instead, in
 * one step: of several CPUs that try, one succeeds.
 */
static inline bool change_va_flags(struct vmap_area *va, va_t start, va_t from,
				   va_t to)
{
	va_t expected = va_flags_word(start, from);

	if (VMAP_AREA_WORDS != 8 && va->va_start != start)
		return false;
	return __atomic_compare_exchange_n(&va->flags, &expected,
					   va_flags_word(start, to), false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/*
 * What a mapped area is for, in the same object as its struct vmap_area, so
 * that a range that is used again finds all of it in place. See vmap.c.
 * Constant while it can be found; K: kept as long as the range is.
 */
struct vm_struct {
	void *addr;          /* K: first byte, the area's va_start */
	size_t size;         /* bytes asked for; the mapping has whole pages */
	struct page **pages; /* the area's own, .nr_pages of them; else NULL */
	uint32_t nr_pages;   /* K: that there is room for; mapped, as a rule */
	uint32_t flags;      /* VM_… */
	const void *caller;  /* who asked for it: a code address */
	pte_t *slot;         /* K: entry of the first page, if one table has
			      * those of all; else NULL */
	struct page **array; /* K: for .pages, all NULL when not in use; NULL:
			      * was not needed yet */
	struct page *page;   /* the page array of an area of one page */
};

/* The descriptor of a range: two cache lines. */
struct vmap_desc {
	struct vmap_area va;
	struct vm_struct vm;
};

static inline struct vm_struct *va_vm(struct vmap_area *va)
{
	return &container_of(va, struct vmap_desc, va)->vm;
}

static inline struct vmap_area *vm_va(struct vm_struct *vm)
{
	return &container_of(vm, struct vmap_desc, vm)->va;
}

/* Makes every CPU forget its translations of [start, end). */
typedef void vmap_flush_fn(va_t start, va_t end);

/* Areas that were freed: see vmap_purge.c. */
struct vmap_lazy {
	struct llist_head list;     /* A: not flushed */
	_Atomic size_t pages;       /* A: on it, more or less */
	_Atomic size_t limit;       /* A: with more of them, look */
	struct llist_node *pending; /* P: closed, of the space's generation */
	struct llist_node *flushed; /* P: still to be given back */
};

/*
 * A stretch of addresses that areas are placed in. There is one for vmalloc
 * space; tests make their own.
 *
 * Lock letters: F free_lock, I index_lock, P purge_lock, A atomic, C constant
 * once it is set up.
 */
struct vmap_space {
	const char *name;      /* C */
	va_t start, end;       /* C */
	pte_t *root;           /* C: page tables that its areas are mapped in */
	vmap_flush_fn *flush;  /* C: tlb_flush_kernel_range; tests change it */
	struct vmap_cpu *cpus; /* C: per-CPU caches; NULL: it has none */

	struct vmap_leaf *index; /* C: see vmap_index.c */
	size_t index_mask;       /* C */
	spinlock_t index_lock;   /* for adding leaves */

	spinlock_t free_lock;
	struct rb_root free_root;   /* F: augmented by subtree_max_size */
	struct list_head free_list; /* F: the same areas, by address */
	size_t nr_free;             /* F */
	size_t free_bytes;          /* F */

	spinlock_t purge_lock;
	struct vmap_lazy lazy;       /* where there are no .cpus */
	struct llist_node *retiring; /* P: flushed, to go to the free tree */
	uint64_t pending_gen;        /* P: of all .pending; 0: they are flushed
				      * or there are none */
	_Atomic unsigned long nr_purges;  /* A: that found something */
	_Atomic unsigned long nr_flushes; /* A */
};

/* A space that is not set up: nothing is found in it. */
extern struct vmap_leaf vmap_no_leaf;
#define VMAP_SPACE_UNSET(name_)                                                \
	{                                                                      \
		.name = (name_), .index = &vmap_no_leaf                        \
	}

/* The kernel's: [VMALLOC_START, VMALLOC_END). */
extern struct vmap_space vmalloc_space;

/*
 * Make the cache of descriptors.
 * Context: boot, after slab_init().
 */
void vmap_area_init(void);

/*
 * Set up @space over the free addresses [start, end), whole pages, whose areas
 * are mapped in the tree at @root. It has no per-CPU caches.
 * Context: may wait.
 * Return: 0; -EINVAL for an empty or unaligned range; -ENOMEM.
 */
int vmap_space_init(struct vmap_space *space, const char *name, va_t start,
		    va_t end, pte_t *root);

/*
 * Give up @space, in which nothing is busy, lazy or cached.
 * Context: any; nobody uses it any more.
 */
void vmap_space_destroy(struct vmap_space *space);

/* What an area has to be like: @size bytes (whole pages) from a multiple of
 * @align (a power of two, at least a page) on, inside [start, end). */
struct vmap_request {
	size_t size, align;
	va_t start, end;
};

/*
 * Take the lowest range of @space that satisfies @req out of the free tree; no
 * flag of it is set. Neither purges nor retries.
 * Context: as @gfp says.
 * Return: 0 with the area in *@area; -ENOSPC: no such range; -ENOMEM: no
 * memory for descriptors. Quiet.
 */
int place_vmap_area(struct vmap_space *space, const struct vmap_request *req,
		    gfp_t gfp, struct vmap_area **area);

/*
 * Give back @va, which is in no tree and not indexed, and in which nothing was
 * ever mapped since it was placed (else: free_vmap_area_lazy()).
 * Context: any.
 */
void free_vmap_area(struct vmap_space *space, struct vmap_area *va);

/* Free the descriptors on @surplus, by .list. Context: any. */
void free_vmap_descriptors(struct list_head *surplus);

/* Sizes of a space at one moment. */
struct vmap_space_stats {
	size_t nr_busy, nr_free, free_bytes, largest_free;
	size_t lazy_pages;   /* freed, not flushed */
	size_t cached_pages; /* flushed, in per-CPU caches */
	unsigned long nr_purges, nr_flushes;
};

/* Context: any; takes the locks one by one. Time linear in indexed pages. */
struct vmap_space_stats vmap_space_stats(struct vmap_space *space);

/*
 * Check every invariant of vmap_area.c, vmap_index.c and vmap_cache.c, the
 * lowest fit against a scan of the list included; time linear in areas and
 * indexed pages.
 * Context: any; nobody else uses @space.
 * Return: true; false after one line that says what is broken and where.
 */
bool vmap_space_verify(struct vmap_space *space);

/* For the checks: the free area with the lowest fit for @req, which goes to
 * @addr, or NULL. Called with free_lock held, or alone. */
struct vmap_area *find_fit_locked(struct vmap_space *space,
				  const struct vmap_request *req, va_t *addr);

/* The same: does @req have a fit in the free @va? */
bool vmap_area_fits(const struct vmap_area *va, const struct vmap_request *req,
		    va_t *addr);

#endif
