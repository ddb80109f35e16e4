# SPDX-License-Identifier: GPL-2.0-or-later
"""What is written for others: JUnit, the benchmark table, JSON lines."""

import json
import unittest
import xml.etree.ElementTree as ET

import support
import bench
import compile_commands
import junit
from junit import Case


class JUnit(support.Scratch, unittest.TestCase):
    def write(self, *cases):
        junit.write("j.xml", [("row", 1.5, list(cases))])
        return ET.parse("j.xml").getroot().find("testsuite")

    def test_counts(self):
        suite = self.write(Case("a"), Case("b", failure="x = 1\nmore"),
                           Case("c", skip="no memory"))
        self.assertEqual(suite.get("tests"), "3")
        self.assertEqual(suite.get("failures"), "1")
        self.assertEqual(suite.get("skipped"), "1")
        failure = suite.findall("testcase")[1].find("failure")
        self.assertEqual(failure.get("message"), "x = 1")
        self.assertEqual(failure.text, "x = 1\nmore")

    def test_what_xml_can_not_carry(self):
        suite = self.write(Case("a", failure="\x1b[2J<&>\x00"))
        self.assertEqual(suite[0].find("failure").text, "?[2J<&>?")

    def test_failure_without_words(self):
        suite = self.write(Case("a", failure=""))
        self.assertEqual(suite[0].find("failure").get("message"), "failed")


LINES = """\
noise
bench: row=fix_size_1 clock=instructions cpus=1 ops=1000 ticks=1215000 \
per_op=1215
bench: row=full_fit skipped: needs 64 MiB, have 32
bench: row=broken failed: no memory after 3
bench: row=own clock=ns cpus=2 ops=10 ticks=50 per_op=5
"""
LINUX = {"fix_size_1": {"linux": 2430, "goal": 240}}


class Bench(support.Scratch, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.rows = bench.parse(LINES)

    def test_parse(self):
        self.assertEqual([r["row"] for r in self.rows],
                         ["fix_size_1", "full_fit", "broken", "own"])
        self.assertEqual(self.rows[0], {
            "row": "fix_size_1", "clock": "instructions", "cpus": 1,
            "ops": 1000, "ticks": 1215000, "per_op": 1215})
        self.assertEqual(self.rows[1]["skipped"], "needs 64 MiB, have 32")

    def test_table(self):
        lines = [bench.table_line(row, LINUX) for row in self.rows]
        self.assertEqual(lines[0].split(),
                         ["fix_size_1", "1,215", "2,430", "0.50", "240"])
        self.assertIn("skipped: needs 64 MiB", lines[1])
        self.assertIn("failed: no memory after 3", lines[2])
        self.assertEqual(lines[3].split(), ["own", "5", "-", "-", "-"])

    def test_nanoseconds_are_not_compared(self):
        row = {"row": "fix_size_1", "clock": "ns", "per_op": 100}
        self.assertEqual(bench.table_line(row, LINUX).split()[3], "-")

    def test_json_lines(self):
        bench.write_json("out", self.rows)
        with open("out", encoding="utf-8") as file:
            read = [json.loads(line) for line in file]
        self.assertEqual(read, self.rows)


class CompileCommands(unittest.TestCase):
    def test_only_what_compiles_the_tree(self):
        lines = ["mkdir -p build/x",
                 "gcc -O2 -MMD -c lib/a.c -o build/a.o",
                 "gcc -O1 -MMD -c lib/a.c -o build/host/a.o",
                 "gcc -c build/release/symbols.S -o x.o",
                 "ld -o x build/a.o"]
        table = compile_commands.entries(lines, "/top")
        self.assertEqual(len(table), 1)
        self.assertEqual(table[0]["file"], "lib/a.c")
        self.assertEqual(table[0]["arguments"][1], "-O2")


if __name__ == "__main__":
    unittest.main()
