# SPDX-License-Identifier: GPL-2.0-or-later
"""From how a guest ended to one word, one line and an exit status.

A run has passed when QEMU ended with status 33, the KTAP plan is complete,
nothing failed, and as many tests ran as the kernel holds.  Each of the three
alone can lie: status 33 may come from a kernel that lost half of its output,
a complete plan from one that crashed afterwards, and a complete plan with
status 33 from a build that lost a file of tests.
"""

import dataclasses
import re

import elf
import ktap
import qemu
import settings as conf

PASSED, FAILED, PANIC = 33, 35, 37
STATUS_HANG = 124       # as timeout(1) says it
STATUS_OTHER = 1

# Leaves that the test core adds to what is compiled in.
EXTRA_LEAF = "leak_check"
BENCH_LINE = re.compile(r"bench: row=(\S+) (.*)")


@dataclasses.dataclass
class Expected:
    """What a command line makes the kernel do."""

    ktap: bool = True           # prints a KTAP document
    tests: int | None = None    # exactly so many cases, where known
    benches: int | None = None  # exactly so many rows, where known


@dataclasses.dataclass
class Verdict:
    """One run, judged."""

    word: str                   # "passed", "failed", "panic", "hang", ...
    line: str
    status: int                 # exit status for our own process
    outcome: qemu.Outcome
    report: ktap.Report

    @property
    def ok(self):
        return self.word == "passed"


def words(line):
    """Return {name: value} of a kernel command line."""
    return dict((w.split("=", 1) + [""])[:2]
                for w in conf.split_words(line))


def opens_prompt(line):
    """Whether a kernel command line leaves the kernel at its prompt."""
    return words(line).get("prompt", "1") not in ("0", "n", "false")


def expected(command_line, path):
    """Return what the kernel at @path has to do for @command_line."""
    given = words(command_line)
    chosen = [w for w in ("test", "bench", "experiment") if w in given]
    expect = Expected(ktap=not chosen or "test" in chosen)
    if expect.ktap and given.get("test", "*") == "*":
        expect.tests = elf.count_tests(path)
    if (not chosen or "bench" in chosen) and given.get("bench", "*") == "*":
        expect.benches = elf.count_benches(path)
    return expect


def count_cases(report):
    """Return how many of the kernel's own test cases @report has."""
    return sum(name.rpartition(".")[2] != EXTRA_LEAF
               for name, _ in report.leaves())


def last_line(text):
    """Return the last line of @text that says something."""
    for line in reversed(text.splitlines()):
        line = qemu.printable(line).strip()
        if line:
            return line
    return "nothing was printed"


def refusal(text):
    """Return the line with which the kernel gave up before its tests."""
    return last_line(re.sub(r"^(Summary|reproduce): .*$", "", text,
                            flags=re.M))


def panic_line(text):
    """Return the line with which the kernel panicked, or the last one."""
    for line in text.splitlines():
        if "PANIC: " in line:
            return line[line.index("PANIC: "):]
    return last_line(text)


def _complaint(outcome):
    """Return the last line that QEMU itself complained with."""
    return (outcome.complaint or "QEMU gave no reason").splitlines()[-1]


def _ended_badly(outcome):
    """Return (word, line) for a run that no kernel ended, else None."""
    if outcome.hung:
        return "hang", (f"not over after {outcome.limit:g} s; last line: "
                        + last_line(outcome.console))
    if outcome.tripled:
        return "triple fault", ("the CPU was reset by a fault inside a fault "
                                f"(registers: {outcome.name}.resets); last "
                                "line: " + last_line(outcome.console))
    if outcome.status < 0:
        return "qemu", (f"QEMU was ended by signal {-outcome.status}: "
                        + _complaint(outcome))
    if outcome.status == PANIC:
        return "panic", panic_line(outcome.console)
    if outcome.status == 0:
        return "reset", ("the machine was reset or switched off; last line: "
                         + last_line(outcome.console))
    if outcome.status not in (PASSED, FAILED):
        return "qemu", _complaint(outcome)
    return None


def _reported_badly(outcome, report, expect):
    """Return (word, line) for what is wrong with the report, else None."""
    if expect.ktap and report.planned is None:
        return "failed", refusal(outcome.console)
    if expect.ktap and report.problems:
        more = len(report.problems) - 1
        also = f" (and {more} more)" if more else ""
        return "incomplete", f"{report.problems[0]}{also} of {outcome.log}"
    passed, failed, skipped = report.counts()
    if failed:
        total = passed + failed + skipped
        return "failed", f"{failed} of {total} tests failed"
    if outcome.status != PASSED:
        return "failed", refusal(outcome.console)
    return _miscounted(outcome, report, expect)


def _miscounted(outcome, report, expect):
    cases = count_cases(report)
    if expect.ktap and cases == 0:
        return "incomplete", "no test was run"
    if expect.tests is not None and cases != expect.tests:
        return "incomplete", (f"{cases} tests ran, the kernel holds "
                              f"{expect.tests}")
    rows = sum(bool(BENCH_LINE.match(line))
               for line in outcome.console.splitlines())
    if expect.benches is not None and rows != expect.benches:
        return "incomplete", (f"{rows} benchmark rows, the kernel holds "
                              f"{expect.benches}")
    return None


def _several(number, what):
    return f"{number} {what}" + ("" if number == 1 else "s")


def _summary(report, outcome):
    passed, _, skipped = report.counts()
    rows = sum(bool(BENCH_LINE.match(line))
               for line in outcome.console.splitlines())
    parts = []
    if report.planned is not None:
        parts.append(f"{_several(passed, 'test')} passed, {skipped} skipped")
    if rows:
        parts.append(_several(rows, "timing"))
    return ", ".join(parts) or "the kernel ended well"


def judge(outcome, expect, interactive=False):
    """Return the Verdict on @outcome, of which @expect was expected.

    On a terminal the user may leave by QEMU's own key (status 0) once the
    tests are through, and may have printed more KTAP at the prompt.
    """
    report = ktap.Report()
    if expect.ktap:
        report = ktap.read(outcome.console.splitlines(), interactive)
        if report.planned is None and not report.results:
            report.problems = report.problems[:1]
    left = (interactive and outcome.status == 0 and not outcome.tripled
            and not report.problems)
    if left:
        outcome = dataclasses.replace(outcome, status=PASSED)
    bad = (_ended_badly(outcome)
           or _reported_badly(outcome, report, expect))
    if bad is None:
        return Verdict("passed", _summary(report, outcome), 0, outcome,
                       report)
    status = {"hang": STATUS_HANG}.get(bad[0], outcome.status)
    if status in (0, PASSED) or status < 0:
        status = STATUS_OTHER
    return Verdict(*bad, status, outcome, report)


def guest_status(verdict):
    """Return the words that name the guest's own status."""
    if verdict.word == "hang":
        return "no status, ended by the time limit"
    status = verdict.outcome.status
    meaning = {PASSED: "passed", FAILED: "failed", PANIC: "panic",
               0: "reset or off"}.get(status)
    return f"guest status {status}" + (f": {meaning}" if meaning else "")
