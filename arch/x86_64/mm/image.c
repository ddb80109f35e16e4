/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's image: which part lies where and is mapped how.
 *
 * No part is both writable and executable. The stacks come last; the page
 * below each of them belongs to no part and so stays unmapped.
 */
#include <arch/machine.h>
#include <lib/compiler.h>
#include <lib/panic.h>
#include <machine/cpu_init.h>

extern char image_start_pa[];
extern char image_text_start[], image_text_end[];
extern char image_rodata_start[], image_rodata_end[];
extern char image_data_start[], image_data_end[];
extern char image_stacks_start[], image_stacks_end[];
extern char image_end[];

#define MAX_SECTIONS 16

static struct image_section sections[MAX_SECTIONS];
static size_t nr_sections;

static void add(const char *name, va_t start, va_t end, pgprot_t prot)
{
	if (start == end)
		return;
	ASSERTF(nr_sections < MAX_SECTIONS, "image: more than %d sections",
		MAX_SECTIONS);
	sections[nr_sections++] = (struct image_section){
		.name = name,
		.va = start,
		.pa = start - KERNEL_BASE,
		.size = end - start,
		.prot = prot,
	};
}

/* The lowest guard page at or above @va; the end of the stacks if none is. */
static va_t next_guard(va_t va)
{
	size_t nr;
	const struct guarded_stack *stacks = cpu_guarded_stacks(&nr);
	va_t next = (va_t)image_stacks_end;

	for (size_t i = 0; i < nr; i++) {
		if (stacks[i].guard >= va && stacks[i].guard < next)
			next = stacks[i].guard;
	}
	return next;
}

static void add_stacks(void)
{
	va_t va = (va_t)image_stacks_start;
	va_t end = (va_t)image_stacks_end;

	while (va < end) {
		va_t guard = next_guard(va);

		add("stacks", va, guard, PAGE_KERNEL);
		va = guard + PAGE_SIZE;
	}
}

const struct image_section *arch_image_sections(size_t *nr)
{
	if (!nr_sections) {
		add("text", (va_t)image_text_start, (va_t)image_text_end,
		    PAGE_KERNEL_ROX);
		add("rodata", (va_t)image_rodata_start, (va_t)image_rodata_end,
		    PAGE_KERNEL_RO);
		add("data", (va_t)image_data_start, (va_t)image_data_end,
		    PAGE_KERNEL);
		add_stacks();
	}
	*nr = nr_sections;
	return sections;
}

size_t arch_guard_pages(va_t out[], size_t max)
{
	size_t nr;
	const struct guarded_stack *stacks = cpu_guarded_stacks(&nr);

	for (size_t i = 0; i < nr && i < max; i++)
		out[i] = stacks[i].guard;
	return nr;
}

void arch_image_range(pa_t *start, pa_t *end)
{
	*start = (pa_t)image_start_pa;
	*end = (pa_t)image_end - KERNEL_BASE;
}
