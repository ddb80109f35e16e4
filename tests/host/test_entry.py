# SPDX-License-Identifier: GPL-2.0-or-later
"""How a command ends when the system or the user refuses something."""

import os
import signal
import subprocess
import sys
import time
import unittest

import support

HEAD = f"""
import sys
sys.path.insert(0, {os.path.join(support.TOP, "tools")!r})
import entry, processes
from settings import BadValue
def main():
"""


class Command(support.Scratch, unittest.TestCase):
    def start(self, body, **how):
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        return subprocess.Popen(
            [sys.executable, "-c", HEAD + lines + "entry.run(main)"],
            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
               "stderr": subprocess.PIPE, "text": True, **how})

    def check(self, body, status, error, **how):
        process = self.start(body, **how)
        _, said = process.communicate(timeout=30)
        self.assertEqual(said, error and f"quire: {error}\n")
        self.assertEqual(process.returncode, status)

    def test_status(self):
        self.check("return 35", 35, "")
        self.check("print(1)", 0, "")
        self.check("sys.exit(3)", 3, "")

    def test_bad_value(self):
        self.check("raise BadValue('MEM=x: bad')", 2, "MEM=x: bad")

    def test_foreign_file(self):
        self.check("open('/nonexistent/x', 'w')", 1,
                   "/nonexistent/x: No such file or directory")
        self.check("raise PermissionError(13, 'Permission denied', 'build')",
                   1, "build: Permission denied")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            self.check("print(1)", 1, "No space left on device", stdout=full)

    def test_closed_pipe(self):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            self.check("print(1)", 1, "nobody reads the output any more",
                       stdout=writer)
        finally:
            os.close(writer)

    def test_closed_streams(self):
        self.check("assert not entry.on_terminal()\n"
                   "assert open('x', 'w').fileno() > 2", 0, "",
                   preexec_fn=lambda: (os.close(0), os.close(1)))

    def test_our_own_mistakes_are_traced(self):
        process = self.start("None.x")
        _, said = process.communicate(timeout=30)
        self.assertIn("Traceback", said)
        self.assertEqual(process.returncode, 1)

    def interrupt(self, number):
        process = self.start(
            "child = processes.start(['sleep', '60'])\n"
            "print(child.pid, flush=True)\n"
            "child.wait()")
        child = int(process.stdout.readline())
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
        self.assertEqual(said, "quire: interrupted\n")
        self.assertEqual(process.returncode, 130)
        with self.assertRaises(ProcessLookupError):
            os.kill(child, 0)

    def test_nothing_outlives_an_interrupt(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.interrupt(number)

    def test_nothing_starts_after_one(self):
        self.check("processes.stop_all()\n"
                   "processes.start(['sleep', '60'])", 1, "interrupted")

    def test_deaf_program_is_killed(self):
        started = time.monotonic()
        self.check("processes.STOP_GRACE = 0.2\n"
                   "child = processes.start(['sh', '-c', \"trap '' TERM; "
                   "echo; while :; do sleep 0.1; done\"], "
                   "stdout=__import__('subprocess').PIPE)\n"
                   "child.stdout.readline()\n"
                   "processes.stop(child)\n"
                   "return -child.returncode", 9, "")
        self.assertLess(time.monotonic() - started, 20)


if __name__ == "__main__":
    unittest.main()
