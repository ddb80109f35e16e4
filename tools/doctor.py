# SPDX-License-Identifier: GPL-2.0-or-later
"""`make doctor`: which tools are here, which are missing, in what package.

With --install, what a target needs and lacks is installed where that can be
done without asking: on Debian and Ubuntu, as root or through a sudo that
wants no password.  Elsewhere the one line to type is printed.  Where nothing
is missing no package manager is started.  A variable that can't be used is
refused before anything is installed or built.
"""

import argparse
import dataclasses
import glob
import os
import re
import shutil
import subprocess
import sys

import entry
import qemu
import settings as conf

STATUS_MISSING = 3


@dataclasses.dataclass(frozen=True)
class Tool:
    """One thing that has to be here, and what brings it."""

    name: str
    why: str
    programs: tuple = ()    # any one of them on PATH will do
    files: tuple = ()       # or any one of these globs
    version: str = "--version"
    debian: str = ""
    fedora: str = ""
    arch: str = ""
    macos: str = ""

    def where(self):
        """Return the path at which the tool was found, or None."""
        for program in self.programs:
            path = shutil.which(program)
            if path:
                return path
        for pattern in self.files:
            found = sorted(glob.glob(pattern))
            if found:
                return found[0]
        return None


def _grub_dirs(platform):
    return tuple(f"{root}/{platform}/multiboot2.mod" for root in (
        "/usr/lib/grub", "/usr/lib/grub2", "/usr/local/lib/grub",
        "/opt/homebrew/lib/*grub*"))


GCC = Tool("gcc", "compiles", ("gcc",), debian="gcc", fedora="gcc",
           arch="gcc", macos="x86_64-elf-gcc")
BINUTILS = Tool("binutils", "links, reads ELF files", ("ld",),
                debian="binutils", fedora="binutils", arch="binutils",
                macos="x86_64-elf-binutils")
MAKE = Tool("make", "builds", ("make", "gmake"), debian="make",
            fedora="make", arch="make", macos="make")
QEMU = Tool("qemu", "the machine", (qemu.PROGRAM,),
            debian="qemu-system-x86", fedora="qemu-system-x86-core",
            arch="qemu-system-x86", macos="qemu")
MKRESCUE = Tool("grub-mkrescue", "makes the ISO",
                ("grub-mkrescue", "grub2-mkrescue"), debian="grub-common",
                fedora="grub2-tools-extra", arch="grub",
                macos="i686-elf-grub")
GRUB_PC = Tool("GRUB for BIOS", "boots the ISO",
               files=_grub_dirs("i386-pc"), debian="grub-pc-bin",
               fedora="grub2-pc-modules", arch="grub",
               macos="i686-elf-grub")
GRUB_EFI = Tool("GRUB for UEFI", "boots the ISO",
                files=_grub_dirs("x86_64-efi"), debian="grub-efi-amd64-bin",
                fedora="grub2-efi-x64-modules", arch="grub",
                macos="x86_64-elf-grub")
XORRISO = Tool("xorriso", "makes the ISO", ("xorriso",), debian="xorriso",
               fedora="xorriso", arch="libisoburn", macos="xorriso")
MTOOLS = Tool("mtools", "makes the ISO's UEFI part", ("mformat",),
              debian="mtools", fedora="mtools", arch="mtools",
              macos="mtools")
OVMF = Tool("OVMF", "UEFI firmware", files=qemu.FIRMWARE, debian="ovmf",
            fedora="edk2-ovmf", arch="edk2-ovmf", macos="qemu")
CLANG = Tool("clang", "compiles, second opinion", ("clang",),
             debian="clang", fedora="clang", arch="clang", macos="llvm")
GDB = Tool("gdb", "debugger", ("gdb",), debian="gdb", fedora="gdb",
           arch="gdb", macos="x86_64-elf-gdb")
LIBC = Tool("C library headers", "hosted tests",
            files=("/usr/include/stdio.h",), debian="libc6-dev",
            fedora="glibc-devel", arch="glibc")
SANITIZERS = Tool("sanitizers", "hosted tests",
                  files=("/usr/lib/gcc/x86_64*/*/libasan.so",
                         "/usr/lib/libasan.so"),
                  debian="gcc", fedora="libasan libubsan",
                  arch="gcc-libs")

BUILD = (GCC, BINUTILS, MAKE)
ISO = (MKRESCUE, GRUB_PC, GRUB_EFI, XORRISO, MTOOLS)
HOSTED = (GCC, MAKE, LIBC, SANITIZERS)

# What each make target needs; `run` and the like add what BOOT asks for.
TARGETS = {
    "build": BUILD,
    "iso": BUILD + ISO,
    "run": BUILD + (QEMU,),
    "bench": BUILD + (QEMU,),
    "debug": BUILD + (QEMU, GDB),
    "host-test": HOSTED,
    "test": BUILD + (QEMU,) + ISO + (OVMF, CLANG) + HOSTED[2:],
}
BOOTS = {"iso": ISO, "uefi": ISO + (OVMF,), "direct": ()}
ALL = TARGETS["test"] + (GDB,)

SYSTEMS = {
    "debian": "apt-get install -y --no-install-recommends",
    "fedora": "dnf install -y",
    "arch": "pacman -S --needed",
    "macos": "brew install",
}


def needed(target, boot="", compiler=""):
    """Return the tools that make @target needs, each once."""
    tools = list(TARGETS[target])
    if target in ("run", "debug"):
        tools += BOOTS.get(boot, ())
    if "clang" in os.path.basename(compiler):
        tools.append(CLANG)
    return list(dict.fromkeys(tools))


def system(release="/etc/os-release", platform=sys.platform):
    """Return the key of SYSTEMS for this machine, or None."""
    if platform == "darwin":
        return "macos"
    try:
        with open(release, encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return None
    ids = re.findall(r'^ID(?:_LIKE)?="?([^"\n]*)', text, re.M)
    for name in " ".join(ids).split():
        key = {"ubuntu": "debian", "rhel": "fedora"}.get(name, name)
        if key in SYSTEMS:
            return key
    return None


def packages(tools, where):
    """Return the packages that bring @tools on system @where, sorted."""
    names = " ".join(getattr(tool, where) for tool in tools)
    return sorted(set(names.split()))


def install_line(tools, where, root):
    """Return the line to type to install @tools on system @where."""
    prefix = "" if root or where == "macos" else "sudo "
    return f"{prefix}{SYSTEMS[where]} " + " ".join(packages(tools, where))


def _privilege():
    """Return the argv prefix that makes us root, or None."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        asked = subprocess.run(["sudo", "-n", "true"], check=False,
                               stdin=subprocess.DEVNULL,
                               capture_output=True)
        if asked.returncode == 0:
            return ["sudo", "-n"]
    return None


def _apt(prefix, *words):
    argv = prefix + ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get",
                     "-qq", "-o", "Dpkg::Use-Pty=0", *words]
    done = subprocess.run(argv, check=False, text=True,
                          stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def _apt_install(prefix, names):
    """Install Debian packages @names; return None or what went wrong."""
    print("  INSTALL " + " ".join(names), flush=True)
    _apt(prefix, "update")
    status, text = _apt(prefix, "install", "-y", "--no-install-recommends",
                        *names)
    if status == 0:
        return None
    errors = [line for line in text.splitlines() if line.startswith("E: ")]
    return (errors or text.splitlines() or ["no reason given"])[-1]


def describe(tools, where):
    """Return one line that says what is missing and how to get it."""
    what = ", ".join(tool.name for tool in tools)
    if where is None:
        return f"missing: {what}; install them with your package manager"
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return f"missing: {what}; type: {install_line(tools, where, root)}"


def ensure(tools):
    """Install what is missing of @tools; return None or a line of error."""
    missing = [tool for tool in tools if tool.where() is None]
    if not missing:
        return None
    where = system()
    prefix = _privilege() if where == "debian" else None
    if prefix is None or not shutil.which("apt-get"):
        return describe(missing, where)
    error = _apt_install(prefix, packages(missing, "debian"))
    still = [tool for tool in missing if tool.where() is None]
    if error is None and still:
        error = "installed, but not found: " + ", ".join(
            tool.name for tool in still)
    return error and f"{error}; {describe(missing, where)}"


def check_compiler(compiler):
    """Return None, or a line that says that CC=@compiler is not here."""
    words = compiler.split()
    if words and not shutil.which(words[0]):
        return f"CC={compiler}: {words[0]} is not installed"
    return None


def _version(tool, path):
    if not tool.programs:
        return path
    try:
        done = subprocess.run([path, tool.version], check=False, text=True,
                              stdin=subprocess.DEVNULL, timeout=10,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not start: {error}"
    match = re.search(r"\d+\.\d+(\.\d+)?", done.stdout)
    return match[0] if match else path


def report(tools):
    """Print a row per tool; return those that are missing."""
    missing = []
    for tool in tools:
        path = tool.where()
        found = _version(tool, path) if path else "MISSING"
        print(f"{tool.name:<18} {found:<38} {tool.why}")
        if path is None:
            missing.append(tool)
    kvm = "kvm" if qemu.have_kvm() else "tcg (no usable KVM)"
    print(f"{'accelerator':<18} {kvm:<38} ACCEL= overrides")
    return missing


def main():
    """Report, or check and install for one target."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--install", metavar="TARGET", choices=TARGETS)
    options = parser.parse_args()
    if options.install is None:
        missing = report(list(dict.fromkeys(ALL)))
        if not missing:
            print("nothing is missing")
            return 0
        print(describe(missing, system()))
        return STATUS_MISSING
    compiler = os.environ.get("CC", "")
    boot = conf.from_environment().boot
    error = (ensure(needed(options.install, boot, compiler))
             or check_compiler(compiler))
    if error:
        conf.die(error, STATUS_MISSING)
    return 0


if __name__ == "__main__":
    entry.run(main)
