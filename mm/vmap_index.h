/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose is an address? From any address inside an area to its descriptor, in a
 * few steps, on any number of CPUs at once, without a lock. See vmap_index.c.
 */
#ifndef MM_VMAP_INDEX_H
#define MM_VMAP_INDEX_H

#include <mm/vmap_area.h>

/* A leaf of the index knows the areas of so many addresses, those that one
 * page table maps. */
#define VMAP_LEAF_SHIFT HUGE_PAGE_SHIFT

/* The key of no leaf: no address is that large. */
#define VMAP_NO_KEY UINTPTR_MAX

/* Letters: A written atomically, C constant once .key is set. */
struct vmap_leaf {
	va_t key;                 /* A: addresses >> VMAP_LEAF_SHIFT */
	struct vmap_area **owner; /* C; A: one for each page */
	pte_t *table;             /* A: that maps them; NULL: not known */
	struct vmap_leaf *next;   /* A: of the same bucket */
};

/* The table that @leaf knows; NULL: none. Any context. */
static inline pte_t *vmap_leaf_table(const struct vmap_leaf *leaf)
{
	return __atomic_load_n(&leaf->table, __ATOMIC_ACQUIRE);
}

/* The part of vmap_leaf_at() for a leaf that is not the @first. */
struct vmap_leaf *vmap_leaf_behind(struct vmap_leaf *first, va_t key);

/* The leaf that knows @addr; NULL: there is none. Any context. */
static __always_inline struct vmap_leaf *
vmap_leaf_at(const struct vmap_space *space, va_t addr)
{
	va_t key = addr >> VMAP_LEAF_SHIFT;
	struct vmap_leaf *leaf = &space->index[key & space->index_mask];

	if (!leaf)
		__builtin_unreachable();
	if (unlikely(__atomic_load_n(&leaf->key, __ATOMIC_ACQUIRE) != key))
		return vmap_leaf_behind(leaf, key);
	return leaf;
}

/* The word of @leaf for the page at @addr. */
static inline struct vmap_area **vmap_owner_slot(const struct vmap_leaf *leaf,
						 va_t addr)
{
	return &leaf->owner[pt_index(addr, 0)];
}

/*
 * The indexed area around @addr, busy or not.
 * Context: any, also before the space is set up.
 * Return: NULL when there is none.
 */
static inline struct vmap_area *vmap_owner(const struct vmap_space *space,
					   va_t addr)
{
	struct vmap_leaf *leaf = vmap_leaf_at(space, addr);

	if (unlikely(!leaf))
		return NULL;
	return __atomic_load_n(vmap_owner_slot(leaf, addr), __ATOMIC_ACQUIRE);
}

/*
 * The busy area around @addr, guard page included. It stays valid as long as
 * its owner does not free it.
 * Context: any, also before the space is set up.
 * Return: NULL when there is none.
 */
struct vmap_area *find_vmap_area(const struct vmap_space *space, va_t addr);

/*
 * Enter @va, which has no flag set, into the index: it is VA_INDEXED then.
 * Context: as @gfp says.
 * Return: 0; -ENOMEM, and nothing was entered.
 */
int vmap_index_insert(struct vmap_space *space, struct vmap_area *va,
		      gfp_t gfp);

/* Let the indexed @va have the addresses of @next, too, which begins where @va
 * ends; the descriptor of @next is free then. Context: any. */
void vmap_index_absorb(struct vmap_space *space, struct vmap_area *va,
		       struct vmap_area *next);

/* Take @va out again; no flag is set then. Context: any. */
void vmap_index_remove(struct vmap_space *space, struct vmap_area *va);

/* Note that @table, which stays, maps the addresses around @addr, which is
 * indexed. Context: any. */
void vmap_index_set_table(struct vmap_space *space, va_t addr, pte_t *table);

/* Let the indexed @va, which starts at vm->addr, be found: it is busy now, for
 * @vm. Context: any. */
static inline void insert_vmap_area(struct vmap_area *va, struct vm_struct *vm)
{
	va->vm = vm;
	__atomic_store_n(&va->flags,
			 va_flags_word((va_t)vm->addr, VA_VM | VA_INDEXED),
			 __ATOMIC_RELEASE);
}

/*
 * Let the area that starts at @addr be found no more, if it is busy with VA_VM
 * and its vm has one of the @kinds. The entries of its pages can be cleared
 * then, and it goes to free_vmap_area_lazy().
 * Context: any. Of several callers one gets it.
 * Return: the area; NULL when there is none.
 */
static inline struct vmap_area *unlink_vmap_area(struct vmap_space *space,
						 va_t addr, uint32_t kinds)
{
	struct vmap_area *va = vmap_owner(space, addr);

	if (unlikely(!va || addr & ~PAGE_MASK || !(va_vm(va)->flags & kinds) ||
		     !change_va_flags(va, addr, VA_VM | VA_INDEXED,
				      VA_LAZY | VA_INDEXED)))
		return NULL;
	return va;
}

/* Called with each indexed area, in no particular order. */
typedef bool vmap_visit_fn(void *ctx, struct vmap_area *va);

/*
 * Call @visit for each indexed area of @space, of any state; false ends it.
 * Context: any, as far as @visit goes; areas do not leave the index meanwhile.
 * Return: false when @visit did.
 */
bool vmap_index_for_each(struct vmap_space *space, vmap_visit_fn *visit,
			 void *ctx);

/* I1..I3 of vmap_index.c. Return: false after one line. Context: as
 * vmap_space_verify(). */
bool vmap_index_verify(struct vmap_space *space);

/* Make @space's index; give up its memory. Context: as vmap_space_init(). */
int vmap_index_init(struct vmap_space *space);
void vmap_index_destroy(struct vmap_space *space);

/* Make the cache of leaves. Context: boot, after slab_init(). */
void vmap_index_boot(void);

/* Pages, and slab objects, of all indices: kept, not leaked. Any context. */
size_t vmap_index_pages(void);
size_t vmap_index_objects(void);

#endif
