# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows that boot nothing: commands, builds and what is checked of them."""

import filecmp
import os
import re
import shutil
import subprocess
import sys

import elf
import processes
import qemu
import verdict
from runner import Done, Row

MAX_LOADABLE = 1 << 20      # bytes of loadable segments, release build's file
HOST_LIMIT = 300            # seconds for one command
TREE = ("Makefile", "linker.ld", "arch", "lib", "mm", "kernel", "tests",
        "tools", "iso")
SHOWN = 12                  # lines of a failing command's output


def command(argv, name, env=None, limit=HOST_LIMIT):
    """Run @argv with its output in the row's log; return (status, text)."""
    qemu.prepare(name)
    path = qemu.log_path(name, "log")
    with open(path, "w", encoding="utf-8") as log:
        process = processes.start(
            argv, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, env=env or os.environ)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = verdict.STATUS_HANG
        finally:
            processes.stop(process)
    with open(path, encoding="utf-8", errors="replace") as log:
        return status, log.read()


def _failed(status, text, argv):
    return Done(False, f"status {status}",
                details=text.splitlines()[-SHOWN:], reproduce=" ".join(argv))


def tool_row(name, argv, summary):
    """A row that runs @argv; @summary makes one line of its output."""
    def action():
        status, text = command(argv, name)
        if status == 0:
            return Done(True, summary(text))
        return _failed(status, text, argv)
    return Row(name, action)


def _make(*words):
    """Return the argv of a make that warns its way to failure."""
    jobs = os.cpu_count() or 1
    return ["make", "--no-print-directory", f"-j{jobs}", "WERROR=1", *words]


def _clean_env():
    """The environment without what an outer make put there."""
    drop = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "CC",
            "BUILD", "ELF", "KERNEL_OUT", "ARGS", "V", "OUT", "T", "ROW",
            "SAN")
    return {name: value for name, value in os.environ.items()
            if name not in drop}


def out_dir(build, compiler="gcc"):
    """Return the directory of a build whose warnings are errors."""
    tag = "-clang" if "clang" in compiler else ""
    return f"build/{build}{tag}-werror"


def elf_of(build, compiler="gcc"):
    """Return the path of that build's kernel."""
    return f"{out_dir(build, compiler)}/quire.elf"


def build(name, kind, compiler):
    """A row that builds the kernel, and looks at what came out."""
    argv = _make(f"BUILD={kind}", f"CC={compiler}", "all")

    def action():
        env = _clean_env()
        status, text = command(argv, name, env)
        path = elf_of(kind, compiler)
        if status:
            return _failed(status, text, argv)
        size, _ = elf.loadable_bytes(path)
        tests = elf.count_tests(path)
        line = f"{size >> 10} KiB, {tests} tests"
        if tests == 0:
            return Done(False, f"{line}: no test is compiled in")
        return Done(True, line)
    return Row(name, action)


def size_row():
    """The figure that the release build is held to."""
    def action():
        size, memory = elf.loadable_bytes(elf_of("release"))
        return Done(size < MAX_LOADABLE,
                    f"{size:,} bytes to load, goal under {MAX_LOADABLE:,}; "
                    f"{memory:,} in memory, empty data and stacks included")
    return Row("size", action, needs=("build-release",))


def host_build_name(sanitizer):
    """Return the name of the row that builds the process for @sanitizer."""
    return "build-host" + ("" if sanitizer == "address" else f"-{sanitizer}")


def host_build(sanitizer="address"):
    """A row that builds the hosted process."""
    name = host_build_name(sanitizer)
    argv = _make("host-build", f"SAN={sanitizer}")

    def action():
        status, text = command(argv, name, _clean_env())
        if status == 0:
            return Done(True)
        return _failed(status, text, argv)
    return Row(name, action)


def reproducible(name):
    """The same tree, built in a directory of another name and depth."""
    def action():
        place = "build/reproduced/in another directory"
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        for part in TREE:
            copy = shutil.copytree if os.path.isdir(part) else shutil.copy
            copy(part, f"{place}/{part}")
        argv = ["make", "-C", place, *_make("all")[1:]]
        status, text = command(argv, name, _clean_env())
        if status:
            return _failed(status, text, argv)
        first = elf_of("release")
        if not filecmp.cmp(first, f"{place}/{first}", shallow=False):
            return Done(False, f"{first} and {place}/{first} differ",
                        reproduce="diffoscope on the two")
        shutil.rmtree("build/reproduced")
        return Done(True, "the same bytes in another directory")
    return Row(name, action, needs=("build-release",))


def _unittest_summary(text):
    match = re.search(r"^Ran (\d+) tests", text, re.M)
    return f"{match[1]} unit tests" if match else ""


def check_rows():
    """Return the rows that need no build."""
    return [
        tool_row("includes", [sys.executable, "tools/check_includes.py"],
                 verdict.last_line),
        tool_row("host-tools", [sys.executable, "-m", "unittest",
                                "discover", "-s", "tests/host", "-b"],
                 _unittest_summary),
    ]
