# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that includes go down only.

    tests > kernel > mm > lib > arch contract

A file may include its own layer and those below.  arch/<machine>/ implements
the contract: it may use lib/, and never what stands on top of it.  Nothing
outside arch/ may ask the preprocessor which machine it is compiled for.
"""

import os
import re
import sys

# Highest first.  The contract is reached as <arch/...>; <machine/...> is its
# inline part, which only arch/ and the tests of one machine may name.
LAYERS = ("tests", "kernel", "mm", "lib", "arch")
MACHINE_TESTS = re.compile(r"tests/unit/(x86_64|hosted)/")
FREESTANDING = {"stdint.h", "stdbool.h", "stddef.h", "stdatomic.h",
                "stdarg.h"}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
MACHINE_IF = re.compile(
    r"\s*#\s*(?:el)?if.*\b(__x86_64__|__amd64__|__i386__|QUIRE_HOSTED"
    r"|__linux__|__unix__|__STDC_HOSTED__)\b")


def layer_of(path):
    """Return the layer that the file at @path belongs to."""
    return path.split("/")[0]


def _rank(layer):
    return LAYERS.index(layer)


def check_include(path, quote, target):
    """Return what is wrong with one include of the file at @path."""
    layer = layer_of(path)
    if quote == '"':
        place = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if place.split("/")[:2] != path.split("/")[:2]:
            return f'"{target}": what is far away is written <...>'
        return None
    if "/" not in target:
        if target in FREESTANDING or layer == "arch":
            return None
        return f"<{target}>: not a freestanding header"
    top = target.split("/")[0]
    if layer == "arch":
        if top in ("mm", "kernel", "tests"):
            return f"<{target}>: arch/ stands below {top}/"
        return None
    if top == "machine" and not MACHINE_TESTS.match(path):
        return f"<{target}>: the contract is <arch/...>"
    if top not in LAYERS + ("machine",):
        return f"<{target}>: unknown layer"
    if top in LAYERS and _rank(top) < _rank(layer):
        return f"<{target}>: {layer}/ stands below {top}/"
    return None


def check_text(path, text):
    """Yield (line number, message) for each offence in @text."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        wrong = match and check_include(path, match[1], match[2])
        if wrong:
            yield number, wrong
        if layer_of(path) != "arch" and MACHINE_IF.match(line):
            yield number, "asks for the machine outside arch/"


def sources(top="."):
    """Yield the path of every C and assembly file, relative to @top."""
    for layer in LAYERS:
        for folder, _, names in os.walk(os.path.join(top, layer)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".S")):
                    yield os.path.relpath(os.path.join(folder, name), top)


def main():
    """Check the tree that we stand in; return the exit status."""
    offences = files = 0
    for path in sources():
        files += 1
        with open(path, encoding="utf-8") as file:
            for number, message in check_text(path, file.read()):
                print(f"{path}:{number}: {message}")
                offences += 1
    print(f"{files} files, {offences} includes that go up")
    return 1 if offences or not files else 0


if __name__ == "__main__":
    sys.exit(main())
