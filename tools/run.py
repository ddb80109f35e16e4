# SPDX-License-Identifier: GPL-2.0-or-later
"""`make run`: boot the kernel with its console on this terminal."""

import os

import entry
import guest
import qemu
import settings as conf
import verdict

# The tests of this command run several at a time and keep them apart.
NAME = os.environ.get("RUN_NAME", "run")


def _print_hang(judged):
    for line in judged.outcome.dumps:
        print(line)


def _print_failures(report):
    for name, leaf in report.leaves():
        if not leaf.ok:
            print(f"failed: {name}")


def main():
    """Boot what the environment describes; return the exit status."""
    settings = conf.from_environment()
    name = qemu.claim(NAME)
    if entry.on_terminal():
        print("quire: Ctrl-A X leaves QEMU, `quit` the kernel's prompt")
        judged = guest.boot_on_terminal(settings, name, "prompt=1")
    else:
        judged = guest.boot(settings, name, "prompt=0", echo=True)
    print()
    _print_failures(judged.report)
    if judged.word == "hang":
        _print_hang(judged)
    print(f"log: {judged.outcome.log}")
    if not judged.ok:
        conf.die(f"{judged.word}: {judged.line} "
                 f"({verdict.guest_status(judged)})", judged.status)
    print(f"quire: passed: {judged.line} ({judged.outcome.seconds:.1f} s, "
          f"{verdict.guest_status(judged)})")
    return 0


if __name__ == "__main__":
    entry.run(main)
