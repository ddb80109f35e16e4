# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the page tables as QEMU walks them with the kernel's own dump.

The kernel is booted to its prompt and asked for `map`; then QEMU's monitor
is asked for `info tlb`, which walks the tables in guest memory by code that
shares nothing with ours.  Both have to name the same leaves with the same
rights.  On the way: no page is both writable and executable, page 0 is not
mapped, and neither is any guard page that the kernel names.
"""

import dataclasses
import os
import re
import select
import subprocess
import time

import elf
import guest
import processes
import qemu
import qmp
import verdict

PROMPT = "quire> "
COMMAND = "map"
LIMIT = 60              # seconds until the prompt
PAGE = 4096
SIZES = {"4K": 1 << 12, "2M": 1 << 21, "1G": 1 << 30}
CANONICAL = 0xffff << 48

DUMP_LINE = re.compile(
    r"(?:0x)?([0-9a-f]{12,16})-(?:0x)?([0-9a-f]{12,16})\s+(\S+)\s+"
    r"(r[w-][x-])( uncached)?\s+(4K|2M|1G)\b")
GUARD_LINE = re.compile(r"guard page (0x[0-9a-f]+)")
TLB_LINE = re.compile(r"([0-9a-f]{16}): ([0-9a-f]{16}) "
                      r"([X-])([G-])([P-])([D-])([A-])([C-])([T-])([U-])"
                      r"([W-])")


@dataclasses.dataclass(frozen=True)
class Leaf:
    """One leaf of the page tables."""

    write: bool
    execute: bool
    large: bool
    uncached: bool

    def __str__(self):
        return ("r" + ("w" if self.write else "-")
                + ("x" if self.execute else "-")
                + (" uncached" if self.uncached else "")
                + (" large" if self.large else " 4K"))


def kernel_leaves(text):
    """Return {address: Leaf} as the kernel's dump says."""
    leaves = {}
    for match in DUMP_LINE.finditer(text):
        start, end = int(match[1], 16), int(match[2], 16)
        size = SIZES[match[6]]
        leaf = Leaf("w" in match[4], "x" in match[4], size > PAGE,
                    bool(match[5]))
        for address in range(start, end, size):
            leaves[address] = leaf
    return leaves


def qemu_leaves(text):
    """Return {address: Leaf} as `info tlb` says."""
    leaves = {}
    for match in TLB_LINE.finditer(text):
        address = int(match[1], 16)
        if address >> 47:
            address |= CANONICAL
        leaves[address] = Leaf(match[11] == "W", match[3] == "-",
                               match[5] == "P", match[8] == "C")
    return leaves


def differences(ours, theirs, guards):
    """Return a line for everything that is wrong."""
    wrong = []
    for address in sorted(ours.keys() | theirs.keys()):
        said, seen = ours.get(address), theirs.get(address)
        if said != seen:
            wrong.append(f"{address:#x}: the kernel says "
                         f"{said or 'unmapped'}, QEMU {seen or 'unmapped'}")
        if seen and seen.write and seen.execute:
            wrong.append(f"{address:#x}: writable and executable")
        if seen and address < PAGE:
            wrong.append("page 0 is mapped")
    for name, address in guards.items():
        if address in theirs:
            wrong.append(f"{address:#x}: guard page {name} is mapped")
    return wrong


def guard_pages(text, table):
    """Return {name: address} of the guard pages below the image's stacks.

    Those that the kernel's dump names, and those that are symbols.
    """
    guards = {f"#{number}": int(address, 16) for number, address in
              enumerate(GUARD_LINE.findall(text))}
    guards.update((name, address) for name, address in table.items()
                  if name.endswith("_guard") and address % PAGE == 0)
    return guards


class Session:
    """A kernel at its prompt, driven through its console."""

    def __init__(self, argv, name):
        with open(qemu.log_path(name, "qemu"), "wb") as errors:
            self.process = processes.start(
                argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=errors)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def until_prompt(self):
        """Return what the kernel prints up to its next prompt."""
        data = b""
        end = time.monotonic() + LIMIT
        while not data.endswith(PROMPT.encode()):
            left = end - time.monotonic()
            ready, _, _ = select.select([self.process.stdout], [], [],
                                        max(left, 0))
            chunk = os.read(self.process.stdout.fileno(),
                            65536) if ready else b""
            if not chunk:
                text = data.decode("utf-8", "replace")
                raise OSError("no prompt; last line: "
                              + verdict.last_line(text))
            data += chunk
        return data.decode("utf-8", "replace")

    def ask(self, command):
        """Type @command; return the answer."""
        self.process.stdin.write(command.encode() + b"\r")
        self.process.stdin.flush()
        return self.until_prompt()


def compare(settings, name):
    """Boot @settings; return (what is wrong, one line that sums up)."""
    qemu.prepare(name)
    argv = guest.command(settings, name, "prompt=1 test=list*")
    with Session(argv, name) as session:
        session.until_prompt()
        dump = session.ask(COMMAND)
        with qmp.Monitor(qemu.log_path(name, "qmp")) as monitor:
            monitor.command("stop")
            walked = monitor.human("info tlb")
    ours, theirs = kernel_leaves(dump), qemu_leaves(walked)
    guards = guard_pages(dump, elf.symbols(settings.elf))
    wrong = differences(ours, theirs, guards)
    if not ours:
        wrong.insert(0, f"the kernel's `{COMMAND}` names no mapping: "
                     + verdict.last_line(dump.replace(PROMPT, "")))
    if not GUARD_LINE.search(dump):
        wrong.insert(0, f"the kernel's `{COMMAND}` names no guard page")
    if not theirs:
        wrong.insert(0, "QEMU's `info tlb` names no mapping")
    if wrong:
        return wrong, f"{len(wrong)} differences; first: {wrong[0]}"
    return [], (f"{len(ours)} leaves agree, W^X, "
                f"{len(set(guards.values()))} guard pages absent")
