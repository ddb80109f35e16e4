# SPDX-License-Identifier: GPL-2.0-or-later
"""`make debug`: QEMU stopped at the first instruction, gdb attached.

The console goes to build/logs/debug.log; `tail -f` it in another terminal.
"""

import signal
import socket
import subprocess
import sys

import entry
import guest
import processes
import qemu
import settings as conf

NAME = "debug"
SCRIPT = "tools/gdbinit"


def free_port():
    """Return a TCP port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def qemu_argv(settings, name, port):
    """Return QEMU's argument list: stopped, its console in the log only."""
    argv = guest.command(settings, name, "prompt=0")
    console = argv.index("-chardev") + 1
    argv[console] = f"file,id=console,path={qemu.log_path(name, 'log')}"
    return argv + ["-S", "-gdb", f"tcp:127.0.0.1:{port}"]


def gdb_argv(settings, port, extra=()):
    """Return gdb's argument list."""
    return ["gdb", "-q", "-ex", f"target remote 127.0.0.1:{port}",
            "-x", SCRIPT, *extra, settings.elf]


def main():
    """Start both; QEMU ends when gdb does."""
    batch = sys.argv[1:]
    settings = conf.from_environment()
    name = qemu.claim(NAME)
    qemu.prepare(name)
    port = free_port()
    argv = qemu_argv(settings, name, port)
    print(f"quire: console in {qemu.log_path(name, 'log')}")
    # A session of its own, so that Ctrl-C reaches gdb alone.
    with open(qemu.log_path(name, "qemu"), "wb") as errors, \
            processes.start(argv, stdin=subprocess.DEVNULL, stderr=errors,
                            start_new_session=True) as emulator:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            return subprocess.call(
                gdb_argv(settings, port, batch),
                preexec_fn=lambda: signal.signal(signal.SIGINT,
                                                 signal.SIG_DFL))
        except OSError as error:
            conf.die(f"gdb: {error.strerror}; `make doctor` names its "
                     "package")
        finally:
            emulator.terminate()


if __name__ == "__main__":
    entry.run(main)
