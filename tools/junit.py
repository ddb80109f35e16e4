# SPDX-License-Identifier: GPL-2.0-or-later
"""JUnit XML, the form of test results that CI servers read."""

import dataclasses
import re
import xml.etree.ElementTree as ET

# Characters that XML 1.0 can't carry, escaped or not.
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclasses.dataclass
class Case:
    """One test: how it ended and what it printed."""

    name: str
    failure: str | None = None
    skip: str | None = None
    seconds: float | None = None


def _clean(text):
    return _UNPRINTABLE.sub("?", text)


def _case(parent, suite, case):
    node = ET.SubElement(parent, "testcase", classname=suite,
                         name=_clean(case.name))
    if case.seconds is not None:
        node.set("time", f"{case.seconds:.3f}")
    if case.failure is not None:
        text = _clean(case.failure)
        first = text.splitlines()[0] if text else "failed"
        ET.SubElement(node, "failure", message=first).text = text
    elif case.skip is not None:
        ET.SubElement(node, "skipped", message=_clean(case.skip))


def write(path, suites):
    """Write @suites, a list of (name, seconds, [Case]), to @path."""
    root = ET.Element("testsuites")
    for name, seconds, cases in suites:
        failed = sum(c.failure is not None for c in cases)
        skipped = sum(c.failure is None and c.skip is not None
                      for c in cases)
        node = ET.SubElement(
            root, "testsuite", name=name, tests=str(len(cases)),
            failures=str(failed), skipped=str(skipped),
            time=f"{seconds:.3f}")
        for case in cases:
            _case(node, name, case)
    tree = ET.ElementTree(root)
    ET.indent(tree)
    tree.write(path, encoding="utf-8", xml_declaration=True)
