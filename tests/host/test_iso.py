# SPDX-License-Identifier: GPL-2.0-or-later
"""grub.cfg: what GRUB's shell must not touch, and bad modules."""

import os
import unittest

import support
import iso
from settings import BadValue


class Config(unittest.TestCase):
    def line(self, words):
        return iso.config("multiboot2 /k @ARGS@", words)

    def test_globs_are_quoted(self):
        self.assertEqual(self.line("prompt=0 test=vmap*"),
                         "multiboot2 /k 'prompt=0' 'test=vmap*'")

    def test_blanks_stay_in_their_word(self):
        self.assertEqual(self.line('name="a b"'), "multiboot2 /k 'name=a b'")

    def test_dollars_and_apostrophes(self):
        self.assertEqual(self.line('"a\'$b"'), "multiboot2 /k 'a'\\''$b'")

    def test_unbalanced_quote(self):
        with self.assertRaisesRegex(BadValue, "ARGS="):
            self.line('a="b')

    def test_what_grub_can_not_pass_on(self):
        with self.assertRaisesRegex(BadValue, "BOOT=direct"):
            self.line("'a\"b'")

    def test_modules(self):
        text = iso.config("@MODULES@", "", ("some/a.bin", "b.bin"))
        self.assertEqual(text, "load_module 'a.bin'\nload_module 'b.bin'")

    def test_the_template_has_both_places(self):
        with open(os.path.join(support.TOP, iso.TEMPLATE),
                  encoding="utf-8") as file:
            text = file.read()
        for place in ("@ARGS@", "@MODULES@"):
            self.assertEqual(text.count(place), 1)


class Build(support.Scratch, unittest.TestCase):
    def test_absent_module(self):
        with self.assertRaisesRegex(BadValue, "absent: no such file"):
            iso.build("quire.elf", "x.iso", "", ("absent",))
        self.assertFalse(os.path.exists("x.iso"))


if __name__ == "__main__":
    unittest.main()
