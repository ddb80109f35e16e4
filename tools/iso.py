# SPDX-License-Identifier: GPL-2.0-or-later
"""The GRUB ISO: kernel, boot modules and a grub.cfg with the command line.

The words for the kernel are baked into grub.cfg, so each run has an image of
its own; making one takes a fifth of a second.
"""

import os
import shutil
import subprocess

import entry
import settings as conf
from settings import BadValue

TEMPLATE = "iso/grub.cfg"
PROGRAMS = ("grub-mkrescue", "grub2-mkrescue")
# The part_... modules are named by what grub-mkrescue itself puts in.
GRUB_MODULES = (
    "multiboot2 normal iso9660 serial test echo iorw all_video part_acorn "
    "part_amiga part_apple part_bsd part_dfly part_dvh part_gpt part_msdos "
    "part_plan part_sun part_sunpc")
OPTIONS = (f"--install-modules={GRUB_MODULES}", "--fonts=", "--locales=",
           "--themes=")


def quote(word):
    """Return @word so that GRUB's shell takes it as it is."""
    if '"' in word or "\\" in word:
        raise BadValue(f"ARGS: {word}: GRUB can't pass on a quote or a "
                       "backslash inside a word; use BOOT=direct")
    return "'" + word.replace("'", "'\\''") + "'"


def module_lines(modules):
    """Return the lines of grub.cfg that load boot modules."""
    return "\n".join(f"load_module {quote(os.path.basename(m))}"
                     for m in modules)


def config(template, words, modules=()):
    """Return the text of grub.cfg."""
    line = " ".join(quote(w) for w in conf.split_words(words))
    return (template.replace("@ARGS@", line)
            .replace("@MODULES@", module_lines(modules)))


def _program():
    for name in PROGRAMS:
        if shutil.which(name):
            return name
    raise BadValue(f"{PROGRAMS[0]} is not installed; `make doctor` names "
                   "its package")


def build(elf, path, words, modules=(), named=None):
    """Write the ISO to @path.

    @modules are files that go on it; @named are the ones that grub.cfg loads
    (the same by default).
    """
    for module in modules:
        if not os.path.isfile(module):
            raise BadValue(f"MODULES: {module}: no such file")
    root = path + ".d"
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(f"{root}/boot/grub")
    shutil.copy(elf, f"{root}/boot/quire.elf")
    for module in modules:
        shutil.copy(module, f"{root}/boot/")
    with open(TEMPLATE, encoding="utf-8") as file:
        text = config(file.read(), words, modules if named is None
                      else named)
    with open(f"{root}/boot/grub/grub.cfg", "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([_program(), "-o", path, *OPTIONS, root],
                          capture_output=True, text=True, check=False)
    shutil.rmtree(root)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise BadValue(f"grub-mkrescue failed: {lines[-1]}")


def main():
    """`make iso`: the words are ARGS."""
    settings = conf.from_environment()
    path = f"{settings.out}/quire.iso"
    build(settings.elf, path, settings.args, settings.modules)
    print(f"  ISO     {path}")


if __name__ == "__main__":
    entry.run(main)
