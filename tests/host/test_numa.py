# SPDX-License-Identifier: GPL-2.0-or-later
"""The NUMA rows: what QEMU is told, and that other answers are noticed."""

import unittest

import support      # noqa: F401 (finds tools/)
import row_numa
from row_numa import Node

NODES = [Node(64, "0-1"), Node(0, "2"), Node(32, "")]
MATRIX = [[10, 20, 30], [20, 10, 40], [30, 40, 10]]
CONSOLE = """\
nodes: 3, by SRAT and SLIT
node 0: domain 0, 14000 pages, CPUs 0-1
  DMA32  pfn [0x1000, 0x4000): 12000 pages, 11000 free
node 1: domain 1, 0 pages, CPUs 2
node 2: domain 2, 8192 pages, CPUs none
distances from node 0: 10 20 30
distances from node 1: 20 10 40
distances from node 2: 30 40 10
"""


def wrong(console, distances=None):
    return row_numa.differences(console, NODES, distances or MATRIX)


class Flags(unittest.TestCase):
    def test_nodes(self):
        text = " ".join(row_numa.flags(NODES, None))
        self.assertIn("-object memory-backend-ram,size=64M,id=m0 "
                      "-numa node,nodeid=0,memdev=m0,cpus=0-1", text)
        self.assertIn("-numa node,nodeid=1,cpus=2 ", text)
        self.assertTrue(text.endswith("-numa node,nodeid=2,memdev=m2"))

    def test_distances(self):
        text = " ".join(row_numa.flags(NODES, MATRIX))
        self.assertIn("-numa dist,src=1,dst=2,val=40", text)
        self.assertEqual(text.count("dist,"), 6)


class Differences(unittest.TestCase):
    def test_the_same(self):
        self.assertEqual(wrong(CONSOLE), [])

    def test_each_kind(self):
        for was, becomes, part in (
                ("14000 pages", "16385 pages", "16385 pages of 64 MiB"),
                ("14000 pages", "9000 pages", "9000 pages of 64 MiB"),
                ("0 pages, CPUs 2", "1 pages, CPUs 2", "node 1: 1 pages"),
                ("CPUs 0-1", "CPUs 0", "CPUs 0, are 0-1"),
                ("CPUs none", "CPUs 1", "node 2: CPUs 1"),
                ("20 10 40", "20 10 41", "node 1: distances"),
                ("node 2: domain", "node 3: domain", "there are 3")):
            with self.subTest(becomes):
                lines = wrong(CONSOLE.replace(was, becomes))
                self.assertEqual(len(lines), 1)
                self.assertIn(part, lines[0])

    def test_defaults(self):
        lines = row_numa.differences(CONSOLE, NODES, None)
        self.assertEqual(len(lines), 3)
        self.assertEqual(row_numa.differences("", NODES, None),
                         ["the kernel names nodes [], there are 3"])
