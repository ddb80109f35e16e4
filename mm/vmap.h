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
#include <mm/vmap_area.h>

/* What an area is for. */
#define VM_ALLOC ((uint32_t)1) /* vmalloc(): has pages of its own */
#define VM_MAP   ((uint32_t)2) /* vmap(): has the caller's pages */

/* Areas of up to this many pages keep their page array in the descriptor,
 * which makes that one cache line. */
#define VM_INLINE_PAGES 3

/* A mapped area. All fields are constant while it can be found. */
struct vm_struct {
	void *addr;          /* first byte: the area's va_start */
	size_t size;         /* bytes asked for; the mapping has whole pages */
	struct page **pages; /* the area's own, .nr_pages of them; else NULL */
	uint32_t nr_pages;   /* mapped */
	uint32_t flags;      /* VM_… */
	const void *caller;  /* who asked for it: a code address */
	struct page *inline_pages[VM_INLINE_PAGES];
};

static_assert(sizeof(struct vm_struct) == 64, "one cache line");

/* What a mapped area has to be like. */
struct vm_request {
	size_t size;     /* bytes */
	size_t align;    /* bytes: a power of two; pages are aligned anyway */
	va_t start, end; /* it lies in [start, end), its guard page too */
	gfp_t gfp;       /* for the pages, and what nested allocations may */
	pgprot_t prot;   /* not both writable and executable */
	uint32_t flags;  /* VM_ALLOC or VM_MAP */
	int node;        /* VM_ALLOC: for the pages; NUMA_NO_NODE: this CPU's */
	const void *caller; /* code address */
};

/*
 * Make the cache of descriptors.
 * Context: boot, after slab_init().
 */
void vm_area_init(void);

/*
 * Place an area for @req, with a descriptor, not mapped, not to be found yet.
 * Bad values, no room and no memory each give one line that begins with @who
 * (the latter two not with __GFP_NOWARN).
 * Context: as req->gfp says.
 * Return: the area, its descriptor in .vm; NULL.
 */
struct vmap_area *create_vm_area(struct vmap_space *space,
				 const struct vm_request *req, const char *who);

/*
 * Map @pages, as many as the area has, into @va, which create_vm_area() gave,
 * and let it be found.
 * Context: as @gfp says.
 * Return: 0; an error of pgtable_map_pages(): the area can only be given to
 * discard_vm_area() then.
 */
int map_vm_area(struct vmap_space *space, struct vmap_area *va,
		struct page *const *pages, pgprot_t prot, gfp_t gfp);

/*
 * Undo create_vm_area(), also after map_vm_area() failed.
 * Context: any.
 */
void discard_vm_area(struct vmap_space *space, struct vmap_area *va);

/*
 * Unmap the area of kind @flags (VM_ALLOC or VM_MAP) that starts at @addr, and
 * free its addresses. Nothing else at @addr is touched; one line that begins
 * with @who then says what is there.
 * Context: any.
 * Return: its descriptor, to be given to free_vm_struct(); NULL.
 */
struct vm_struct *remove_vm_area(struct vmap_space *space, const void *addr,
				 uint32_t flags, const char *who);

/* Free a descriptor. Context: any. */
void free_vm_struct(struct vm_struct *vm);

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

/*
 * The page that @addr in vmalloc space is mapped to.
 * Context: any.
 * Return: NULL when nothing is mapped there; the same after one line for
 * an address outside of vmalloc space.
 */
struct page *vmalloc_to_page(const void *addr);

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
