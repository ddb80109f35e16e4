# SPDX-License-Identifier: GPL-2.0-or-later
"""The layering check, and the comparison of page tables."""

import unittest

import support      # noqa: F401 (finds tools/)
import check_includes
import machine_map


class Includes(unittest.TestCase):
    def offences(self, path, *lines):
        return [m for _, m in check_includes.check_text(
            path, "\n".join(lines))]

    def test_down_and_sideways(self):
        self.assertEqual(self.offences(
            "mm/slab.c", "#include <lib/list.h>", "#include <mm/page.h>",
            "#include <arch/page.h>", "#include <stddef.h>"), [])

    def test_up(self):
        for path, header in (("lib/a.c", "mm/slab.h"),
                             ("mm/a.c", "kernel/prompt.h"),
                             ("kernel/a.c", "tests/unit/x.h"),
                             ("arch/include/arch/a.h", "mm/page.h"),
                             ("arch/x86_64/cpu/a.c", "kernel/work.h")):
            self.assertEqual(len(self.offences(
                path, f"#include <{header}>")), 1, path)

    def test_arch_may_use_lib(self):
        self.assertEqual(self.offences("arch/x86_64/cpu/a.c",
                                       "#include <lib/printk.h>",
                                       "#include <cpuid.h>"), [])

    def test_machine_headers_stay_behind_the_contract(self):
        self.assertEqual(len(self.offences(
            "mm/a.c", "#include <machine/pte.h>")), 1)
        self.assertEqual(self.offences("tests/unit/x86_64/a.c",
                                       "#include <machine/pte.h>"), [])

    def test_files_beside(self):
        self.assertEqual(self.offences("arch/x86_64/cpu/a.c",
                                       '#include "../platform/pic.h"'), [])
        self.assertEqual(len(self.offences(
            "mm/a.c", '#include "../kernel/prompt.h"')), 1)

    def test_the_host_s_headers(self):
        self.assertEqual(len(self.offences("lib/a.c",
                                           "#include <stdio.h>")), 1)

    def test_questions_about_the_machine(self):
        self.assertEqual(len(self.offences("mm/a.c",
                                           "#ifdef __x86_64__")), 1)
        self.assertEqual(self.offences("mm/a.c", "#ifdef QUIRE_DEBUG"), [])

    def test_line_numbers(self):
        found = list(check_includes.check_text(
            "lib/a.c", "\n\n#  include <mm/x.h>\n"))
        self.assertEqual(found[0][0], 3)


DUMP = """\
0xffff888000001000-0xffff888000003000 8K rw- 4K
0xffff888000200000-0xffff888000600000 4M rw- 2M
0xffffffff80000000-0xffffffff80001000 4K r-x 4K
0xffffffffff000000-0xffffffffff001000         8K rw- uncached 4K
"""
TLB = """\
ffff888000001000: 0000000000001000 XG-DA---W
ffff888000002000: 0000000000002000 XG-DA---W
ffff888000200000: 0000000000200000 XGPDA---W
ffff888000400000: 0000000000400000 XGPDA---W
ffffffff80000000: 0000000000100000 -G--A----
ffffffffff000000: 00000000fed00000 XG-DACT-W
"""


class MachineMap(unittest.TestCase):
    def differences(self, dump=DUMP, tlb=TLB, guards=None):
        return machine_map.differences(machine_map.kernel_leaves(dump),
                                       machine_map.qemu_leaves(tlb),
                                       guards or {})

    def test_agree(self):
        self.assertEqual(self.differences(), [])
        self.assertEqual(len(machine_map.kernel_leaves(DUMP)), 6)

    def test_a_right_differs(self):
        wrong = self.differences(DUMP.replace("r-x 4K", "r-- 4K"))
        self.assertEqual(wrong, ["0xffffffff80000000: the kernel says r-- "
                                 "4K, QEMU r-x 4K"])

    def test_device_memory_cached(self):
        wrong = self.differences(tlb=TLB.replace("DACT-W", "DA---W"))
        self.assertEqual(wrong, ["0xffffffffff000000: the kernel says rw- "
                                 "uncached 4K, QEMU rw- 4K"])

    def test_a_leaf_is_missing(self):
        wrong = self.differences(tlb="\n".join(TLB.splitlines()[1:]))
        self.assertEqual(len(wrong), 1)
        self.assertIn("QEMU unmapped", wrong[0])

    def test_writable_and_executable(self):
        bad = TLB.replace("-G--A----", "-G-DA---W")
        self.assertTrue(any("writable and executable" in line
                            for line in self.differences(tlb=bad)))

    def test_guard_page_mapped(self):
        wrong = self.differences(guards={"stack": 0xffffffff80000000})
        self.assertEqual(wrong,
                         ["0xffffffff80000000: guard page stack is mapped"])

    def test_page_zero(self):
        tlb = TLB + "0000000000000000: 0000000000000000 XG-DA---W\n"
        self.assertIn("page 0 is mapped", self.differences(tlb=tlb))

    def test_addresses_without_their_upper_half(self):
        leaves = machine_map.qemu_leaves(TLB.replace("ffff8880",
                                                     "00008880"))
        self.assertIn(0xffff888000001000, leaves)


if __name__ == "__main__":
    unittest.main()
