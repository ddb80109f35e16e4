/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mapped areas: an area of addresses with pages behind it, and what it is for.
 * vmap() maps pages that the caller has; vmalloc() brings its own.
 *
 * Mapped addresses are touched through <arch/va.h>.
 */
#ifndef MM_VMAP_H
#define MM_VMAP_H

#include <mm/page.h>
#include <mm/pgtable.h>
#include <mm/tlb_log.h>
#include <mm/vmap_index.h>
#include <mm/vmap_purge.h>

/* What an area is for. */
#define VM_ALLOC ((uint32_t)1) /* vmalloc(): has pages of its own */
#define VM_MAP   ((uint32_t)2) /* vmap(): has the caller's pages */
/* Beside these: */
#define VM_ALLOW_HUGE                                                          \
	((uint32_t)4)             /* a request: 2 MiB mappings are welcome     \
				   */
#define VM_HUGE    ((uint32_t)8)  /* has some */
#define VM_USERMAP ((uint32_t)16) /* cleared, may be shown to users */
#define VM_CUT     ((uint32_t)32) /* the tail was unmapped, but not flushed */

/* What a mapped area has to be like. */
struct vm_request {
	size_t size;     /* bytes */
	size_t align;    /* bytes: a power of two; pages are aligned anyway */
	va_t start, end; /* it lies in [start, end), its guard page too */
	gfp_t gfp;       /* for the pages, and what nested allocations may */
	pgprot_t prot;   /* not both writable and executable */
	uint32_t flags;  /* VM_ALLOC or VM_MAP, and others */
	int node;        /* of the pages, or NUMA_NO_NODE */
	const void *caller; /* code address */
};

/*
 * Get an area for @req, with everything filled in but the page array; it is not
 * mapped, and not to be found yet. Bad values, no room and no memory each give
 * one line that begins with @who (the latter two not with __GFP_NOWARN).
 * Context: as req->gfp says.
 * Return: the area; NULL.
 */
struct vm_struct *create_vm_area(struct vmap_space *space,
				 const struct vm_request *req, const char *who);

/*
 * Map @pages, as many as @vm has, and let it be found.
 * Context: as @gfp says.
 * Return: 0; -ENOMEM; -EINVAL when a page is NULL. Then the area can only be
 * given to discard_vm_area().
 */
int map_vm_area(struct vmap_space *space, struct vm_struct *vm,
		struct page *const *pages, pgprot_t prot, gfp_t gfp);

/*
 * Undo create_vm_area(), also after map_vm_area() failed. Context: any.
 */
void discard_vm_area(struct vmap_space *space, struct vm_struct *vm);

/*
 * The short way to an area of @index + 1 pages, of which .size, .pages, .flags
 * and .caller are still to be filled in. @space has caches.
 * Context: any. Return: NULL when none is at hand.
 */
static __always_inline struct vm_struct *take_vm_area(struct vmap_space *space,
						      size_t index)
{
	struct vmap_area *va = vmap_cache_take(space, index);

	return likely(va) ? va_vm(va) : NULL;
}

/* The part of clear_entries() for what lies in several tables. */
void clear_by_table(struct vmap_space *space, const struct vm_struct *vm);

/* Tell the log of the TLBs of @vm: its entries are to be written, or they are
 * cleared now. */
static inline void log_map(const struct vmap_space *space,
			   const struct vm_struct *vm)
{
	tlb_log_map(space->root, (va_t)vm->addr,
		    (va_t)vm->addr + ((size_t)vm->nr_pages << PAGE_SHIFT),
		    vm->caller);
}

static inline void log_unmap(const struct vmap_space *space,
			     const struct vm_struct *vm)
{
	tlb_log_unmap(space->root, (va_t)vm->addr,
		      (va_t)vm->addr + ((size_t)vm->nr_pages << PAGE_SHIFT),
		      vm->caller);
}

/* Clear the entries of @vm, which can't be found. Context: any. */
static __always_inline void clear_entries(struct vmap_space *space,
					  const struct vm_struct *vm)
{
	if (likely(vm->slot))
		pgtable_clear(vm->slot, vm->nr_pages);
	else
		clear_by_table(space, vm);
	log_unmap(space, vm);
}

/* Print why there is nothing to free at @addr, unless it is NULL. */
void explain_bad_free(struct vmap_space *space, const void *addr,
		      const char *who);

/*
 * Write the entries of the pages [@from, @to) of @vm, from its page array. @vm
 * stays unpublished.
 * Context: as @gfp says.
 * Return: 0; -ENOMEM; -EINVAL when a page is NULL.
 */
int map_vm_pages(struct vmap_space *space, struct vm_struct *vm, size_t from,
		 size_t to, pgprot_t prot, gfp_t gfp);

/* Clear the entries of the pages [@from, @to) of @vm. Context: any. */
void clear_vm_pages(struct vmap_space *space, const struct vm_struct *vm,
		    size_t from, size_t to);

/* Pages of @vm that are mapped: its first ones. */
static inline size_t vm_mapped_pages(const struct vm_struct *vm)
{
	return PAGE_ALIGN(vm->size) >> PAGE_SHIFT;
}

/*
 * Have the area of one of the @kinds (VM_ALLOC, VM_MAP) that starts at @addr
 * found no more, and unmap it. Nothing else at @addr is touched; one line that
 * begins with @who then says what is there. NULL is passed over.
 * Context: any.
 * Return: the area, to be given to free_vm_area(); NULL.
 */
struct vm_struct *remove_vm_area(struct vmap_space *space, const void *addr,
				 uint32_t kinds, const char *who);

/*
 * Free an area that can't be found, and of which no entry is set any more: one
 * that remove_vm_area() gave.
 * Context: any.
 */
static __always_inline void free_vm_area(struct vmap_space *space,
					 struct vm_struct *vm)
{
	add_lazy_area(space, vm_va(vm), vm->nr_pages + 1);
}

/*
 * Map the @count pages of @pages one after another. @flags is 0 or VM_MAP; an
 * area without a guard page is not to be had.
 * Context: may wait.
 * Return: the address of the first byte; NULL after one line: no pages, a NULL
 * page among them, unknown flags, both writable and executable, no room.
 */
void *vmap(struct page *const *pages, unsigned int count, uint32_t flags,
	   pgprot_t prot);

/*
 * Undo vmap(); the pages are the caller's, as before. NULL does nothing; what
 * vmap() did not return gives one line.
 * Context: any.
 */
void vunmap(const void *addr);

/*
 * The mapped area around @addr, guard page included. Valid until freed.
 * Context: any, also before vmalloc_init().
 * Return: NULL when there is none.
 */
struct vm_struct *find_vm_area(const void *addr);

/* Is @addr in vmalloc space, mapped or not? Any context. */
static inline bool is_vmalloc_addr(const void *addr)
{
	return (va_t)addr >= VMALLOC_START && (va_t)addr < VMALLOC_END;
}

/* The part of vmalloc_to_page() for what is not in the index. */
struct page *vmalloc_to_page_slow(const void *addr);

/*
 * The page that @addr in vmalloc space is mapped to.
 * Context: any.
 * Return: NULL when nothing is mapped there; the same after one line for
 * an address outside of vmalloc space.
 */
static inline struct page *vmalloc_to_page(const void *addr)
{
	const struct vmap_leaf *leaf = vmap_leaf_at(&vmalloc_space, (va_t)addr);
	const pte_t *table = likely(leaf) ? vmap_leaf_table(leaf) : NULL;
	pte_t pte;

	if (unlikely(!table))
		return vmalloc_to_page_slow(addr);
	pte = pte_get(&table[pt_index((va_t)addr, 0)]);
	if (unlikely(!pte_leaf(pte, 0)))
		return NULL;
	return pa_to_page(pte_pa(pte, 0));
}

/*
 * Check @space's trees, and that just what its areas say is mapped, with an
 * unmapped page between any two; time linear in areas and pages.
 * Context: any; nobody else uses @space.
 * Return: true; false after one line that says what is broken and where.
 */
bool vmap_verify_space(struct vmap_space *space);

/* vmap_verify_space() for vmalloc space. */
static inline bool vmap_verify(void)
{
	return vmap_verify_space(&vmalloc_space);
}

/* vmap_space_stats() of vmalloc space. */
static inline struct vmap_space_stats vmap_stats(void)
{
	return vmap_space_stats(&vmalloc_space);
}

#endif
