# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows that run the kernel's tests, on every kind of machine."""

import re

import bench
import guest
import ktap
import machine_map
import settings as conf
import verdict
from junit import Case
from row_host import SHOWN, command, elf_of, host_build_name, out_dir
from runner import Done, Row

DEFAULTS = conf.Settings(elf="", machine="pc")
NO_MATCH = "no test matches"
MAX_BOOT_INSTRUCTIONS = 1_500_000
HOSTED = {"address": "build/host-werror/quire-host",
          "thread": "build/host-thread-werror/quire-host"}


def _leaf_cases(report):
    cases = []
    for name, leaf in report.leaves():
        failure = None
        if not leaf.ok:
            text = [line.strip() for line in leaf.output]
            failure = "\n".join(text) or "not ok"
        cases.append(Case(name, failure, leaf.skip))
    return cases


def _failed_leaves(report, reproduce):
    """Return lines that name each failed leaf, what it said, and a remedy."""
    lines = []
    for name, leaf in report.leaves():
        if leaf.ok:
            continue
        lines.append(f"not ok {name}")
        lines += ["  " + text.strip() for text in leaf.output[-SHOWN:]]
        lines.append("  reproduce: " + reproduce(name))
    return lines


def _counted(report):
    passed, failed, skipped = report.counts()
    line = f"{passed} passed"
    if failed:
        line += f", {failed} failed"
    if skipped:
        line += f", {skipped} skipped"
    return line


def _first_test(console):
    """Return how soon the first test began, to be read and not judged."""
    match = re.search(r"^boot: (\d+) us to the first test", console, re.M)
    return f", first test after {int(match[1]) / 1000:.0f} ms" if match else ""


def _no_match(glob, report, console):
    """Whether nothing failed but that a part's glob has no test here."""
    return (glob not in ("", "*") and NO_MATCH in console
            and not any(leaf.skip is None and leaf.ok
                        for _, leaf in report.leaves()))


def boot_done(settings, name, words, glob=""):
    """Boot @settings for its tests and return what became of it."""
    judged = guest.boot(settings, name, f"prompt=0 {words}".strip())

    def by_hand(test):
        again = " ".join(w for w in words.split()
                         if not w.startswith("test="))
        return guest.reproduce(settings, DEFAULTS,
                               f"{again} test={test}".strip())

    if _no_match(glob, judged.report, judged.outcome.console):
        return Done(True, f"no test matches {glob}", skipped=True)
    details = _failed_leaves(judged.report, by_hand)
    if judged.ok:
        guest.drop_image(name)
        return Done(True, _counted(judged.report)
                    + _first_test(judged.outcome.console),
                    _leaf_cases(judged.report))
    details += judged.outcome.dumps
    line = (f"{judged.word}: {judged.line} "
            f"({verdict.guest_status(judged)}), log: {judged.outcome.log}")
    return Done(False, line, _leaf_cases(judged.report), details,
                guest.reproduce(settings, DEFAULTS, words))


def boot(name, words="test=*", build="release", compiler="gcc",
         **machine):
    """A row that boots and runs the suites."""
    if machine.get("boot") == "uefi":
        machine.setdefault("machine", "q35")
    settings = conf.Settings(elf=elf_of(build, compiler),
                             out=out_dir(build, compiler),
                             **{"machine": "pc", **machine})
    glob = verdict.words(words).get("test", "")
    needs = "build-" + (compiler if compiler == "clang" else build)
    return Row(name, lambda: boot_done(settings, name, words, glob),
               needs=(needs,))


def hosted(name, glob, words="", sanitizer="address"):
    """The suites of lib/ and mm/ as a Linux process under @sanitizer."""
    def action():
        argv = [HOSTED[sanitizer], *words.split(), f"test={glob}"]
        status, text = command(argv, name)
        report = ktap.read(text.splitlines())
        again = "make host-test"
        if sanitizer != "address":
            again += f" SAN={sanitizer}"
        if words:
            again += f" ARGS='{words}'"
        if _no_match(glob, report, text):
            return Done(True, f"no test matches {glob}", skipped=True)
        details = _failed_leaves(
            report, lambda test: f"{again} T={test}")
        ok = status == 0 and not report.problems and not details
        line = _counted(report)
        if not ok:
            details += text.splitlines()[-SHOWN:]
            line = f"status {status}, {line}"
            if report.problems:
                line += f"; {report.problems[0]}"
        return Done(ok, line, _leaf_cases(report), details, again)
    needs = host_build_name(sanitizer)
    return Row(name, action, needs=(needs,))


def boot_instructions(console):
    """Return the instructions to the first test, or None if not told."""
    match = re.search(r"^boot: (\d+) instructions", console, re.M)
    return int(match[1]) if match else None


# What is measured on how many CPUs, and instructions that it may take.
FIGURES = {1: ("spin_lock_pair", 20),
           2: ("tlb_shootdown_2", 300),
           4: ("tlb_shootdown_4", 300)}


def instructions_row(cpus):
    """The instruction clock: two boots alike, a boot that is short, a figure
    that is kept."""
    name = f"instructions-{cpus}"
    settings = bench.machine(conf.Settings(
        elf=elf_of("release"), machine="pc")).replace(mem="512M", cpus=cpus)
    row, most = FIGURES[cpus]
    words = f"clock=instructions prompt=0 test=list* bench={row}"

    def action():
        runs = [guest.boot(settings, f"{name}-{n}", words) for n in (1, 2)]
        for judged in runs:
            if not judged.ok:
                return Done(False, f"{judged.word}: {judged.line}")
        console = runs[0].outcome.console
        if console != runs[1].outcome.console:
            return Done(False, "two boots differ: diff "
                        f"build/logs/{name}-[12].log")
        limit = MAX_BOOT_INSTRUCTIONS
        count = boot_instructions(console) or limit
        cost = figure(console, row)
        return Done(count < limit and cost <= most,
                    f"{count:,} to the first test, goal under {limit:,}; "
                    f"{row} {cost:,}, goal {most}; two boots alike")
    return Row(name, action, needs=("build-release",))


def figure(console, row):
    """Return what @row cost per operation; a lot when it is not there."""
    found = re.search(rf"^bench: row={row} .*\bper_op=(\d+)", console, re.M)
    return int(found.group(1)) if found else 1 << 62


def map_row():
    """A row that compares page tables with what QEMU finds in them."""
    settings = conf.Settings(elf=elf_of("release"), boot="direct",
                             machine="pc", cpus=1, mem="256M")

    def action():
        wrong, line = machine_map.compare(settings, "machine-map")
        return Done(not wrong, line, details=wrong[:SHOWN],
                    reproduce="make test ROW=machine-map")
    return Row("machine-map", action, needs=("build-release",))
