# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes compile_commands.json, which editors read, from make's dry run.

Reads what `make -Bn V=1` prints from standard input.
"""

import json
import os
import shlex
import sys

import entry

PATH = "compile_commands.json"


def entries(lines, directory):
    """Return an entry for each line that compiles one file of the tree."""
    found = {}
    for line in lines:
        if " -c " not in line:
            continue
        words = shlex.split(line)
        source = words[words.index("-c") + 1]
        if not source.endswith((".c", ".S")) or source.startswith("build/"):
            continue
        found.setdefault(source, {"directory": directory, "file": source,
                                  "arguments": words})
    return [found[source] for source in sorted(found)]


def main():
    """Write the file; return the exit status."""
    table = entries(sys.stdin, os.getcwd())
    if not table:
        print("quire: make's dry run compiles nothing", file=sys.stderr)
        return 1
    with open(PATH, "w", encoding="utf-8") as file:
        json.dump(table, file, indent=1)
        file.write("\n")
    print(f"  WROTE   {PATH} ({len(table)} files)")
    return 0


if __name__ == "__main__":
    entry.run(main)
