# SPDX-License-Identifier: GPL-2.0-or-later
"""The KTAP reader: what it takes, and everything that it refuses."""

import unittest

import support
import ktap


def read(text, **how):
    return ktap.read(text.splitlines(), **how)


def problems(text):
    return [str(problem) for problem in read(text).problems]


TOP = "KTAP version 1\n"


class Accepts(unittest.TestCase):
    def test_nested_with_noise_before_and_between(self):
        report = read(support.GOOD)
        self.assertEqual(report.problems, [])
        self.assertEqual(report.counts(), (4, 0, 1))
        self.assertEqual([name for name, _ in report.leaves()], [
            "list.add", "list.del", "list.leak_check", "rbtree.insert",
            "rbtree.leak_check"])

    def test_skip_keeps_its_reason(self):
        leaf = dict(read(support.GOOD).leaves())["list.del"]
        self.assertEqual(leaf.skip, "needs 64 MiB, have 32")
        self.assertEqual(leaf.output, ["  # a remark"])

    def test_failure_keeps_what_was_printed(self):
        report = read(support.FAILING)
        self.assertEqual(report.problems, [])
        self.assertEqual(report.counts(), (1, 1, 0))
        leaf = dict(report.leaves())["list.splice"]
        self.assertIn("a = 3 (0x3)", leaf.output[0])

    def test_carriage_returns(self):
        report = read(TOP + "1..1\r\nok 1 a\r\n")
        self.assertEqual(report.problems, [])
        self.assertEqual(report.counts(), (1, 0, 0))

    def test_three_levels(self):
        report = read(TOP + "1..1\n"
                      "  KTAP version 1\n  1..1\n"
                      "    KTAP version 1\n    1..1\n    ok 1 deep\n"
                      "  ok 1 middle\nok 1 top\n")
        self.assertEqual(report.problems, [])
        self.assertEqual([n for n, _ in report.leaves()],
                         ["top.middle.deep"])

    def test_a_dash_before_the_name(self):
        report = read(TOP + "1..1\nok 1 - a\n")
        self.assertEqual([n for n, _ in report.leaves()], ["a"])

    def test_words_that_only_look_like_results(self):
        text = TOP + "1..1\nokay so far\n4..5 of them\nok 1 a\n"
        self.assertEqual(problems(text), [])

    def test_parent_that_fails_by_itself_is_a_leaf(self):
        report = read(TOP + "1..1\n  KTAP version 1\n  1..1\n  ok 1 a\n"
                      "not ok 1 suite\n")
        self.assertEqual(report.problems, [])
        self.assertEqual(report.counts(), (1, 1, 0))

    def test_first_only_ignores_what_is_typed_later(self):
        again = support.GOOD + "quire> run list\n" + support.FAILING
        self.assertEqual(read(again, first_only=True).problems, [])
        self.assertNotEqual(read(again).problems, [])


class Refuses(unittest.TestCase):
    def check(self, text, *expected):
        found = problems(text)
        self.assertEqual(len(found), len(expected), found)
        for problem, part in zip(found, expected):
            self.assertIn(part, problem)

    def test_empty_log(self):
        self.check("", "line 1: no \"KTAP version 1\" line")

    def test_no_document(self):
        self.check("Quire\nPANIC: x\n", "line 2: no \"KTAP version 1\"")

    def test_no_plan(self):
        self.check(TOP + "ok 1 a\n", "line 1: top level: no plan")

    def test_no_plan_in_subtest(self):
        self.check(TOP + "1..1\n  KTAP version 1\n  # Subtest: s\n"
                   "  ok 1 a\nok 1 s\n", 'line 3: subtest "s": no plan')

    def test_plan_of_nothing(self):
        self.check(TOP + "1..0\n", "line 2: plan of no tests")

    def test_second_plan(self):
        self.check(TOP + "1..1\n1..1\nok 1 a\n", "line 3: second plan")

    def test_late_plan(self):
        self.check(TOP + "ok 1 a\n1..1\n", "line 3: plan after the first",
                   "line 1: top level: no plan")

    def test_malformed_plan(self):
        self.check(TOP + "0..1\nok 1 a\n", 'line 2: malformed plan "0..1"',
                   "no plan")

    def test_short_plan(self):
        self.check(TOP + "1..3\nok 1 a\nok 2 b\n",
                   "line 4: top level: plan says 3 results, got 2")

    def test_short_plan_in_subtest(self):
        self.check(TOP + "1..1\n  KTAP version 1\n  # Subtest: s\n  1..2\n"
                   "  ok 1 a\nok 1 s\n",
                   'line 7: subtest "s": plan says 2 results, got 1')

    def test_result_beyond_the_plan(self):
        self.check(TOP + "1..1\nok 1 a\nok 2 b\n",
                   "line 4: result 2 of a plan of 1")

    def test_duplicate_number(self):
        self.check(TOP + "1..2\nok 1 a\nok 1 b\n",
                   "line 4: result 1 for the second time")

    def test_missing_number(self):
        self.check(TOP + "1..3\nok 1 a\nok 3 c\n",
                   "line 4: result 3, expected 2",
                   "plan says 3 results, got 2")

    def test_duplicate_name(self):
        self.check(TOP + "1..2\nok 1 a\nok 2 a\n",
                   'line 4: a second "a", first at line 3')

    def test_result_without_a_number(self):
        self.check(TOP + "1..1\nok a\n", 'line 3: malformed result "ok a"',
                   "got 0")

    def test_result_without_a_name(self):
        self.check(TOP + "1..1\nok 1\n", 'line 3: malformed result "ok 1"',
                   "got 0")

    def test_line_cut_in_the_middle(self):
        self.check(TOP + "1..2\nok 1 a\nok", 'line 4: malformed result "ok"',
                   "plan says 2 results, got 1")

    def test_bail_out(self):
        self.check(TOP + "1..1\nBail out! no memory\nok 1 a\n",
                   "line 3: Bail out! no memory")

    def test_truncated_inside_a_subtest(self):
        self.check(TOP + "1..2\n  KTAP version 1\n  # Subtest: s\n"
                   "  1..2\n  ok 1 a\n",
                   'line 6: subtest "s": plan says 2 results, got 1',
                   'line 6: the log ends inside subtest "s"',
                   "line 6: top level: plan says 2 results, got 0")

    def test_subtest_without_its_result(self):
        self.check(TOP + "1..1\n  KTAP version 1\n  1..1\n"
                   "    KTAP version 1\n    1..1\n    ok 1 a\nok 1 s\n",
                   "line 5: subtest without a result of its own",
                   "plan says 1 results, got 0")

    def test_parent_ok_over_a_failed_child(self):
        self.check(TOP + "1..1\n  KTAP version 1\n  1..1\n  not ok 1 a\n"
                   "ok 1 s\n", 'line 6: "s" is ok though 1 below it failed')

    def test_result_of_another_subtest(self):
        self.check(TOP + "1..1\n  KTAP version 1\n  # Subtest: s\n  1..1\n"
                   "  ok 1 a\nok 1 t\n",
                   'line 7: result "t" closes subtest "s"')

    def test_second_document(self):
        self.check(TOP + "1..1\nok 1 a\n" + TOP,
                   "line 4: a second KTAP document begins")

    def test_unknown_version(self):
        self.check(TOP + "1..1\n  KTAP version 2\n  1..1\n  ok 1 a\n"
                   "ok 1 s\n", 'line 3: "KTAP version 2": only')

    def test_subtest_too_deep(self):
        self.check(TOP + "1..1\n    KTAP version 1\nok 1 a\n",
                   "line 3: subtest at 4 blanks, expected 2")

    def test_result_too_deep(self):
        self.check(TOP + "1..1\n  ok 1 a\n",
                   "line 3: result at 2 blanks, expected 0", "got 0")

    def test_subtest_name_in_the_wrong_column(self):
        self.check(TOP + "1..1\n  KTAP version 1\n# Subtest: s\n  1..1\n"
                   "  ok 1 a\nok 1 s\n",
                   'line 4: "# Subtest: s" at 0 blanks, expected 2')

    def test_unused_directive(self):
        self.check(TOP + "1..1\nnot ok 1 a # TODO later\n",
                   'line 3: directive "TODO" is not used')

    def test_failed_and_skipped(self):
        self.check(TOP + "1..1\nnot ok 1 a # SKIP why\n",
                   'line 3: "a" failed and was skipped at once')


if __name__ == "__main__":
    unittest.main()
