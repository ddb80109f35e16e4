# SPDX-License-Identifier: GPL-2.0-or-later
"""`make host-test`: the hosted process, with T and ARGS as its words."""

import os
import sys

import entry
import settings as conf


def argv(env):
    """Return the argument list that make's variables in @env ask for."""
    words = conf.split_words(env.get("ARGS", ""))
    part = [f"test={env['T']}"] if env.get("T") else []
    return [env["HOST_TEST"], *part, *words]


def main():
    """Become that process."""
    words = argv(os.environ)
    sys.stdout.flush()
    os.execv(words[0], words)


if __name__ == "__main__":
    entry.run(main)
