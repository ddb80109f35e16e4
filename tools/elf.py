# SPDX-License-Identifier: GPL-2.0-or-later
"""What a built kernel's ELF file says of itself, asked through binutils."""

import bisect
import re
import subprocess

POINTER = 8
TEST_SET = "test_cases"
BENCH_SET = "bench_cases"


def _run(*argv):
    return subprocess.run(argv, check=True, capture_output=True,
                          text=True).stdout


def symbols(path, nm="nm"):
    """Return {name: address} of all symbols of the ELF at @path."""
    table = {}
    for line in _run(nm, path).splitlines():
        match = re.match(r"([0-9a-f]+) \S (\S+)", line)
        if match:
            table[match[2]] = int(match[1], 16)
    return table


def set_size(table, name):
    """Return how many objects linker set @name holds; 0 if there is none."""
    start = table.get(f"__start_{name}")
    stop = table.get(f"__stop_{name}")
    if start is None or stop is None:
        return 0
    return (stop - start) // POINTER


def count_tests(path):
    """Return how many test cases are compiled into the ELF at @path."""
    return set_size(symbols(path), TEST_SET)


def count_benches(path):
    """Return how many benchmark rows are compiled in."""
    return set_size(symbols(path), BENCH_SET)


def loadable_bytes(path, readelf="readelf"):
    """Return the bytes of all loadable segments: in the file, in memory."""
    in_file = in_memory = 0
    for line in _run(readelf, "-lW", path).splitlines():
        fields = line.split()
        if fields and fields[0] == "LOAD":
            in_file += int(fields[4], 16)
            in_memory += int(fields[5], 16)
    return in_file, in_memory


def loaded_end(path, readelf="readelf"):
    """Return the physical address behind the last loadable segment."""
    return max(int(fields[3], 16) + int(fields[5], 16) for fields in map(
        str.split, _run(readelf, "-lW", path).splitlines())
        if fields and fields[0] == "LOAD")


class Locator:
    """Names code addresses by the symbol that they lie in."""

    def __init__(self, path):
        table = sorted((a, n) for n, a in symbols(path).items())
        self.addresses = [a for a, _ in table]
        self.names = [n for _, n in table]

    def name(self, address):
        """Return symbol+offset for @address, or the bare number."""
        at = bisect.bisect_right(self.addresses, address) - 1
        if at < 0 or address - self.addresses[at] > 1 << 20:
            return f"{address:#x}"
        return f"{self.names[at]}+{address - self.addresses[at]:#x}"
