# SPDX-License-Identifier: GPL-2.0-or-later
"""`make test`: a row per build and machine, one verdict.

T=GLOB runs only the kernel's tests that match, ROW=GLOB only those rows.
"""

import fnmatch
import os
import time

import entry
import junit
import rows
import settings as conf
from runner import Runner, select

JUNIT = "build/junit.xml"


def chosen(glob, row_glob):
    """Return the rows for T=@glob and ROW=@row_glob."""
    table = rows.part(glob) if glob else rows.everything()
    if not row_glob:
        return table
    return select(table, lambda n: fnmatch.fnmatchcase(n, row_glob))


def count(done):
    """Return (passed, failed, skipped) over {name: Done}."""
    passed = failed = skipped = 0
    for name, row in done.items():
        for case in row.all_cases(name):
            if case.failure is not None and not row.skipped:
                failed += 1
            elif case.skip is not None:
                skipped += 1
            else:
                passed += 1
    return passed, failed, skipped


def main():
    """Run what the environment asks for; return the exit status."""
    glob = os.environ.get("T", "")
    row_glob = os.environ.get("ROW", "")
    table = chosen(glob, row_glob)
    if not table:
        conf.die(f"ROW={row_glob}: no such row")
    os.makedirs("build/logs", exist_ok=True)
    started = time.monotonic()
    done = Runner(table).run()
    junit.write(JUNIT, [(name, row.seconds, row.all_cases(name))
                        for name, row in done.items()])
    passed, failed, skipped = count(done)
    broken = [name for name, row in done.items()
              if not row.ok and not row.skipped]
    print(f"{len(done)} rows in {time.monotonic() - started:.0f} s, logs in "
          f"build/logs, {JUNIT}")
    for name in broken:
        print(f"failed row: {name} (again: make test ROW={name})")
    if glob and not failed and not any(row.cases for row in done.values()):
        print(f"T={glob}: matches no test")
        failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or broken or not passed else 0


if __name__ == "__main__":
    entry.run(main)
