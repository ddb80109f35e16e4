# SPDX-License-Identifier: GPL-2.0-or-later
"""What the user may set on make's command line, checked.

The Makefile exports its variables, so that a kernel command line with blanks
and quotes passes through no shell.  A bad value is one line and an exit.
"""

import dataclasses
import os
import re
import shlex
import sys

BOOTS = ("iso", "uefi", "direct")
MACHINES = ("pc", "q35", "microvm")
UNITS = {"": 1 << 20, "M": 1 << 20, "G": 1 << 30, "K": 1 << 10}
MIN_MEM = 2 << 20       # below it QEMU's firmware itself does not come up
SMALL_MEM = 16 << 20    # below it the kernel may not fit
MIN_MEM_UEFI = 48 << 20
MAX_MEM = 1 << 40
MAX_CPUS = 255
MAX_TIMEOUT = 7 * 86400     # seconds
MAX_WORDS = 2047        # bytes of a command line that the kernel takes
BAD_INPUT = 2           # exit status


class BadValue(Exception):
    """A value that can't be used; the message is the line to print."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """One machine to boot: make's variables, after checking."""

    elf: str
    out: str = "build"
    cpus: int = 2
    mem: str = "1G"
    accel: str = ""
    boot: str = "iso"
    machine: str = ""
    cpu: str = "max"
    args: str = ""
    modules: tuple = ()
    qemuflags: tuple = ()
    timeout: float = 0

    def replace(self, **changes):
        """Return a copy with @changes, checked again."""
        new = dataclasses.replace(self, **changes)
        check(new)
        return new


def mem_bytes(text):
    """Return the bytes that QEMU understands by `-m text`."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text)
    if not match:
        raise BadValue(f"MEM={text}: not a size such as 32M or 1G")
    return int(match[1]) * UNITS[match[2]]


def split_words(line, name="ARGS"):
    """Split what variable @name holds; quotes keep blanks together."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise BadValue(f"{name}={line}: {error}") from None


def _one_of(name, value, allowed):
    if value not in allowed:
        raise BadValue(f"{name}={value}: must be " + " or ".join(
            [", ".join(allowed[:-1]), allowed[-1]]))


def check(settings):
    """Raise BadValue for what can't boot, with the reason."""
    _one_of("BOOT", settings.boot, BOOTS)
    _one_of("MACHINE", settings.machine, MACHINES)
    size = mem_bytes(settings.mem)
    if size < MIN_MEM:
        raise BadValue(f"MEM={settings.mem}: too small, a PC's firmware "
                       f"needs {MIN_MEM >> 20}M")
    if settings.boot == "uefi" and size < MIN_MEM_UEFI:
        raise BadValue(f"MEM={settings.mem}: too small, UEFI firmware and "
                       f"GRUB need {MIN_MEM_UEFI >> 20}M")
    if size > MAX_MEM:
        raise BadValue(f"MEM={settings.mem}: too large, at most "
                       f"{MAX_MEM >> 30}G")
    if not 1 <= settings.cpus <= MAX_CPUS:
        raise BadValue(f"CPUS={settings.cpus}: must be 1..{MAX_CPUS}")
    if settings.accel.split(",")[0] not in ("", "tcg", "kvm"):
        raise BadValue(f"ACCEL={settings.accel}: must begin with tcg or kvm")
    if settings.machine == "microvm" and settings.boot != "direct":
        raise BadValue(f"MACHINE=microvm boots no {settings.boot}: "
                       "use BOOT=direct")
    if settings.boot == "direct" and len(settings.modules) > 1:
        raise BadValue("MODULES: BOOT=direct can carry one module only")
    if "\n" in settings.args:
        raise BadValue("ARGS: a kernel command line is one line")
    split_words(settings.args)


def _number(name, text, kind):
    try:
        return kind(text)
    except ValueError:
        raise BadValue(f"{name}={text}: not a number") from None


def _timeout(text):
    """Return the seconds that TIMEOUT=@text allows; 0 where it is not set."""
    if not text:
        return 0
    seconds = _number("TIMEOUT", text, float)
    if not 0 < seconds <= MAX_TIMEOUT:
        raise BadValue(f"TIMEOUT={text}: must be seconds, more than 0 and "
                       f"at most {MAX_TIMEOUT}")
    return seconds


def check_output(path):
    """Raise BadValue for an OUT=@path that can't be written to."""
    if os.path.isdir(path):
        raise BadValue(f"OUT={path}: is a directory")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise BadValue(f"OUT={path}: there is no directory {folder}")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise BadValue(f"OUT={path}: may not be written to")


def from_environment(env=os.environ):
    """Build the Settings that make's exported variables describe."""
    _number("JOBS", env.get("JOBS") or "1", int)
    if env.get("OUT"):
        check_output(env["OUT"])
    boot = env.get("BOOT") or "iso"
    settings = Settings(
        elf=env.get("ELF") or "build/release/quire.elf",
        out=env.get("KERNEL_OUT") or "build/release",
        cpus=_number("CPUS", env.get("CPUS") or "2", int),
        mem=env.get("MEM") or "1G",
        accel=env.get("ACCEL", ""),
        boot=boot,
        machine=env.get("MACHINE") or default_machine(boot),
        cpu=env.get("CPU") or "max",
        args=env.get("ARGS", ""),
        modules=tuple(split_words(env.get("MODULES", ""), "MODULES")),
        qemuflags=tuple(split_words(env.get("QEMUFLAGS", ""), "QEMUFLAGS")),
        timeout=_timeout(env.get("TIMEOUT")))
    check(settings)
    return settings


def default_machine(boot):
    """Return the machine that @boot is best tried on."""
    return "q35" if boot == "uefi" else "pc"


def die(message, status=BAD_INPUT):
    """End the command with one line and @status."""
    print(f"quire: {message}", file=sys.stderr)
    sys.exit(status)
