#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write the table of functions that the kernel's backtraces read.

    symbols.py --empty                   a table of nothing, for pass 1
    symbols.py --nm NM ELF               the table of ELF's functions
    symbols.py --check --nm NM A B       functions lie alike in A and B

The table is assembler text on standard output (see lib/symbols.h).
"""
import argparse
import subprocess
import sys


def functions(nm, elf):
    """(address, name) of every function at the kernel's addresses, sorted."""
    out = subprocess.run([nm, "-n", elf], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    found = []
    for line in out.splitlines():
        fields = line.split()
        if len(fields) != 3 or fields[1] not in "tTwW":
            continue
        address = int(fields[0], 16)
        if address < 0xffffffff80000000:
            continue
        # The end of the code is listed without a name: what lies behind it
        # belongs to no function. Its start is that of the first function.
        name = fields[2] if fields[2] != "image_text_end" else ""
        if name != "image_text_start":
            found.append((address, name))
    return sorted(found)


def table(symbols):
    """Assembler text of the table."""
    base = symbols[0][0] if symbols else 0
    lines = ['\t.section .symbols, "a"', "\t.balign 8",
             "\t.globl quire_symbols_base, quire_symbols_count",
             "\t.globl quire_symbols_offsets, quire_symbols_names",
             "\t.globl quire_symbols_strings",
             f"quire_symbols_base: .quad {base:#x}",
             f"quire_symbols_count: .long {len(symbols)}"]
    lines.append("quire_symbols_offsets:")
    lines += [f"\t.long {address - base:#x}" for address, _ in symbols]
    lines.append("quire_symbols_names:")
    position = 0
    for _, name in symbols:
        lines.append(f"\t.long {position}")
        position += len(name) + 1
    lines.append("quire_symbols_strings:")
    lines += [f'\t.asciz "{name}"' for _, name in symbols]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--nm", default="nm")
    parser.add_argument("elf", nargs="*")
    args = parser.parse_args()
    if args.check:
        first, second = (functions(args.nm, elf) for elf in args.elf)
        if first != second:
            sys.exit("symbols: functions moved between the two links")
        return
    symbols = [] if args.empty else functions(args.nm, args.elf[0])
    sys.stdout.write(table(symbols))


if __name__ == "__main__":
    main()
