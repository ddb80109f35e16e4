# SPDX-License-Identifier: GPL-2.0-or-later
"""The scheduler of rows, the counting, and that failures are told."""

import io
import threading
import unittest
from unittest import mock

import support      # noqa: F401 (finds tools/)
import rows
import runner
import test as target
from junit import Case
from runner import Done, Row
from settings import BadValue


def run(*table):
    stream = io.StringIO()
    done = runner.Runner(list(table), stream).run()
    return done, stream.getvalue()


def good():
    return Done(True, "fine")


def bad():
    return Done(False, "status 37", details=["why"], reproduce="make x")


class Rows(unittest.TestCase):
    def test_needs_come_first(self):
        order = []
        table = [Row("late", lambda: order.append("late") or good(),
                     ("early",)),
                 Row("early", lambda: order.append("early") or good())]
        run(*table)
        self.assertEqual(order, ["early", "late"])

    def test_what_needs_a_failed_row_is_skipped(self):
        done, text = run(Row("a", bad), Row("b", good, ("a",)))
        self.assertTrue(done["b"].skipped)
        self.assertIn("not run: a failed", text)
        self.assertEqual(target.count(done), (0, 1, 1))

    def test_a_failure_names_its_remedy(self):
        _, text = run(Row("a", bad))
        self.assertRegex(text, r"FAIL +a +\d+\.\d s  status 37")
        self.assertIn("reproduce: make x", text)

    def test_refused_values_fail_their_row_only(self):
        done, text = run(Row("a", mock.Mock(side_effect=BadValue("no"))),
                         Row("b", good))
        self.assertFalse(done["a"].ok)
        self.assertTrue(done["b"].ok)
        self.assertIn("no", text)

    @unittest.skipIf(runner.os.cpu_count() == 1, "one core: one at a time")
    def test_two_at_a_time(self):
        meet = threading.Barrier(2, timeout=10)
        done, _ = run(*(Row(name, lambda: meet.wait() is not None and good())
                        for name in "ab"))
        self.assertTrue(done["a"].ok and done["b"].ok)

    def test_select_takes_needs_along(self):
        table = [Row("a", good), Row("b", good, ("a",)), Row("c", good)]
        self.assertEqual([r.name for r in runner.select(
            table, lambda name: name == "b")], ["a", "b"])


class Counting(unittest.TestCase):
    def test_leaves_and_host_rows(self):
        done = {"boot": Done(True, cases=[Case("a"), Case("b", skip="x")]),
                "check": Done(True)}
        self.assertEqual(target.count(done), (2, 0, 1))

    def test_a_row_that_fails_without_a_failed_leaf_counts(self):
        done = {"boot": Done(False, "panic", cases=[Case("a")])}
        self.assertEqual(target.count(done), (1, 1, 0))

    def test_a_failed_leaf_is_not_counted_twice(self):
        done = {"boot": Done(False, cases=[Case("a", failure="x")])}
        self.assertEqual(target.count(done), (0, 1, 0))


class Table(unittest.TestCase):
    def test_names_are_unique_and_needs_exist(self):
        for table in (rows.everything(), rows.part("vmap*")):
            names = [row.name for row in table]
            self.assertEqual(len(names), len(set(names)))
            for row in table:
                self.assertLessEqual(set(row.needs), set(names), row.name)


if __name__ == "__main__":
    unittest.main()
