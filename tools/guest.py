# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots one machine from Settings, and judges how it went."""

import os
import re
import shlex

import elf
import iso
import qemu
import settings as conf
import verdict
from settings import BadValue

# Seconds, generous: emulation on a loaded machine is the normal case.
TIME_LIMIT = 120


def boot(settings, name, words="", echo=False, named_modules=None):
    """Boot @settings as run @name and return the Verdict.

    @words go before the user's on the kernel's command line.
    """
    if verdict.opens_prompt(f"{words} {settings.args}"):
        raise BadValue("ARGS: prompt=1 needs a terminal to type at")
    qemu.prepare(name)
    argv = command(settings, name, words, named_modules=named_modules)
    outcome = qemu.run(argv, name, settings.timeout or TIME_LIMIT, echo)
    if outcome.hung:
        outcome.dumps += whereabouts(name, elf.Locator(settings.elf))
    return verdict.judge(outcome, expectation(settings, words))


def whereabouts(name, locator):
    """Return a line for each CPU whose registers hang @name left."""
    try:
        with open(qemu.log_path(name, "registers"),
                  encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return []
    return [f"CPU {number} was at {locator.name(int(address, 16))}"
            for number, address in re.findall(
                r"CPU#(\d+).*?[RE]IP=([0-9a-f]+)", text, re.S)]


def boot_on_terminal(settings, name, words):
    """Boot with the terminal as console; return the Verdict."""
    qemu.prepare(name)
    argv = command(settings, name, words, interactive=True)
    outcome = qemu.run_on_terminal(argv, name)
    return verdict.judge(outcome, expectation(settings, words), True)


def expectation(settings, words):
    """Return what the machine is expected to do."""
    return verdict.expected(f"{words} {settings.args}", settings.elf)


def command(settings, name, words, interactive=False, named_modules=None):
    """Return QEMU's argument list; makes the ISO where one is booted."""
    if not os.path.isfile(settings.elf):
        raise BadValue(f"{settings.elf} is not built")
    check_room(settings)
    line = f"{words} {settings.args}".strip()
    if len(line.encode()) > conf.MAX_WORDS:
        raise BadValue(f"ARGS: with `{words}` {len(line.encode())} bytes, "
                       f"the kernel takes {conf.MAX_WORDS}")
    image = None
    if settings.boot != "direct":
        image = f"{qemu.LOGS}/{name}.iso"
        iso.build(settings.elf, image, line, settings.modules,
                  named_modules)
    return qemu.command_line(settings, name, words, image, interactive)


def check_room(settings):
    """Raise BadValue for memory that the kernel's own image does not fit in.

    QEMU loads what lies in memory and drops the rest without a word.
    """
    size = conf.mem_bytes(settings.mem)
    if settings.boot != "direct" or size >= conf.SMALL_MEM:
        return
    end = elf.loaded_end(settings.elf)
    if size < end:
        raise BadValue(f"MEM={settings.mem}: too small, the kernel's image "
                       f"alone ends at {-(-end >> 10)} KiB")


def drop_image(name):
    """Remove the ISO of a run that nobody will look into."""
    try:
        os.remove(f"{qemu.LOGS}/{name}.iso")
    except FileNotFoundError:
        pass


def reproduce(settings, defaults, words):
    """Return the make command that boots the same machine by hand."""
    parts = ["make run"]
    for variable in ("CPUS", "MEM", "BOOT", "MACHINE", "CPU", "ACCEL"):
        value = getattr(settings, variable.lower())
        if value != getattr(defaults, variable.lower()):
            parts.append(f"{variable}={value}")
    if settings.qemuflags:
        parts.append("QEMUFLAGS=" + shlex.quote(
            shlex.join(settings.qemuflags)))
    build = os.path.basename(settings.out)
    if build.startswith("debug"):
        parts.append("BUILD=debug")
    if "-clang" in build:
        parts.append("CC=clang")
    if words:
        parts.append("ARGS=" + shlex.quote(words))
    return " ".join(parts) + " </dev/null"
