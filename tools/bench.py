# SPDX-License-Identifier: GPL-2.0-or-later
"""`make bench`: what each operation costs, in instructions, beside Linux.

One emulated CPU whose clock counts instructions, booted directly: the same
build gives the same figures to the last digit.  BENCH=GLOB picks rows,
OUT=FILE gets one JSON object a line.
"""

import json
import os
import re

import entry
import guest
import qemu
import settings as conf
import verdict

LINUX = "tests/bench/linux.json"
CPU = "max,-erms"
MEM = "1G"
ACCEL = "tcg,thread=single"
ICOUNT = ("-icount", "shift=0,sleep=off")
NAME = "bench"
TIME_LIMIT = 600
HEAD = ("row", "quire", "linux", "ratio", "goal")
FORMAT = "{:<24} {:>12} {:>10} {:>8} {:>8}"


def parse(text):
    """Return a dict for each `bench:` line of @text.

    A row that was not measured has "skipped" or "failed" with the reason.
    """
    rows = []
    for line in text.splitlines():
        match = verdict.BENCH_LINE.match(line)
        if not match:
            continue
        row = {"row": match[1]}
        reason = re.match(r"(skipped|failed): (.*)", match[2])
        if reason:
            row[reason[1]] = reason[2]
        for name, value in re.findall(r"(\w+)=(\S+)",
                                      "" if reason else match[2]):
            row[name] = int(value) if value.isdigit() else value
        rows.append(row)
    return rows


def table_line(row, linux):
    """Return the line of the table for @row; @linux maps rows to figures."""
    reason = row.get("skipped") or row.get("failed")
    if reason:
        word = "skipped" if "skipped" in row else "failed"
        return f"{row['row']:<24} {word}: {reason}"
    figures = linux.get(row["row"], {})
    theirs, goal = figures.get("linux"), figures.get("goal")
    comparable = theirs and row.get("clock") == "instructions"
    ratio = f"{row['per_op'] / theirs:.2f}" if comparable else "-"
    return FORMAT.format(row["row"], f"{row['per_op']:,}",
                         f"{theirs:,}" if theirs else "-", ratio,
                         f"{goal:,}" if goal else "-")


def write_json(path, rows):
    """Write @rows to @path, one JSON object a line."""
    with open(path, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")


def machine(settings):
    """Return @settings on the machine that figures are taken on."""
    return settings.replace(
        boot="direct", machine="pc", cpus=1, cpu=CPU, mem=MEM, accel=ACCEL,
        timeout=settings.timeout or TIME_LIMIT,
        qemuflags=ICOUNT + settings.qemuflags)


def measure(settings, name, glob):
    """Boot and measure the rows that match @glob; return the Verdict."""
    words = f"clock=instructions prompt=0 bench={glob}"
    return guest.boot(machine(settings), name, words)


def print_table(rows, linux):
    """Print what was measured beside what Linux takes."""
    print(FORMAT.format(*HEAD))
    for row in rows:
        print(table_line(row, linux))
    print(f"instructions per operation; linux: {linux['system']}, the same "
          "emulator; ratio: quire / linux")


def load_linux():
    """Return Linux's figures: {row: {...}}, with the system's name."""
    with open(LINUX, encoding="utf-8") as file:
        data = json.load(file)
    return {**data["rows"], "system": data["system"]}


def main():
    """Measure, print the table, write OUT; return the exit status."""
    glob = os.environ.get("BENCH") or "*"
    settings = conf.from_environment()
    name = qemu.claim(NAME)
    judged = measure(settings, name, glob)
    rows = parse(judged.outcome.console)
    if rows:
        print_table(rows, load_linux())
    path = os.environ.get("OUT")
    if path and rows:
        write_json(path, rows)
        print(f"{len(rows)} rows written to {path}")
    if not judged.ok or not rows:
        line = judged.line if rows else verdict.last_line(
            judged.outcome.console)
        conf.die(f"{judged.word}: {line} ({verdict.guest_status(judged)}), "
                 f"log: {qemu.log_path(name, 'log')}", judged.status or 1)
    return 0


if __name__ == "__main__":
    entry.run(main)
