/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What gcc and clang offer beyond C11, under the names that kernels use. */
#ifndef LIB_COMPILER_H
#define LIB_COMPILER_H

#include <stddef.h>

/* The C library of a hosted build has some of these names already. */
#undef likely
#undef unlikely
#undef __printf
#undef __section
#undef __aligned
#undef __packed
#undef __must_check
#undef __always_inline
#undef noinline

#define likely(x)       __builtin_expect(!!(x), 1)
#define unlikely(x)     __builtin_expect(!!(x), 0)
#define __printf(a, b)  __attribute__((format(printf, a, b)))
#define __section(s)    __attribute__((section(s)))
#define __aligned(n)    __attribute__((aligned(n)))
#define __packed        __attribute__((packed))
#define __must_check    __attribute__((warn_unused_result))
#define __always_inline inline __attribute__((always_inline))
#define noinline        __attribute__((noinline))

#ifndef static_assert
#	define static_assert _Static_assert
#endif

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The object of @type whose field @member @ptr points to. */
#define container_of(ptr, type, member)                                        \
	((type *)((char *)(1 ? (ptr) : &((type *)0)->member) -                 \
		  offsetof(type, member)))

/*
 * A linker set collects objects from all over the program: each file adds
 * pointers to the section that has the set's name (a C identifier), and the
 * linker provides the section's bounds.
 *
 *   LINKER_SET(tests, test_add);
 *
 *   LINKER_SET_FOREACH(tests, const struct test, it)
 *           (*it)->run();
 *
 * Pointers of one file are kept in the order of the source, those of different
 * files in the order in which they were linked.
 *
 * A sanitizer would pad the pointers, which no longer made an array then.
 */
#ifdef __clang__
#	define LINKER_SET_ATTR __attribute__((used, no_sanitize("address")))
#else
#	define LINKER_SET_ATTR __attribute__((used, no_reorder))
#endif

#define LINKER_SET(set, obj)                                                   \
	static __typeof__(obj) *const linker_set_##set##_##obj LINKER_SET_ATTR \
		__section(#set) = &(obj)

/* One bound, start or stop, of @set, whose pointers are of type `type *`; weak,
 * so that an empty set is no error: both bounds are NULL then. */
#define LINKER_SET_BOUND(bound, set, type)                                     \
	({                                                                     \
		extern type *const __##bound##_##set[] __attribute__((weak));  \
		__##bound##_##set;                                             \
	})

/* Runs its statement with @it, a `type *const *`, at each pointer of @set. */
#define LINKER_SET_FOREACH(set, type, it)                                      \
	for (type *const *it = LINKER_SET_BOUND(start, set, type),             \
			 *const *it##_end = LINKER_SET_BOUND(stop, set, type); \
	     it < it##_end; it++)

#endif
