# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs that run below us, so that none outlives us."""

import subprocess
import threading

STOP_GRACE = 5          # seconds between asking to end and killing

_running = []
_lock = threading.Lock()
_closed = False


def start(argv, **how):
    """Start @argv as subprocess.Popen does; stop_all() will know of it."""
    with _lock:
        if _closed:
            raise InterruptedError("interrupted")
        _running[:] = [p for p in _running if p.poll() is None]
        process = subprocess.Popen(argv, **how)
        _running.append(process)
        return process


def stop(process):
    """End @process, gently first."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(STOP_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def stop_all():
    """End all that run, and let none start any more."""
    global _closed
    with _lock:
        _closed = True
    for process in _running:
        stop(process)
