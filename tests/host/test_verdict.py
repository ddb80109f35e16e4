# SPDX-License-Identifier: GPL-2.0-or-later
"""What is said of a run, for every way in which one can end."""

import unittest
from unittest import mock

import support
import qemu
import verdict
from verdict import Expected


def judge(console=support.GOOD, status=33, expect=None, interactive=False,
          **how):
    outcome = qemu.Outcome("x", status, console=console, limit=60, **how)
    return verdict.judge(outcome, expect or Expected(tests=3), interactive)


class Judge(unittest.TestCase):
    def check(self, judged, word, part, status):
        self.assertEqual(judged.word, word, judged.line)
        self.assertIn(part, judged.line)
        self.assertEqual(judged.status, status)
        self.assertEqual(judged.ok, word == "passed")

    def test_passed(self):
        self.check(judge(), "passed", "4 tests passed, 1 skipped", 0)

    def test_status_alone_is_not_enough(self):
        cut = support.GOOD[:support.GOOD.index("ok 2 rbtree")]
        self.check(judge(cut), "incomplete",
                   'the log ends inside subtest "rbtree"', 1)

    def test_plan_alone_is_not_enough(self):
        self.check(judge(status=35), "failed", "ok 2 rbtree", 35)

    def test_number_of_tests_counts(self):
        self.check(judge(expect=Expected(tests=4)), "incomplete",
                   "3 tests ran, the kernel holds 4", 1)

    def test_no_test_at_all(self):
        empty = "KTAP version 1\n1..1\nok 1 leak_check\n"
        self.check(judge(empty, expect=Expected()), "incomplete",
                   "no test was run", 1)

    def test_failed(self):
        self.check(judge(support.FAILING, 35, Expected()), "failed",
                   "1 of 2 tests failed", 35)

    def test_failed_though_the_status_says_passed(self):
        self.check(judge(support.FAILING, 33, Expected()), "failed",
                   "1 of 2 tests failed", 1)

    def test_refused_before_any_test(self):
        self.check(judge('Quire\nunknown parameter "x"\n', 35), "failed",
                   'unknown parameter "x"', 35)

    def test_glob_without_a_test(self):
        text = 'test="x": no test matches\nSummary: 0 passed, 1 failed\n'
        self.check(judge(text, 35), "failed", "no test matches", 35)

    def test_panic(self):
        text = "Quire\nPANIC: order 11: must be 0..10\n  #0 main+0x1\n"
        self.check(judge(text, 37), "panic", "order 11: must be", 37)

    def test_hang(self):
        self.check(judge("Quire\nhalf a li", None, hung=True), "hang",
                   "not over after 60 s; last line: half a li", 124)

    def test_triple_fault(self):
        self.check(judge("Quire\n", 0, tripled=True), "triple fault",
                   "last line: Quire", 1)

    def test_reset(self):
        self.check(judge("", 0), "reset", "nothing was printed", 1)

    def test_reset_after_a_complete_plan(self):
        self.check(judge(status=0), "reset", "switched off", 1)

    def test_qemu_dies_at_start(self):
        self.check(judge("", 1, complaint="qemu: bad device"), "qemu",
                   "bad device", 1)

    def test_qemu_is_killed(self):
        self.check(judge("", -9), "qemu",
                   "signal 9: QEMU gave no reason", 1)
        self.check(judge("", -6, complaint="kvm: a line\nkvm: assertion"),
                   "qemu", "signal 6: kvm: assertion", 1)

    def test_status_in_words(self):
        judged = judge('unknown parameter "x"\n', 35)
        self.assertEqual(verdict.guest_status(judged),
                         "guest status 35: failed")

    def test_user_leaves_after_the_tests(self):
        self.check(judge(status=0, interactive=True), "passed", "4 tests", 0)

    def test_user_leaves_before_the_end(self):
        cut = support.GOOD[:support.GOOD.index("ok 2 rbtree")]
        self.check(judge(cut, 0, interactive=True), "reset", "", 1)

    def test_timings_only(self):
        text = "bench: row=a clock=ns cpus=1 ops=1 ticks=1 per_op=1\n"
        expect = Expected(ktap=False, benches=1)
        self.check(judge(text, expect=expect), "passed", "1 timing", 0)
        expect = Expected(ktap=False, benches=2)
        self.check(judge(text, expect=expect), "incomplete",
                   "1 benchmark rows, the kernel holds 2", 1)

    def test_escape_codes_are_no_last_line(self):
        self.assertEqual(verdict.last_line("said\n\x1b[2J\x1b[01;01H\n"),
                         "said")


class Prompt(unittest.TestCase):
    def test_last_word_wins(self):
        for line in ("prompt=0 prompt=1", "prompt=0 prompt", "prompt=y",
                     'prompt=0 "prompt=1"', ""):
            self.assertTrue(verdict.opens_prompt(line), line)
        for line in ("prompt=0", "prompt=1 prompt=n", "prompt=0 test=*"):
            self.assertFalse(verdict.opens_prompt(line), line)


class WhatIsExpected(unittest.TestCase):
    def expected(self, line):
        with mock.patch("elf.count_tests", lambda path: 7), \
                mock.patch("elf.count_benches", lambda path: 3):
            return verdict.expected(line, "quire.elf")

    def test_nothing_said_is_everything(self):
        self.assertEqual(self.expected("prompt=0"), Expected(True, 7, 3))

    def test_all_tests(self):
        self.assertEqual(self.expected("test=*"), Expected(True, 7, None))

    def test_some_tests(self):
        self.assertEqual(self.expected("test=list*"), Expected(True))

    def test_timings(self):
        self.assertEqual(self.expected("bench=*"), Expected(False, None, 3))
        self.assertEqual(self.expected("bench=fix*"), Expected(False))

    def test_both(self):
        self.assertEqual(self.expected("test=* bench=*"),
                         Expected(True, 7, 3))


if __name__ == "__main__":
    unittest.main()
