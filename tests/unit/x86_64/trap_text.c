/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exceptions in words: made-up ones, compared with their texts. */
#include <lib/test.h>
#include <machine/cpu_init.h>
#include <machine/trap.h>

static char text[160];

static const char *error_text(uint64_t vector, uint64_t error)
{
	size_t n = trap_error_text(text, sizeof(text), vector, error);

	text[n] = '\0'; /* the length is the text's */
	return text;
}

static const char *region_text(va_t va)
{
	trap_region_text(text, sizeof(text), va);
	return text;
}

static const char *pte_text(uint64_t v, unsigned int level)
{
	trap_pte_text(text, sizeof(text), (pte_t){v}, level);
	return text;
}

static const char *summary_text(uint64_t vector, uint64_t error, va_t rsp,
				va_t cr2)
{
	const struct trap_frame frame = {
		.vector = vector,
		.error = error,
		.rsp = rsp,
	};

	trap_summary_text(text, sizeof(text), &frame, cr2);
	return text;
}

TEST(trap_text, names)
{
	EXPECT_STREQ(trap_mnemonic(0), "#DE");
	EXPECT_STREQ(trap_name(0), "divide error");
	EXPECT_STREQ(trap_mnemonic(3), "#BP");
	EXPECT_STREQ(trap_name(6), "invalid opcode");
	EXPECT_STREQ(trap_mnemonic(14), "#PF");
	EXPECT_STREQ(trap_name(18), "machine check");
	EXPECT_STREQ(trap_mnemonic(32), "IRQ");
	EXPECT_STREQ(trap_name(255), "unexpected interrupt");
	for (unsigned int i = 0; i < NR_EXCEPTIONS; i++) {
		EXPECT_NOT_NULL(trap_mnemonic(i));
		EXPECT_NOT_NULL(trap_name(i));
	}
}

TEST(trap_text, page_fault_errors)
{
	EXPECT_STREQ(error_text(14, 0), "read, page not present");
	EXPECT_STREQ(error_text(14, 2), "write, page not present");
	EXPECT_STREQ(error_text(14, 3), "write, page present but not permitted "
					"so");
	EXPECT_STREQ(error_text(14, 0x10), "fetch, page not present");
	EXPECT_STREQ(error_text(14, 0x11),
		     "fetch, page present but not permitted so");
	EXPECT_STREQ(error_text(14, 9),
		     "read, a reserved bit is set in a page-table entry");
	EXPECT_STREQ(error_text(14, 6),
		     "write, page not present, from user mode");
}

TEST(trap_text, selector_errors)
{
	EXPECT_STREQ(error_text(13, 0), "no selector involved");
	EXPECT_STREQ(error_text(13, 0x18), "GDT entry 3");
	EXPECT_STREQ(error_text(13, 0x1c), "LDT entry 3");
	EXPECT_STREQ(error_text(11, 13 << 3 | 2), "IDT entry 13");
	EXPECT_STREQ(error_text(10, 0x21),
		     "GDT entry 4, while delivering an event");
	EXPECT_STREQ(error_text(6, 0), "none");
}

TEST(trap_text, regions)
{
	EXPECT_STREQ(region_text(0), "NULL page, never mapped");
	EXPECT_STREQ(region_text(PAGE_SIZE - 1), "NULL page, never mapped");
	EXPECT_STREQ(region_text(PAGE_SIZE),
		     "low half, nothing is mapped there");
	EXPECT_STREQ(region_text(0x800000000000), "not a canonical address");
	EXPECT_STREQ(region_text(0xffff7fffffffffff),
		     "not a canonical address");
	EXPECT_STREQ(region_text(DIRECT_MAP_BASE + 0x1234),
		     "direct map of physical 1234");
	EXPECT_STREQ(region_text(DIRECT_MAP_BASE - 1),
		     "unused, below the direct map");
	EXPECT_STREQ(region_text(VMALLOC_START - 1),
		     "unused, above the direct map");
	EXPECT_STREQ(region_text(VMALLOC_START), "vmalloc space");
	EXPECT_STREQ(region_text(VMALLOC_END - 1), "vmalloc space");
	EXPECT_STREQ(region_text(VMALLOC_END), "unused, above vmalloc space");
	EXPECT_STREQ(region_text(VMEMMAP_BASE), "page descriptors");
	EXPECT_STREQ(region_text(KERNEL_BASE - 1),
		     "unused, above the page descriptors");
	EXPECT_STREQ(region_text(KERNEL_BASE), "kernel image");
	EXPECT_STREQ(region_text(MODULES_START), "module area");
	EXPECT_STREQ(region_text(FIXMAP_START), "fixmap");
	EXPECT_STREQ(region_text(UINT64_MAX), "last page, never mapped");
}

TEST(trap_text, guard_pages)
{
	size_t nr;
	const struct guarded_stack *stacks = cpu_guarded_stacks(&nr);

	EXPECT_STREQ(region_text(stacks[0].guard),
		     "guard page of the double-fault stack");
	EXPECT_STREQ(region_text(stacks[nr - 1].start - 1),
		     "guard page of the boot stack");
	EXPECT_STREQ(region_text(stacks[0].start), "kernel image");
}

TEST(trap_text, page_table_entries)
{
	EXPECT_STREQ(pte_text(0, 0), "none");
	EXPECT_STREQ(pte_text(0x1000, 0), "0000000000001000 not present");
	EXPECT_STREQ(pte_text(0x2003, 3), "0000000000002003 table 2000: P RW");
	EXPECT_STREQ(pte_text(pte_make(0x5000, PAGE_KERNEL, 0).v, 0),
		     "8000000000005163 maps 5000 rw-: P RW A D G NX");
	EXPECT_STREQ(pte_text(pte_make(0x200000, PAGE_KERNEL_ROX, 1).v, 1),
		     "00000000002001e1 maps 200000 r-x: P A D PS G");
	EXPECT_STREQ(pte_text(pte_make(0x6000, PAGE_KERNEL_NOCACHE, 0).v, 0),
		     "800000000000617b maps 6000 rw- uncached: "
		     "P RW PWT PCD A D G NX");
}

TEST(trap_text, summaries)
{
	EXPECT_STREQ(summary_text(14, 2, 0, 8),
		     "page fault at 0000000000000008 (NULL page, never "
		     "mapped): write, page not present");
	EXPECT_STREQ(summary_text(3, 0, 0, 0), "breakpoint");
	EXPECT_STREQ(summary_text(6, 0, 0, 0), "invalid opcode");
	EXPECT_STREQ(summary_text(13, 0x18, 0, 0),
		     "general protection fault: GDT entry 3");
	EXPECT_STREQ(summary_text(39, 0, 0, 0), "unexpected interrupt 39");
}

TEST(trap_text, stack_overflows)
{
	size_t nr;
	const struct guarded_stack *boot = &cpu_guarded_stacks(&nr)[nr - 1];
	va_t thread = VMALLOC_START + 0x5000;

	EXPECT_CONTAINS(summary_text(8, 0, boot->start, boot->start - 8),
			"stack overflow at ");
	EXPECT_CONTAINS(text, "(guard page of the boot stack)");
	EXPECT_CONTAINS(summary_text(8, 0, thread, thread - 8),
			"stack overflow at ffffc90000004ff8 (vmalloc space)");
	EXPECT_STREQ(summary_text(8, 0, thread, 0x1000), "double fault");
}

TEST(trap_text, texts_are_cut_to_fit)
{
	char small[8] = "xxxxxxx";

	EXPECT_EQ(trap_error_text(small, sizeof(small), 14, 0), 7);
	EXPECT_STREQ(small, "read, p");
	EXPECT_EQ(trap_pte_text(small, sizeof(small),
				pte_make(0x5000, PAGE_KERNEL, 0), 0),
		  7);
	EXPECT_STREQ(small, "8000000");
	EXPECT_EQ(trap_region_text(small, 4, 0), 3);
	EXPECT_STREQ(small, "NUL");
}
