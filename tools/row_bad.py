# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows that must end badly, and are tried for what is said of it.

Kernels told to fail, panic, hang or reset themselves, and bad input of every
kind: each has one verdict and one line.
"""

import os
import re
import sys

import guest
import qemu
import settings as conf
import verdict
from row_guest import DEFAULTS, NO_MATCH
from row_host import command, elf_of, out_dir
from runner import Done, Row

HANG_LIMIT = 5              # seconds, for the kernel that hangs on purpose


def verdict_row(kind, word, status, part="", cpus=1, build="release",
                words=""):
    """The kernel is told to end in a bad way: is that what we say?

    @words stand on its command line, too. The verdict's line has to have
    @part in it.
    """
    name = f"verdict-{kind}" + (f"-{words.split('=')[0]}" if words else "")
    settings = conf.Settings(
        elf=elf_of(build), boot="direct", machine="pc", cpus=cpus,
        mem="64M", timeout=HANG_LIMIT if kind == "hang" else 0)

    def action():
        asked = f"selftest={kind} {words}".strip()
        judged = guest.boot(settings, name, f"prompt=0 {asked}")
        said = f'"{judged.word}", status {judged.status}'
        if (judged.word, judged.status) != (word, status):
            return Done(False, f'{said}; expected "{word}", status {status}',
                        details=[judged.line], reproduce=guest.reproduce(
                            settings, DEFAULTS, asked))
        if part not in judged.line:
            return Done(False, f'{said}, but "{part}" is not said',
                        details=[judged.line])
        if kind == "hang":
            return _check_dumps(name, said, judged.outcome.dumps)
        again = f"reproduce: test=selftest.{kind} seed=1 selftest={kind}"
        if kind in ("fail", "panic") and again not in judged.outcome.console:
            return Done(False, f'{said}, but not "{again}"')
        return Done(True, said)
    return Row(name, action, needs=(f"build-{build}",))


# What threads must not do, and what the panic says of it.
MISUSE = {
    "null": "page fault at 0000000000000008 (NULL page, never mapped)",
    "overflow": "stack overflow at ",
    "mutex_unlock": 'of thread "boot" unlocked by "thief"',
    "mutex_twice": 'thread 0 "boot" owns it',
    "mutex_irqs_off": "interrupts off, 0 spinlocks: it can't wait",
    "mutex_in_irq": "in an interrupt, interrupts off, 0 spinlocks: it can't",
    "call_in_irq": "cpu_call: interrupts off, handlers 1 deep",
    "call_irqs_off": "cpu_call: interrupts off, handlers 0 deep",
    "join_itself": 'thread 0 "boot" joins itself',
    "timer_cancel": "is cancelled by itself",
}


# What the debug build says of locks: its checker, and its watchdog.
LOCKS = (
    ("deadlock", "", "is held, but comes before it elsewhere"),
    ("deadlock", "lock_check=0 watchdog=1", " s for lock lock_"),
    ("deaf", "watchdog=1", "CPU 1 has not taken interrupts for "),
)


def misuse():
    """Return the rows of threads and CPUs that do what they must not."""
    threads = [verdict_row(kind, "panic", verdict.PANIC, part, cpus=2)
               for kind, part in MISUSE.items()]
    locks = [verdict_row(kind, "panic", verdict.PANIC, part, cpus=2,
                         build="debug", words=words)
             for kind, words, part in LOCKS]
    return threads + locks


def _check_dumps(name, said, dumps):
    registers = qemu.log_path(name, "registers")
    core = qemu.log_path(name, "core")
    for path in (registers, core):
        if not os.path.exists(path) or not os.path.getsize(path):
            return Done(False, f"{path} was not written")
    with open(registers, encoding="utf-8") as file:
        if "RIP=" not in file.read():
            return Done(False, f"{registers} has no registers")
    os.remove(core)
    if not any("selftest" in line for line in dumps):
        return Done(False, f"not said where it hangs: {dumps}")
    return Done(True, f"{said}, registers and memory saved; {dumps[-1]}")


def _refused(name, pattern, needs=("build-release",), **env):
    """`make run` must end with one line like @pattern and not with 0."""
    env = {**os.environ, "ELF": elf_of("release"),
           "KERNEL_OUT": out_dir("release"), "BOOT": "direct", "CPUS": "1",
           "MEM": "64M", "MACHINE": "", "ARGS": "", "ACCEL": "", "CPU": "",
           "MODULES": "", "QEMUFLAGS": "", "TIMEOUT": "30",
           "RUN_NAME": name + "-guest", **env}

    def action():
        status, text = command([sys.executable, "tools/run.py"], name, env)
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


def bad_input():
    """Return the rows of bad input."""
    no_tools = {"PATH": "/nonexistent"}
    return [
        _refused("bad-mem", r"memory: \d+ KiB usable", MEM="8M"),
        _refused("bad-mem-image", r"MEM=2M: too small.*image", MEM="2M"),
        _refused("bad-mem-uefi", r"MEM=32M: too small, UEFI", BOOT="uefi",
                 MACHINE="q35", MEM="32M"),
        _refused("bad-word", r'unknown parameter "frobnicate"',
                 ARGS="frobnicate=1"),
        # The later -append counts.
        _refused("bad-words-cut", r"longer than 2047 bytes",
                 QEMUFLAGS=f"-append {'x' * 2048}"),
        _refused("bad-prompt", r"prompt=1 needs a terminal",
                 ARGS="prompt=1"),
        _refused("bad-nr-pages", r"nr_pages=4294967295: only \d+ pages",
                 ARGS="bench=test_vmalloc test_vmalloc.nr_pages=4294967295"),
        _refused("bad-glob", NO_MATCH, ARGS="test=no_such_suite"),
        _refused("bad-cpu-32-bit", r"long mode", CPU="qemu32"),
        _refused("bad-cpu-no-nx", r"NX|no-execute", CPU="qemu64,-nx"),
        _refused("bad-cpu-no-sse2", r"no SSE2", CPU="max,-sse,-sse2"),
        _refused("bad-cpu-no-cmov", r"CMOV", CPU="max,-cmov"),
        _refused("bad-qemu-missing", r"qemu.* is not installed", **no_tools),
        _refused("bad-qemu-dies", r"no-such-device",
                 QEMUFLAGS="-device no-such-device"),
        _refused("bad-boot", r"BOOT=floppy: must be", BOOT="floppy"),
        _refused("bad-modules", r"absent: no such file", BOOT="iso",
                 MODULES="absent"),
        _missing_module(),
    ]
