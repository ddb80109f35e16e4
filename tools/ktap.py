# SPDX-License-Identifier: GPL-2.0-or-later
"""A strict reader of KTAP version 1, with nested subtests.

A log is read whole.  What comes before the first `KTAP version 1` line is
the firmware's, the loader's and the kernel's business; between results any
line that is not KTAP is kept as output of the result that follows it.
Everything that KTAP itself promises is checked, and each broken promise is
one `Problem` with its line number: a plan that is missing, short or
repeated, numbers out of order, duplicate names, a parent that contradicts
its children, a bail-out, a log that ends too early.

Strict means: no problem and no failed result, or the run has not passed.
"""

import dataclasses
import re

VERSION = "KTAP version 1"
INDENT = 2

_RESULT = re.compile(
    r"(?P<not>not )?ok (?P<number>\d+)(?: - | )(?P<name>[^#]*?)"
    r"(?: # (?P<directive>[A-Za-z]+)(?: (?P<reason>.*))?)?$")
_LIKE_RESULT = re.compile(r"(not )?ok(\s|$)")
_PLAN = re.compile(r"1\.\.(\d+)(?: # SKIP ?(.*))?$")
_LIKE_PLAN = re.compile(r"\d+\.\.\d*(\s*#.*)?$")


@dataclasses.dataclass
class Problem:
    """One broken promise: where (1-based line of the log), and what."""

    line: int
    text: str

    def __str__(self):
        return f"line {self.line}: {self.text}"


@dataclasses.dataclass
class Result:
    """One `ok`/`not ok` line with the results nested under it."""

    name: str
    ok: bool
    line: int
    skip: str | None = None
    output: list = dataclasses.field(default_factory=list)
    children: list = dataclasses.field(default_factory=list)

    def leaves(self, prefix=""):
        """Yield (dotted name, Result) of every leaf below or at this."""
        path = prefix + self.name
        failed_below = False
        for child in self.children:
            for leaf in child.leaves(path + "."):
                failed_below = failed_below or not leaf[1].ok
                yield leaf
        # A parent that fails though all below it passed failed by itself.
        if not self.children or not (self.ok or failed_below):
            yield path, self


@dataclasses.dataclass
class Report:
    """What a log said: top-level results, and every problem with it."""

    results: list = dataclasses.field(default_factory=list)
    problems: list = dataclasses.field(default_factory=list)
    planned: int | None = None

    def leaves(self):
        """Yield (dotted name, Result) of every leaf."""
        for result in self.results:
            yield from result.leaves()

    def counts(self):
        """Return (passed, failed, skipped) leaves."""
        passed = failed = skipped = 0
        for _, leaf in self.leaves():
            if not leaf.ok:
                failed += 1
            elif leaf.skip is not None:
                skipped += 1
            else:
                passed += 1
        return passed, failed, skipped


class _Level:
    """One nesting level that is open: its plan so far, its results."""

    def __init__(self, depth, line):
        self.depth = depth
        self.line = line
        self.plan = None
        self.name = None
        self.results = []
        self.names = {}
        self.output = []
        self.next = 1

    def full(self):
        return self.plan is not None and len(self.results) >= self.plan


class _Reader:
    """The state of one reading; see `read`."""

    def __init__(self, first_only):
        self.report = Report()
        self.levels = []
        self.closed = None   # subtest that waits for its parent's result
        self.first_only = first_only
        self.line = 0

    def problem(self, text, line=None):
        self.report.problems.append(Problem(line or self.line, text))

    def feed(self, raw):
        """Take one line; return False when no more are wanted."""
        self.line += 1
        text = raw.rstrip("\r\n")
        body = text.lstrip(" ")
        if not self.levels:
            if body == VERSION and body == text:
                self.open(0)
            return True
        self.known(body, len(text) - len(body), text)
        return not (self.first_only and self.levels[0].full())

    def known(self, body, indent, text):
        """Hand a line to what understands it."""
        if body.startswith("Bail out!"):
            self.problem(body)
        elif body == VERSION or body.startswith("KTAP version"):
            self.version(body, indent)
        elif _LIKE_RESULT.match(body):
            self.result(body, indent)
        elif _LIKE_PLAN.match(body):
            self.plan(body, indent)
        elif body.startswith("# Subtest: "):
            self.subtest(body[len("# Subtest: "):], indent)
        elif text:
            self.levels[-1].output.append(text)

    def open(self, depth):
        self.levels.append(_Level(depth, self.line))

    def version(self, body, indent):
        if body != VERSION:
            self.problem(f'"{body}": only "{VERSION}" is understood')
        level = self.levels[-1]
        if indent == 0:
            self.problem("a second KTAP document begins: the kernel was "
                         "started again, or printed two")
        elif indent != (level.depth + 1) * INDENT:
            self.problem(f"subtest at {indent} blanks, expected "
                         f"{(level.depth + 1) * INDENT}")
        elif self.closed is not None:
            self.problem("subtest begins before the one above it has its "
                         "result")
            self.closed = None
            self.open(level.depth + 1)
        else:
            self.open(level.depth + 1)

    def at_level(self, indent, what):
        """Close deeper levels; return the level at @indent or None."""
        while self.levels[-1].depth * INDENT > indent:
            self.close()
        level = self.levels[-1]
        if level.depth * INDENT == indent:
            return level
        self.problem(f"{what} at {indent} blanks, expected "
                     f"{level.depth * INDENT}")
        return None

    def close(self):
        """End the innermost level; its plan has to be fulfilled."""
        if self.closed is not None:
            self.problem("subtest without a result of its own",
                         self.closed.line)
        level = self.levels.pop()
        self.check_plan(level)
        self.closed = level

    def check_plan(self, level):
        where = f'subtest "{level.name}"' if level.depth else "top level"
        if level.plan is None:
            self.problem(f"{where}: no plan", level.line)
        elif len(level.results) < level.plan:
            self.problem(f"{where}: plan says {level.plan} results, got "
                         f"{len(level.results)}")

    def plan(self, body, indent):
        level = self.at_level(indent, "plan")
        match = _PLAN.match(body)
        if not match:
            self.problem(f'malformed plan "{body}"')
        elif level is None:
            return
        elif level.plan is not None:
            self.problem("second plan of one level")
        elif level.results:
            self.problem("plan after the first result")
        else:
            level.plan = int(match[1])
            if level.depth == 0:
                self.report.planned = level.plan
                if level.plan == 0:
                    self.problem("plan of no tests")

    def subtest(self, name, indent):
        level = self.levels[-1]
        if indent == level.depth * INDENT:
            level.name = name
        else:
            self.problem(f'"# Subtest: {name}" at {indent} blanks, expected '
                         f"{level.depth * INDENT}")

    def result(self, body, indent):
        match = _RESULT.match(body)
        if not match or not match["name"]:
            self.problem(f'malformed result "{body}"')
            return
        level = self.at_level(indent, "result")
        if level is None:
            return
        result = Result(match["name"], not match["not"], self.line)
        self.directive(result, match)
        self.number(level, int(match["number"]))
        self.name(level, result.name)
        result.output, level.output = level.output, []
        self.adopt(result)
        level.results.append(result)
        if level.depth == 0:
            self.report.results = level.results

    def directive(self, result, match):
        if match["directive"] is None:
            return
        if match["directive"] != "SKIP":
            self.problem(f'directive "{match["directive"]}" is not used')
        elif not result.ok:
            self.problem(f'"{result.name}" failed and was skipped at once')
        else:
            result.skip = match["reason"] or ""

    def number(self, level, number):
        if level.plan is not None and number > level.plan:
            self.problem(f"result {number} of a plan of {level.plan}")
        if number < level.next:
            self.problem(f"result {number} for the second time")
        elif number > level.next:
            self.problem(f"result {number}, expected {level.next}")
        level.next = max(level.next, number + 1)

    def name(self, level, name):
        if name in level.names:
            self.problem(f'a second "{name}", first at line '
                         f"{level.names[name]}")
        level.names.setdefault(name, self.line)

    def adopt(self, result):
        """Hang the subtest that has just closed under its result."""
        child, self.closed = self.closed, None
        if child is None:
            return
        if child.name is not None and child.name != result.name:
            self.problem(f'result "{result.name}" closes subtest '
                         f'"{child.name}"')
        result.children = child.results
        result.output = child.output + result.output
        failed = sum(not r.ok for r in child.results)
        if result.ok and failed:
            self.problem(f'"{result.name}" is ok though {failed} below it '
                         f"failed")

    def end(self):
        """The log is over: whatever is still open is too short."""
        if not self.levels:
            self.problem(f'no "{VERSION}" line', max(self.line, 1))
            return
        while len(self.levels) > 1:
            self.close()
            self.problem("the log ends inside subtest "
                         f'"{self.closed.name}"')
            self.closed = None
        if self.closed is not None:
            self.problem("subtest without a result of its own",
                         self.closed.line)
        self.check_plan(self.levels[0])


def read(lines, first_only=False):
    """Read an iterable of lines and return its Report.

    With @first_only, what follows the first complete document is ignored:
    a session at the kernel's prompt prints more of them.
    """
    reader = _Reader(first_only)
    for line in lines:
        if not reader.feed(line):
            break
    reader.end()
    return reader.report
