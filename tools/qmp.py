# SPDX-License-Identifier: GPL-2.0-or-later
"""QMP, QEMU's monitor for programs: as much of it as is needed here."""

import json
import os
import shutil
import socket
import subprocess

TIMEOUT = 60            # seconds for one command; a dump writes all memory


class Monitor:
    """A connection to a running QEMU's monitor socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(path)
        self.stream = self.socket.makefile("rw", encoding="utf-8")
        self.stream.readline()          # the greeting
        self.command("qmp_capabilities")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()

    def command(self, name, **arguments):
        """Run one command and return what it returned.

        Raises OSError where QEMU refuses or has gone.
        """
        request = {"execute": name, "arguments": arguments}
        self.stream.write(json.dumps(request) + "\n")
        self.stream.flush()
        for line in self.stream:
            answer = json.loads(line)
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise OSError(f"{name}: {answer['error']['desc']}")
        raise OSError(f"{name}: QEMU has gone")

    def human(self, line):
        """Run one command of the human monitor, return its text."""
        text = self.command("human-monitor-command",
                            **{"command-line": line})
        return text.replace("\r\n", "\n")


def _guest_bytes(monitor):
    memory = monitor.command("query-memory-size-summary")
    return memory["base-memory"] + memory.get("plugged-memory", 0)


def _dig_holes(path):
    """Give the disk back what is zero in @path, where that is possible."""
    if shutil.which("fallocate"):
        subprocess.run(["fallocate", "--dig-holes", path], check=False,
                       stderr=subprocess.DEVNULL)


def save_state(path, prefix):
    """Save registers and memory of the QEMU behind socket @path.

    Return lines that say what was written where, or why not.
    """
    said = []
    try:
        with Monitor(path) as monitor:
            monitor.command("stop")
            registers = prefix + ".registers"
            with open(registers, "w", encoding="utf-8") as file:
                file.write(monitor.human("info registers -a"))
            said.append(f"registers: {registers}")
            said.append(_save_memory(monitor, prefix + ".core"))
    except (OSError, ValueError) as error:
        said.append(f"no dump: {error}")
    return said


def _save_memory(monitor, path):
    size = _guest_bytes(monitor)
    free = shutil.disk_usage(os.path.dirname(path) or ".").free
    if free < 2 * size:
        return (f"memory: not saved, {size >> 20} MiB and only "
                f"{free >> 20} MiB of disk are free")
    monitor.command("dump-guest-memory", paging=False,
                    protocol=f"file:{path}")
    _dig_holes(path)
    return f"memory: {path} (opens in gdb)"
