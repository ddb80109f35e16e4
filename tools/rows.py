# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of `make test`: every build and machine that is tried."""

import filecmp
import os
import re
import shutil
import subprocess
import sys

import bench
import elf
import guest
import ktap
import machine_map
import qemu
import settings as conf
import verdict
from junit import Case
from runner import Done, Row

MAX_LOADABLE = 1 << 20      # bytes of all loadable segments, release build
MAX_BOOT_INSTRUCTIONS = 1_500_000
DEFAULTS = conf.Settings(elf="", machine="pc")
HANG_LIMIT = 5              # seconds, for the kernel that hangs on purpose
HOST_LIMIT = 300
TREE = ("Makefile", "linker.ld", "arch", "lib", "mm", "kernel", "tests",
        "tools", "iso")
NO_MATCH = "no test matches"
SHOWN = 12                  # lines of a failing command's output


# --- host commands -----------------------------------------------------------

def _command(argv, name, env=None, limit=HOST_LIMIT):
    """Run @argv with its output in the row's log; return (status, text)."""
    qemu.prepare(name)
    path = qemu.log_path(name, "log")
    with open(path, "w", encoding="utf-8") as log:
        try:
            status = subprocess.run(
                argv, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, check=False, timeout=limit,
                env=env or os.environ).returncode
        except subprocess.TimeoutExpired:
            status = verdict.STATUS_HANG
    with open(path, encoding="utf-8", errors="replace") as log:
        return status, log.read()


def _host_row(name, argv, summary):
    def action():
        status, text = _command(argv, name)
        if status == 0:
            return Done(True, summary(text))
        return Done(False, f"status {status}",
                    details=text.splitlines()[-SHOWN:],
                    reproduce=" ".join(argv))
    return Row(name, action)


def _make(*words):
    """Return the argv of a make that warns its way to failure."""
    jobs = os.cpu_count() or 1
    return ["make", "--no-print-directory", f"-j{jobs}", "WERROR=1", *words]


def _clean_env():
    """The environment without what an outer make put there."""
    drop = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "CC",
            "BUILD", "ELF", "KERNEL_OUT", "ARGS", "V", "OUT", "T", "ROW")
    return {name: value for name, value in os.environ.items()
            if name not in drop}


# --- builds ------------------------------------------------------------------

def out_dir(build, compiler="gcc"):
    """Return the directory of a build whose warnings are errors."""
    tag = "-clang" if "clang" in compiler else ""
    return f"build/{build}{tag}-werror"


def elf_of(build, compiler="gcc"):
    """Return the path of that build's kernel."""
    return f"{out_dir(build, compiler)}/quire.elf"


def _build(name, build, compiler):
    argv = _make(f"BUILD={build}", f"CC={compiler}", "all")

    def action():
        env = _clean_env()
        status, text = _command(argv, name, env)
        path = elf_of(build, compiler)
        if status:
            return Done(False, f"status {status}",
                        details=text.splitlines()[-SHOWN:],
                        reproduce=" ".join(argv))
        size = elf.loadable_bytes(path)
        tests = elf.count_tests(path)
        line = f"{size >> 10} KiB, {tests} tests"
        if tests == 0:
            return Done(False, f"{line}: no test is compiled in")
        return Done(True, line)
    return Row(name, action)


def _size_row():
    """The figure that the release build is held to."""
    def action():
        size = elf.loadable_bytes(elf_of("release"))
        return Done(size < MAX_LOADABLE,
                    f"{size:,} bytes loadable, goal under {MAX_LOADABLE:,}")
    return Row("size", action, needs=("build-release",))


def _host_build():
    argv = _make("host-build")

    def action():
        status, text = _command(argv, "build-host", _clean_env())
        if status == 0:
            return Done(True)
        return Done(False, f"status {status}",
                    details=text.splitlines()[-SHOWN:],
                    reproduce=" ".join(argv))
    return Row("build-host", action)


def _reproducible(name):
    """The same tree, built in a directory of another name and depth."""
    def action():
        place = "build/reproduced/in-another-directory"
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        for part in TREE:
            copy = shutil.copytree if os.path.isdir(part) else shutil.copy
            copy(part, f"{place}/{part}")
        argv = ["make", "-C", place, *_make("all")[1:]]
        status, text = _command(argv, name, _clean_env())
        if status:
            return Done(False, f"status {status}",
                        details=text.splitlines()[-SHOWN:])
        first = elf_of("release")
        if not filecmp.cmp(first, f"{place}/{first}", shallow=False):
            return Done(False, f"{first} and {place}/{first} differ",
                        reproduce="diffoscope on the two")
        shutil.rmtree("build/reproduced")
        return Done(True, "the same bytes in another directory")
    return Row(name, action, needs=("build-release",))


# --- guests ------------------------------------------------------------------

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
        return Done(True, _counted(judged.report),
                    _leaf_cases(judged.report))
    details += judged.outcome.dumps
    line = (f"{judged.word}: {judged.line} "
            f"({verdict.guest_status(judged)}), log: {judged.outcome.log}")
    return Done(False, line, _leaf_cases(judged.report), details,
                guest.reproduce(settings, DEFAULTS, words))


def _boot(name, words="test=*", build="release", compiler="gcc",
          alone=False, **machine):
    """A row that boots and runs the suites."""
    if machine.get("boot") == "uefi":
        machine.setdefault("machine", "q35")
    settings = conf.Settings(elf=elf_of(build, compiler),
                             out=out_dir(build, compiler),
                             **{"machine": "pc", **machine})
    glob = verdict.words(words).get("test", "")
    needs = "build-" + (compiler if compiler == "clang" else build)
    return Row(name, lambda: boot_done(settings, name, words, glob),
               needs=(needs,), alone=alone)


def _hosted(glob):
    """The suites of lib/ and mm/ as a Linux process under sanitizers."""
    program = "build/host-werror/quire-host"

    def action():
        argv = [program, f"test={glob}"]
        status, text = _command(argv, "hosted")
        report = ktap.read(text.splitlines())
        again = "make host-test"
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
    return Row("hosted", action, needs=("build-host",))


def boot_instructions(console):
    """Return the instructions to the first test, or None if not told."""
    match = re.search(r"^boot: (\d+) instructions", console, re.M)
    return int(match[1]) if match else None


def _instructions_row():
    """The instruction clock: two boots alike, and a boot that is short."""
    settings = bench.machine(conf.Settings(
        elf=elf_of("release"), machine="pc")).replace(mem="512M")
    words = "clock=instructions prompt=0 test=list* bench=page_order_0"

    def action():
        runs = [guest.boot(settings, f"instructions-{n}", words)
                for n in (1, 2)]
        for judged in runs:
            if not judged.ok:
                return Done(False, f"{judged.word}: {judged.line}")
        count = boot_instructions(runs[0].outcome.console)
        line = f"{count:,} to the first test" if count else "no boot line"
        if runs[0].outcome.console != runs[1].outcome.console:
            return Done(False, "two boots differ: diff build/logs/"
                        "instructions-[12].log")
        limit = MAX_BOOT_INSTRUCTIONS
        return Done(count is not None and count < limit,
                    f"{line}, goal under {limit:,}; two boots alike")
    return Row("instructions", action, needs=("build-release",))


def _map_row():
    settings = conf.Settings(elf=elf_of("release"), boot="direct",
                             machine="pc", cpus=1, mem="256M")

    def action():
        wrong, line = machine_map.compare(settings, "machine-map")
        return Done(not wrong, line, details=wrong[:SHOWN],
                    reproduce="make test ROW=machine-map")
    return Row("machine-map", action, needs=("build-release",))


# --- kernels that end badly on purpose ---------------------------------------

def _verdict_row(kind, word, status):
    """The kernel is told to end in a bad way: is that what we say?"""
    name = f"verdict-{kind}"
    settings = conf.Settings(
        elf=elf_of("release"), boot="direct", machine="pc", cpus=1,
        mem="64M", timeout=HANG_LIMIT if kind == "hang" else 0)

    def action():
        judged = guest.boot(settings, name, f"prompt=0 selftest={kind}")
        said = f'"{judged.word}", status {judged.status}'
        if (judged.word, judged.status) != (word, status):
            return Done(False, f'{said}; expected "{word}", status {status}',
                        details=[judged.line], reproduce=guest.reproduce(
                            settings, DEFAULTS, f"selftest={kind}"))
        if kind == "hang":
            return _check_dumps(name, said)
        return Done(True, said)
    return Row(name, action, needs=("build-release",))


def _check_dumps(name, said):
    registers = qemu.log_path(name, "registers")
    core = qemu.log_path(name, "core")
    for path in (registers, core):
        if not os.path.exists(path) or not os.path.getsize(path):
            return Done(False, f"{path} was not written")
    with open(registers, encoding="utf-8") as file:
        if "RIP=" not in file.read():
            return Done(False, f"{registers} has no registers")
    os.remove(core)
    return Done(True, f"{said}, registers and memory saved")


# --- bad input ---------------------------------------------------------------

def _refused(name, pattern, needs=("build-release",), **env):
    """`make run` must end with one line like @pattern and not with 0."""
    env = {**os.environ, "ELF": elf_of("release"), "KERNEL_OUT": out_dir("release"),
           "BOOT": "direct", "CPUS": "1", "MEM": "64M", "MACHINE": "",
           "ARGS": "", "ACCEL": "", "CPU": "", "MODULES": "",
           "QEMUFLAGS": "", "TIMEOUT": "30", "RUN_NAME": name + "-guest",
           **env}

    def action():
        status, text = _command([sys.executable, "tools/run.py"], name, env)
        line = verdict.last_line(text)
        if status == 0:
            return Done(False, f"status 0, said: {line}")
        if "Traceback" in text or not re.search(pattern, line):
            return Done(False, f"said: {line}",
                        details=[f"expected a line like: {pattern}"])
        return Done(True, line.removeprefix("quire: "))
    return Row(name, action, needs=needs)


def _missing_module():
    """An ISO whose grub.cfg names a module that is not on it."""
    settings = conf.Settings(elf=elf_of("release"), machine="pc", mem="64M",
                             timeout=30)

    def action():
        judged = guest.boot(settings, "bad-module", "prompt=0",
                            named_modules=("absent.bin",))
        if judged.ok or "absent.bin" not in judged.line:
            return Done(False, f"{judged.word}: {judged.line}")
        return Done(True, judged.line)
    return Row("bad-module", action, needs=("build-release",))


def _bad_input():
    no_tools = {"PATH": "/nonexistent"}
    return [
        _refused("bad-mem", r"MEM|MiB|memory", MEM="2M"),
        _refused("bad-word", r'unknown parameter "frobnicate"',
                 ARGS="frobnicate=1"),
        _refused("bad-glob", NO_MATCH, ARGS="test=no_such_suite"),
        _refused("bad-cpu-32-bit", r"long mode", CPU="qemu32"),
        _refused("bad-cpu-no-nx", r"NX|no-execute", CPU="qemu64,-nx"),
        _refused("bad-qemu-missing", r"qemu.* is not installed", **no_tools),
        _refused("bad-qemu-dies", r"no-such-device",
                 QEMUFLAGS="-device no-such-device"),
        _refused("bad-boot", r"BOOT=floppy: must be", BOOT="floppy"),
        _refused("bad-modules", r"absent: no such file", BOOT="iso",
                 MODULES="absent"),
        _missing_module(),
    ]


# --- all of them -------------------------------------------------------------

def _unittest_summary(text):
    match = re.search(r"^Ran (\d+) tests", text, re.M)
    return f"{match[1]} unit tests" if match else ""


def _host_rows():
    return [
        _host_row("includes", [sys.executable, "tools/check_includes.py"],
                  verdict.last_line),
        _host_row("host-tools", [sys.executable, "-m", "unittest",
                                 "discover", "-s", "tests/host", "-b"],
                  _unittest_summary),
    ]


def part(glob):
    """Return the rows for one part of the kernel's tests."""
    return [
        _build("build-release", "release", "gcc"),
        _build("build-debug", "debug", "gcc"),
        _host_build(),
        _boot("direct", f"test={glob}", boot="direct"),
        _boot("debug", f"test={glob}", build="debug", boot="direct"),
        _hosted(glob),
    ]


def everything():
    """Return all rows, what others need first."""
    return [
        *_host_rows(),
        _build("build-release", "release", "gcc"),
        _host_build(),
        _build("build-clang", "release", "clang"),
        _build("build-debug", "debug", "gcc"),
        _size_row(),
        _reproducible("reproducible"),
        _hosted("*"),
        _boot("iso-bios", words="", boot="iso"),
        _boot("iso-modules", boot="iso", mem="256M",
              modules=("README.md", "LICENSE")),
        _boot("iso-uefi", boot="uefi", mem="256M"),
        _boot("direct-1-cpu", boot="direct", cpus=1),
        _boot("direct-32M", boot="direct", mem="32M"),
        _boot("direct-512M", boot="direct", mem="512M"),
        _boot("direct-6G", boot="direct", mem="6G"),
        _boot("direct-q35", boot="direct", machine="q35"),
        _boot("direct-microvm", boot="direct", machine="microvm"),
        _boot("cpu-qemu64", boot="direct", cpu="qemu64"),
        _boot("clang", compiler="clang", boot="direct"),
        _boot("debug", build="debug", boot="direct"),
        _map_row(),
        _instructions_row(),
        _verdict_row("fail", "failed", verdict.FAILED),
        _verdict_row("panic", "panic", verdict.PANIC),
        _verdict_row("hang", "hang", verdict.STATUS_HANG),
        _verdict_row("triple", "triple fault", verdict.STATUS_OTHER),
        *_bad_input(),
    ]
