# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs rows of a test run, two at a time, in the order of their needs."""

import dataclasses
import io
import os
import sys
import threading
import time

from junit import Case
from settings import BadValue

WORKERS = 2


@dataclasses.dataclass
class Done:
    """What became of a row."""

    ok: bool
    line: str = ""                  # after the time, on the row's own line
    cases: list = dataclasses.field(default_factory=list)
    details: list = dataclasses.field(default_factory=list)
    reproduce: str = ""
    skipped: bool = False
    seconds: float = 0

    def all_cases(self, name):
        """Return the cases to count: the leaves, or the row itself."""
        told = any(case.failure is not None for case in self.cases)
        if self.cases and (self.ok or told):
            return self.cases
        failure = None if self.ok else "\n".join(
            [self.line or "failed", *self.details])
        skip = self.line if self.skipped else None
        return self.cases + [Case(name, failure, skip, self.seconds)]


@dataclasses.dataclass
class Row:
    """One line of the report: a name, what to do, what must be done first."""

    name: str
    action: object
    needs: tuple = ()


def select(rows, wanted):
    """Return the rows that @wanted(name) takes, and those they need."""
    by_name = {row.name: row for row in rows}
    keep = set()

    def take(row):
        if row.name not in keep:
            keep.add(row.name)
            for name in row.needs:
                take(by_name[name])

    for row in rows:
        if wanted(row.name):
            take(row)
    return [row for row in rows if row.name in keep]


class Runner:
    """The scheduler: hands rows to threads, prints each as it ends."""

    def __init__(self, rows, stream=sys.stdout):
        self.rows = rows
        self.stream = stream
        self.waiting = list(rows)
        self.done = {}
        self.lock = threading.Condition()

    def run(self):
        """Run all rows; return {name: Done} in the order of the rows."""
        workers = min(WORKERS, os.cpu_count() or 1)
        threads = [threading.Thread(target=self._work, daemon=True)
                   for _ in range(workers)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self._give_up()
            raise
        return {row.name: self.done[row.name] for row in self.rows}

    def _give_up(self):
        """Start no more rows, and say no more of those that run."""
        with self.lock:
            self.waiting.clear()
            self.stream = io.StringIO()

    def _work(self):
        while True:
            row = self._next()
            if row is None:
                return
            done = self._perform(row)
            with self.lock:
                self.done[row.name] = done
                self._print(row, done)
                self.lock.notify_all()

    def _next(self):
        """Wait for a row that may start; None when there are no more."""
        with self.lock:
            while self.waiting:
                row = next((r for r in self.waiting if self._may(r)), None)
                if row is not None:
                    self.waiting.remove(row)
                    return row
                self.lock.wait()
            return None

    def _may(self, row):
        return all(name in self.done for name in row.needs)

    def _perform(self, row):
        started = time.monotonic()
        lacking = [name for name in row.needs if not self.done[name].ok]
        if lacking:
            done = Done(False, f"not run: {', '.join(lacking)} failed",
                        skipped=True)
        else:
            done = _guarded(row.action)
        done.seconds = time.monotonic() - started
        return done

    def _print(self, row, done):
        mark = "skip" if done.skipped else "ok" if done.ok else "FAIL"
        print(f"  {mark:<5} {row.name:<20} {done.seconds:6.1f} s  "
              f"{done.line}".rstrip(), file=self.stream)
        if not done.ok and not done.skipped:
            for line in done.details:
                print(f"          {line}", file=self.stream)
            if done.reproduce:
                print(f"          reproduce: {done.reproduce}",
                      file=self.stream)
        self.stream.flush()


def _guarded(action):
    """Run @action; a refused value or a broken tool fails its row only."""
    try:
        return action()
    except (BadValue, OSError) as error:
        return Done(False, str(error))
