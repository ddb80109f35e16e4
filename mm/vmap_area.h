/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Areas: ranges of kernel virtual addresses. Who has which, and where a new
 * one goes. What is mapped there is the matter of vmap.h and vmalloc.h.
 */
#ifndef MM_VMAP_AREA_H
#define MM_VMAP_AREA_H

#include <arch/pte.h>
#include <lib/list.h>
#include <lib/llist.h>
#include <lib/rbtree.h>
#include <lib/spinlock.h>
#include <mm/gfp.h>

struct vm_struct;

/* State of an area, in the low bits of its va_start. None: free, or with
 * whoever just took it. */
#define VA_VM   ((va_t)1) /* busy: .vm says what for */
#define VA_RAM  ((va_t)2) /* busy: handed out piecemeal */
#define VA_LAZY ((va_t)4) /* freed, not flushed yet */

#define VA_FLAGS_MASK (PAGE_SIZE - 1)

/*
 * One range, [va_start, va_end), page aligned, a guard page at its end
 * included. The fields of a union are never in use together:
 *	free	subtree_max_size
 *	busy	flags, vm
 *	lazy	flags, purge_list
 * Lock letters: see struct vmap_space.
 */
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
	struct rb_node rb_node; /* F or B: by address */
	struct list_head list;  /* F: by address; else whoever took it */
};

_Static_assert(sizeof(struct vmap_area) == 8 * sizeof(void *), "8 words");
_Static_assert(offsetof(struct vmap_area, va_end) == 1 * sizeof(void *) &&
		       offsetof(struct vmap_area, vm) == 2 * sizeof(void *) &&
		       offsetof(struct vmap_area, rb_node) ==
			       3 * sizeof(void *) &&
		       offsetof(struct vmap_area, list) == 6 * sizeof(void *),
	       "the order of the fields");

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
	return va->flags & VA_FLAGS_MASK;
}

/* Replace all flags of @va. */
static inline void set_va_flags(struct vmap_area *va, va_t flags)
{
	va->flags = get_va_start(va) | flags;
}

/* Makes every CPU forget its translations of [start, end). */
typedef void vmap_flush_fn(va_t start, va_t end);

/*
 * A stretch of addresses that areas are placed in. There is one for vmalloc
 * space; tests make their own.
 *
 * Lock letters: F free_lock, B busy_lock, P purge_lock, A atomic, C constant
 * once it is set up.
 */
struct vmap_space {
	const char *name;     /* C */
	va_t start, end;      /* C */
	pte_t *root;          /* C: page tables that its areas are mapped in */
	vmap_flush_fn *flush; /* C: tlb_flush_kernel_range; tests change it */

	spinlock_t free_lock;
	struct rb_root free_root;   /* F: augmented by subtree_max_size */
	struct list_head free_list; /* F: the same areas, by address */
	size_t nr_free;             /* F */
	size_t free_bytes;          /* F */

	spinlock_t busy_lock;
	struct rb_root busy_root; /* B */
	size_t nr_busy;           /* B */

	spinlock_t purge_lock;
	struct llist_head lazy_list;      /* A: areas with VA_LAZY */
	_Atomic size_t lazy_pages;        /* A: at least those on the list */
	_Atomic unsigned long nr_purges;  /* A: that found something */
	_Atomic unsigned long nr_flushes; /* A */
};

/* The kernel's: [VMALLOC_START, VMALLOC_END). */
extern struct vmap_space vmalloc_space;

/*
 * Make the cache of descriptors.
 * Context: boot, after slab_init().
 */
void vmap_area_init(void);

/*
 * Set up @space over the free addresses [start, end), whole pages, whose areas
 * are mapped in the tree at @root.
 * Context: may wait.
 * Return: 0; -EINVAL for an empty or unaligned range; -ENOMEM.
 */
int vmap_space_init(struct vmap_space *space, const char *name, va_t start,
		    va_t end, pte_t *root);

/*
 * Give up @space, in which nothing is busy or lazy.
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
 * Take the lowest range of @space that satisfies @req; it is neither free nor
 * busy then, and no flag is set. Neither purges nor retries.
 * Context: as @gfp says.
 * Return: 0 with the area in *@area; -ENOSPC: no such range; -ENOMEM: no
 * memory for descriptors. Quiet.
 */
int place_vmap_area(struct vmap_space *space, const struct vmap_request *req,
		    gfp_t gfp, struct vmap_area **area);

/*
 * Give back @va, which is in no tree, and in which nothing was ever mapped
 * since it was placed (else: free_vmap_area_lazy()).
 * Context: any.
 */
void free_vmap_area(struct vmap_space *space, struct vmap_area *va);

/* Free the descriptors on @surplus, by .list. Context: any. */
void free_vmap_descriptors(struct list_head *surplus);

/*
 * Let @va be found: it is busy now, for @vm.
 * Context: any.
 */
void insert_vmap_area(struct vmap_space *space, struct vmap_area *va,
		      struct vm_struct *vm);

/*
 * The busy area around @addr, guard page included. It stays valid as long as
 * its owner does not free it.
 * Context: any, also before the space is set up.
 * Return: NULL when there is none.
 */
struct vmap_area *find_vmap_area(struct vmap_space *space, va_t addr);

/* Is the busy @va the one that is meant? Called with busy_lock held. */
typedef bool vmap_wanted_fn(const struct vmap_area *va, const void *arg);

/*
 * Take the busy area that starts at @addr out of the busy tree, if @wanted
 * (NULL: always) agrees.
 * Context: any.
 * Return: the area, in no tree; NULL when there is none.
 */
struct vmap_area *unlink_vmap_area(struct vmap_space *space, va_t addr,
				   vmap_wanted_fn *wanted, const void *arg);

/* Sizes of a space at one moment. */
struct vmap_space_stats {
	size_t nr_busy, nr_free, free_bytes, largest_free;
	size_t lazy_pages;
	unsigned long nr_purges, nr_flushes;
};

/* Context: any; takes the locks one by one. */
struct vmap_space_stats vmap_space_stats(struct vmap_space *space);

/*
 * Check every invariant of vmap_area.c, the lowest fit against a scan of the
 * list included; time linear in areas.
 * Context: any; nobody else uses @space.
 * Return: true; false after one line that says what is broken and where.
 */
bool vmap_space_verify(struct vmap_space *space);

#endif
