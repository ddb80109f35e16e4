# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the host side share; importing it finds tools/."""

import os
import stat
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools"))

GOOD = """\
\x1b[2J\x1b[01;01HBdsDxe: starting Boot0001
Quire: kernel memory, from page tables to vmalloc
memory map: 2 ranges
KTAP version 1
1..2
  KTAP version 1
  # Subtest: list
  1..3
  ok 1 add
  # a remark
  ok 2 del # SKIP needs 64 MiB, have 32
  ok 3 leak_check
ok 1 list
  KTAP version 1
  # Subtest: rbtree
  1..2
  ok 1 insert
  ok 2 leak_check
ok 2 rbtree
Summary: 4 passed, 0 failed, 1 skipped
"""

FAILING = """\
KTAP version 1
1..1
  KTAP version 1
  # Subtest: list
  1..2
  ok 1 add
  # EXPECT_EQ(a, b) failed at tests/unit/list.c:12: a = 3 (0x3), b = 4 (0x4)
  not ok 2 splice
not ok 1 list
Summary: 1 passed, 1 failed, 0 skipped
reproduce: test=list.splice seed=1
"""


def write_program(folder, name, text):
    """Write an executable script and return its path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


class Scratch:
    """Mixin: each test runs in an empty directory of its own."""

    def setUp(self):
        self.before = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()
