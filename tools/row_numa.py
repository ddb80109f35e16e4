# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows on machines with several NUMA nodes.

The suites run there, and what the kernel prints about its nodes has to be
what QEMU was told: CPUs, memory, distances.
"""

import dataclasses
import re

import qemu
import row_guest
import settings as conf
from row_host import elf_of, out_dir
from runner import Row

PAGES = 256             # in one MiB
MAX_TAKEN = 24          # MiB of a node for firmware, image, descriptors

NODE_LINE = re.compile(
    r"^node (\d+): domain (\d+), (\d+) pages, CPUs (.*?)\s*$", re.M)
DISTANCE_LINE = re.compile(r"^distances from node (\d+): ([\d ]+?)\s*$", re.M)


@dataclasses.dataclass(frozen=True)
class Node:
    """A node as QEMU is told: MiB of memory, and CPUs ("0-1", "3", "")."""

    mem: int
    cpus: str


def flags(nodes, distances):
    """Return QEMU's options for @nodes, a matrix of @distances or None."""
    options = []
    for number, node in enumerate(nodes):
        text = f"node,nodeid={number}"
        if node.mem:
            options += ["-object",
                        f"memory-backend-ram,size={node.mem}M,id=m{number}"]
            text += f",memdev=m{number}"
        if node.cpus:
            text += f",cpus={node.cpus}"
        options += ["-numa", text]
    for source, row in enumerate(distances or ()):
        for target, value in enumerate(row):
            if source != target:
                options += ["-numa",
                            f"dist,src={source},dst={target},val={value}"]
    return tuple(options)


def _default_distances(nr):
    return [[10 if a == b else 20 for b in range(nr)] for a in range(nr)]


def differences(console, nodes, distances):
    """Return a line for all that @console says otherwise than QEMU was told."""
    wrong = []
    said = {int(m[1]): m for m in NODE_LINE.finditer(console)}
    away = {int(m[1]): m[2].split() for m in DISTANCE_LINE.finditer(console)}
    wanted = distances or _default_distances(len(nodes))
    if set(said) != set(range(len(nodes))):
        return [f"the kernel names nodes {sorted(said)}, "
                f"there are {len(nodes)}"]
    for number, node in enumerate(nodes):
        pages, cpus = int(said[number][3]), said[number][4]
        taken = node.mem * PAGES - pages
        if not 0 <= taken <= min(node.mem, MAX_TAKEN) * PAGES:
            wrong.append(f"node {number}: {pages} pages of {node.mem} MiB")
        if cpus != (node.cpus or "none"):
            wrong.append(f"node {number}: CPUs {cpus}, are {node.cpus}")
        if away.get(number) != [str(value) for value in wanted[number]]:
            wrong.append(f"node {number}: distances {away.get(number)}, "
                         f"are {wanted[number]}")
    return wrong


def _console(name):
    with open(qemu.log_path(name, "log"), encoding="utf-8",
              errors="replace") as file:
        return file.read()


def _row(name, cpus, nodes, distances=None, **machine):
    settings = conf.Settings(
        elf=elf_of("release"), out=out_dir("release"), boot="direct",
        cpus=cpus, mem=f"{sum(node.mem for node in nodes)}M",
        qemuflags=flags(nodes, distances), **{"machine": "pc", **machine})

    def action():
        done = row_guest.boot_done(settings, name, "test=*")
        wrong = differences(_console(name), nodes, distances)
        if done.ok and wrong:
            return dataclasses.replace(done, ok=False, line=wrong[0],
                                       details=wrong)
        return done
    return Row(name, action, needs=("build-release",))


def rows():
    """Return the rows."""
    return [
        _row("numa-2", 4, [Node(256, "0-1"), Node(256, "2-3")],
             [[10, 21], [21, 10]]),
        _row("numa-4", 4, [Node(128, "0"), Node(128, "1"), Node(192, "2"),
                           Node(64, "3")],
             [[10, 15, 40, 20], [15, 10, 20, 30],
              [40, 20, 10, 20], [20, 30, 20, 10]], machine="q35"),
        _row("numa-cpuless", 2, [Node(128, "0-1"), Node(256, "")]),
        _row("numa-memless", 4, [Node(256, "0"), Node(0, "1-2"),
                                 Node(128, "3")],
             [[10, 40, 30], [40, 10, 20], [30, 20, 10]]),
    ]
