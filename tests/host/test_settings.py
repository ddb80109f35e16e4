# SPDX-License-Identifier: GPL-2.0-or-later
"""make's variables: what is refused, and with which line."""

import os
import re
import unittest
from unittest import mock

import support
import settings as conf


class Environment(unittest.TestCase):
    def refuse(self, pattern, **env):
        with self.assertRaisesRegex(conf.BadValue, pattern) as caught:
            conf.from_environment(env)
        self.assertNotIn("\n", str(caught.exception))

    def test_defaults(self):
        settings = conf.from_environment({})
        self.assertEqual((settings.cpus, settings.mem, settings.boot,
                          settings.machine), (2, "1G", "iso", "pc"))

    def test_empty_means_not_set(self):
        self.assertEqual(conf.from_environment({"BOOT": "", "CPUS": ""}),
                         conf.from_environment({}))

    def test_uefi_is_tried_on_q35(self):
        settings = conf.from_environment({"BOOT": "uefi"})
        self.assertEqual(settings.machine, "q35")

    def test_boot(self):
        self.refuse("BOOT=floppy: must be iso, uefi or direct",
                    BOOT="floppy")

    def test_machine(self):
        self.refuse("MACHINE=mac: must be pc, q35 or microvm",
                    MACHINE="mac")

    def test_microvm_has_no_cd(self):
        self.refuse("microvm boots no iso", MACHINE="microvm")

    def test_mem(self):
        self.refuse("MEM=lots: not a size", MEM="lots")
        self.refuse("MEM=1T: not a size", MEM="1T")
        self.refuse("MEM=-1: not a size", MEM="-1")
        self.refuse("MEM=1M: too small", MEM="1M")
        self.refuse("MEM=9999G: too large", MEM="9999G")

    def test_mem_for_uefi(self):
        self.refuse("MEM=47M: too small, UEFI", BOOT="uefi", MEM="47M")
        self.assertEqual(conf.from_environment(
            {"BOOT": "uefi", "MEM": "48M"}).mem, "48M")

    def test_timeout(self):
        for text in ("-5", "0", "nan", "inf", "1e300"):
            self.refuse(f"TIMEOUT={text}: must be seconds", TIMEOUT=text)
        self.refuse("TIMEOUT=soon: not a number", TIMEOUT="soon")
        self.assertEqual(conf.from_environment({"TIMEOUT": "0.5"}).timeout,
                         0.5)
        self.assertEqual(conf.from_environment({}).timeout, 0)

    def test_jobs(self):
        self.refuse("JOBS=2;x: not a number", JOBS="2;x")

    def test_out(self):
        self.refuse("OUT=/: is a directory", OUT="/")
        self.refuse("OUT=/absent/x: there is no directory /absent",
                    OUT="/absent/x")
        with mock.patch("os.access", lambda path, mode: False):
            self.refuse("OUT=x.json: may not be written", OUT="x.json")
        conf.from_environment({"OUT": "x.json"})

    def test_words_with_blanks(self):
        settings = conf.from_environment(
            {"MODULES": "'a b' c", "QEMUFLAGS": "-d 'cpu_reset,int' -D 'x y'"})
        self.assertEqual(settings.modules, ("a b", "c"))
        self.assertEqual(settings.qemuflags,
                         ("-d", "cpu_reset,int", "-D", "x y"))
        self.refuse("MODULES=a'b: No closing quotation", MODULES="a'b")

    def test_cpus(self):
        self.refuse("CPUS=two: not a number", CPUS="two")
        self.refuse("CPUS=0: must be 1..255", CPUS="0")
        self.refuse("CPUS=256: must be 1..255", CPUS="256")

    def test_accel(self):
        self.refuse("ACCEL=hope: must begin", ACCEL="hope")

    def test_modules_of_a_direct_boot(self):
        self.refuse("one module", BOOT="direct", MODULES="a b")

    def test_args_of_two_lines(self):
        self.refuse("one line", ARGS="a\nb")

    def test_args_with_half_a_quote(self):
        self.refuse('ARGS=a"b: No closing quotation', ARGS='a"b')

    def test_sizes(self):
        self.assertEqual(conf.mem_bytes("32M"), 32 << 20)
        self.assertEqual(conf.mem_bytes("64"), 64 << 20)
        self.assertEqual(conf.mem_bytes("6G"), 6 << 30)
        self.assertEqual(conf.mem_bytes("2048K"), 2 << 20)


class Kernel(unittest.TestCase):
    def test_as_many_words_as_the_kernel_takes(self):
        path = os.path.join(support.TOP, "arch/include/arch/boot_info.h")
        with open(path, encoding="utf-8") as file:
            room = re.search(r"BOOT_MAX_CMDLINE (\d+)", file.read())[1]
        self.assertEqual(conf.MAX_WORDS, int(room) - 1)


if __name__ == "__main__":
    unittest.main()
