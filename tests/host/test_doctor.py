# SPDX-License-Identifier: GPL-2.0-or-later
"""Missing tools: found, named, installed only where that may be done."""

import os
import unittest
from unittest import mock

import support
import doctor

APT = """\
#!/bin/sh
echo "$@" >> "{log}"
case "$*" in *install*)
    {action} ;;
esac
"""


class Needs(unittest.TestCase):
    def names(self, *how):
        return [tool.name for tool in doctor.needed(*how)]

    def test_direct_boot_needs_no_grub(self):
        self.assertNotIn("grub-mkrescue", self.names("run", "direct"))
        self.assertIn("grub-mkrescue", self.names("run", "iso"))

    def test_uefi_needs_its_firmware(self):
        self.assertIn("OVMF", self.names("run", "uefi"))
        self.assertNotIn("OVMF", self.names("run", "iso"))

    def test_clang_and_gdb_only_where_used(self):
        self.assertNotIn("clang", self.names("run", "iso", "gcc"))
        self.assertIn("clang", self.names("run", "iso", "clang-14"))
        self.assertNotIn("gdb", self.names("test"))
        self.assertIn("gdb", self.names("debug"))

    def test_each_tool_has_a_package_on_linux(self):
        for tool in doctor.ALL:
            for where in ("debian", "fedora", "arch"):
                self.assertTrue(getattr(tool, where), (tool.name, where))


class Compiler(unittest.TestCase):
    def test_one_that_is_not_there(self):
        self.assertEqual(doctor.check_compiler("no-such-cc -m64"),
                         "CC=no-such-cc -m64: no-such-cc is not installed")

    def test_the_usual(self):
        self.assertIsNone(doctor.check_compiler(""))
        self.assertIsNone(doctor.check_compiler("sh"))


class Systems(support.Scratch, unittest.TestCase):
    def system(self, text, platform="linux"):
        with open("os-release", "w", encoding="utf-8") as file:
            file.write(text)
        return doctor.system("os-release", platform)

    def test_known(self):
        self.assertEqual(self.system('NAME="D"\nID=debian\n'), "debian")
        self.assertEqual(self.system("ID=ubuntu\nID_LIKE=debian\n"),
                         "debian")
        self.assertEqual(self.system('ID=pop\nID_LIKE="ubuntu debian"\n'),
                         "debian")
        self.assertEqual(self.system("ID=fedora\n"), "fedora")
        self.assertEqual(self.system("ID=arch\n"), "arch")
        self.assertEqual(self.system("", "darwin"), "macos")

    def test_unknown(self):
        self.assertIsNone(self.system("ID=plan9\n"))
        self.assertIsNone(doctor.system("absent", "linux"))

    def test_line_to_type(self):
        tools = [doctor.XORRISO, doctor.MKRESCUE, doctor.GRUB_PC]
        self.assertEqual(
            doctor.install_line(tools, "debian", False),
            "sudo apt-get install -y --no-install-recommends grub-common "
            "grub-pc-bin xorriso")
        self.assertEqual(doctor.install_line(tools, "arch", True),
                         "pacman -S --needed grub libisoburn")
        self.assertEqual(doctor.install_line([doctor.QEMU], "macos", False),
                         "brew install qemu")


class Ensure(support.Scratch, unittest.TestCase):
    """On a PATH that holds nothing but what a test puts there."""

    tool = doctor.Tool("widget", "spins", ("widget",), debian="widget-bin",
                       fedora="widget", arch="widget", macos="widget")

    def setUp(self):
        super().setUp()
        self.bin = self.folder.name
        self.log = os.path.join(self.bin, "apt.log")
        support.write_program(self.bin, "env", '#!/bin/sh\n'
                              'shift; exec "$@"\n')

    def ensure(self, where="debian", prefix=()):
        with mock.patch.dict(os.environ, {"PATH": self.bin}), \
                mock.patch.object(doctor, "system", lambda: where), \
                mock.patch.object(doctor, "_privilege", lambda: (
                    None if prefix is None else list(prefix))), \
                mock.patch("builtins.print"):
            return doctor.ensure([self.tool])

    def apt(self, action):
        support.write_program(self.bin, "apt-get", APT.format(
            log=self.log, action=action))

    def calls(self):
        try:
            with open(self.log, encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def test_nothing_missing_starts_nothing(self):
        support.write_program(self.bin, "widget", "#!/bin/sh\n")
        self.apt("exit 1")
        self.assertIsNone(self.ensure())
        self.assertEqual(self.calls(), [])

    def test_installs_by_name(self):
        self.apt(f'/bin/cp "$0" {self.bin}/widget')
        self.assertIsNone(self.ensure())
        self.assertEqual(len(self.calls()), 2)
        self.assertTrue(self.calls()[0].endswith("update"))
        self.assertTrue(self.calls()[1].endswith(
            "install -y --no-install-recommends widget-bin"))

    def test_failing_installation_says_why(self):
        self.apt("echo 'E: Unable to locate widget-bin'; exit 100")
        error = self.ensure()
        self.assertIn("E: Unable to locate widget-bin", error)
        self.assertIn("install", error)
        self.assertNotIn("\n", error)

    def test_package_that_does_not_bring_it(self):
        self.apt("exit 0")
        self.assertIn("installed, but not found: widget", self.ensure())

    def test_without_rights_the_line_to_type(self):
        self.apt("exit 0")
        self.assertRegex(self.ensure(prefix=None),
                         "missing: widget; type: .*apt-get install")
        self.assertEqual(self.calls(), [])

    def test_elsewhere_the_package_is_named(self):
        self.assertRegex(self.ensure("fedora"), "dnf install -y widget")
        self.assertRegex(self.ensure("arch"), "pacman -S --needed widget")
        self.assertRegex(self.ensure("macos"), "brew install widget")
        self.assertRegex(self.ensure(None), "your package manager")


if __name__ == "__main__":
    unittest.main()
