# SPDX-License-Identifier: GPL-2.0-or-later
"""How every command here begins and ends.

What the system or the user refuses (a full disk, a directory of somebody
else's, a pipe that nobody reads, Ctrl-C) is one line and a status, and leaves
no program behind.  A traceback is for our own mistakes.
"""

import os
import signal
import sys

import processes
from settings import BAD_INPUT, BadValue

FAILED = 1
INTERRUPTED = 130       # as a shell says it of SIGINT


def _say(line):
    try:
        print(f"quire: {line}", file=sys.stderr, flush=True)
    except OSError:
        pass


def _open_streams():
    """Give a standard stream that is closed a place to go."""
    while os.open(os.devnull, os.O_RDWR) <= 2:
        pass


def _end_like_an_interrupt(number, frame):
    raise KeyboardInterrupt


def _drop_output():
    """Have nothing more written to a standard output that takes nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _system_error(error):
    where = f"{error.filename}: " if error.filename else ""
    return where + (error.strerror or str(error))


def _status(action):
    """Return the status of @action(), once what it wrote is written."""
    try:
        try:
            return action() or 0
        finally:
            if sys.stdout:
                sys.stdout.flush()
    except SystemExit as end:
        return end.code or 0
    except BadValue as error:
        _say(error)
        return BAD_INPUT
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        _say("nobody reads the output any more")
    except OSError as error:
        _drop_output()
        _say(_system_error(error))
    return FAILED


def run(main):
    """End this process with the status that @main() returns."""
    _open_streams()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end_like_an_interrupt)
    status = _status(main)
    processes.stop_all()
    sys.exit(status)


def on_terminal():
    """Whether a person sits at both our input and our output."""
    return os.isatty(0) and os.isatty(1)
