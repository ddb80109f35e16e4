# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU: the command line for a machine, and one run of it.

The console is COM1.  What the kernel prints is kept in NAME.log, what QEMU
itself complains about in NAME.qemu, and resets with the registers before
them in NAME.resets; all lie in build/logs.  Paths are relative to the top of
the tree, since a socket's name may not be long.
"""

import dataclasses
import fcntl
import glob
import itertools
import os
import re
import select
import shutil
import signal
import subprocess
import time

import processes
import qmp
from settings import BadValue, mem_bytes

LOGS = "build/logs"
PROGRAM = "qemu-system-x86_64"
EXIT_PORT = "isa-debug-exit,iobase=0xf4,iosize=0x04"
FIRMWARE = ("/usr/share/ovmf/OVMF.fd",                 # Debian, Ubuntu
            "/usr/share/edk2/ovmf/OVMF_CODE.fd",       # Fedora
            "/usr/share/edk2/x64/OVMF.4m.fd",          # Arch
            "/usr/share/edk2-ovmf/x64/OVMF.fd",
            "/opt/homebrew/share/qemu/edk2-x86_64-code.fd",
            "/usr/local/share/qemu/edk2-x86_64-code.fd")
FIRST_LINE = "Quire"    # how the kernel's own output begins
TRIPLE_FAULT = "Triple fault"


@dataclasses.dataclass
class Outcome:
    """How one run of QEMU ended."""

    name: str
    status: int | None = None       # exit status; negative: a signal's number
    hung: bool = False              # the time limit passed
    seconds: float = 0
    limit: float = 0
    console: str = ""
    complaint: str = ""             # what QEMU wrote to its standard error
    tripled: bool = False
    dumps: list = dataclasses.field(default_factory=list)

    @property
    def log(self):
        return log_path(self.name, "log")


def log_path(name, kind):
    """Return the path of run @name's file of @kind."""
    return f"{LOGS}/{name}.{kind}"


def firmware():
    """Return the path of the UEFI firmware image, or None."""
    return next((p for p in FIRMWARE if os.path.exists(p)), None)


def have_kvm(device="/dev/kvm", cpuinfo="/proc/cpuinfo"):
    """Whether KVM is real: a writable device and a CPU that can do it."""
    if not os.access(device, os.W_OK):
        return False
    try:
        with open(cpuinfo, encoding="utf-8", errors="replace") as file:
            return bool(re.search(r"^flags.*\b(vmx|svm)\b", file.read(),
                                  re.M))
    except OSError:
        return False


def accelerator(settings):
    """Return the value for -accel: as told, or the best that is here."""
    accel = settings.accel or ("kvm" if have_kvm() else "tcg")
    if accel != "tcg":
        return accel
    # More virtual CPUs than real ones would spin while others wait.
    multi = 1 < settings.cpus <= (os.cpu_count() or 1)
    return "tcg,thread=" + ("multi" if multi else "single")


def command_line(settings, name, words="", iso=None, interactive=False):
    """Return QEMU's argument list to boot @settings as run @name.

    @words go before the user's on the kernel's command line when QEMU loads
    it (an ISO has its words baked in).  @interactive shares the terminal
    between the console and QEMU's monitor.
    """
    argv = [PROGRAM, "-nodefaults", "-no-user-config", "-no-reboot",
            "-M", settings.machine, "-accel", accelerator(settings),
            "-cpu", settings.cpu, "-smp", str(settings.cpus),
            "-m", f"{mem_bytes(settings.mem) >> 10}K",
            "-display", "none", "-device", EXIT_PORT,
            "-qmp", f"unix:{log_path(name, 'qmp')},server=on,wait=off",
            "-d", "cpu_reset", "-D", log_path(name, "resets")]
    console = f"stdio,id=console,logfile={log_path(name, 'log')},signal=off"
    if interactive:
        argv += ["-chardev", console + ",mux=on", "-mon", "console",
                 "-serial", "chardev:console"]
    else:
        argv += ["-chardev", console, "-serial", "chardev:console"]
    return argv + boot_options(settings, words, iso) + [
        *settings.qemuflags]


def boot_options(settings, words, iso):
    """Return the options that say what is booted, and how."""
    if settings.boot == "direct":
        append = " ".join(filter(None, (words, settings.args)))
        options = ["-kernel", settings.elf, "-append", append]
        for module in settings.modules:
            options += ["-initrd", module]
        return options
    options = ["-cdrom", iso, "-boot", "d"]
    if settings.boot == "uefi":
        image = firmware()
        if image is None:
            raise BadValue("BOOT=uefi: no UEFI firmware (OVMF) found; "
                           "`make doctor` names its package")
        options += ["-bios", image]
    return options


_claims = []            # open lock files; they are free when we have ended


def claim(name):
    """Return @name, or @name-2 and so on: one that no other command uses.

    Two commands at once so keep their logs apart.
    """
    os.makedirs(LOGS, exist_ok=True)
    for number in itertools.count(1):
        own = name if number == 1 else f"{name}-{number}"
        lock = open(f"{LOGS}/.{own}.lock", "wb")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        _claims.append(lock)
        return own


def prepare(name):
    """Make the log directory and remove what an earlier run left there."""
    os.makedirs(LOGS, exist_ok=True)
    for path in glob.glob(glob.escape(f"{LOGS}/{name}.") + "*"):
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            os.remove(path)


def _read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace",
                  newline="") as file:
            return file.read().replace("\r\n", "\n")
    except OSError:
        return ""


ESCAPES = re.compile(r"\x1b\[[0-9;?=]*[A-Za-z]|\x1b[^\[]|[\x00-\x08\r]")


def printable(text):
    """Return @text without what would move a terminal's cursor."""
    return ESCAPES.sub("", text)


class _Console:
    """Copies the console to our standard output, when asked to.

    Whole lines, from the kernel's first one on; what firmware and loader
    said before it is of interest only if it never comes.
    """

    def __init__(self, stream, echo):
        self.stream = stream
        self.echo = echo
        self.chunks = []
        self.partial = b""
        self.held = []      # lines before the kernel's; None afterwards

    def pump(self, wait):
        """Take what is there within @wait seconds; False at the end."""
        ready, _, _ = select.select([self.stream], [], [], max(wait, 0))
        if not ready:
            return True
        data = os.read(self.stream.fileno(), 65536)
        self.chunks.append(data)
        if self.echo:
            self.copy(data)
        return bool(data)

    def copy(self, data):
        """Print the lines that @data completes; the rest at the end."""
        lines = (self.partial + data).split(b"\n")
        self.partial = lines.pop()
        for line in lines:
            self.print(printable(line.decode("utf-8", "replace")))

    def print(self, line):
        """Print @line, or hold it back while it is not the kernel's."""
        if self.held is not None:
            if not line.startswith(FIRST_LINE):
                self.held.append(line)
                return
            self.held = None
        print(line, flush=True)

    def finish(self):
        """The run is over: print what was held back."""
        if self.echo:
            if self.partial:
                self.print(printable(self.partial.decode("utf-8",
                                                         "replace")))
            for line in self.held or []:
                print(line)

    def text(self):
        data = b"".join(self.chunks).decode("utf-8", "replace")
        return data.replace("\r\n", "\n")


def _start(argv, name, **how):
    if shutil.which(argv[0]) is None:
        raise BadValue(f"{argv[0]} is not installed; `make doctor` names "
                       "its package")
    with open(log_path(name, "qemu"), "wb") as errors:
        return processes.start(argv, stderr=errors, **how)


def _finish(outcome, process, started):
    outcome.seconds = time.monotonic() - started
    outcome.status = process.returncode
    outcome.complaint = _read_text(log_path(outcome.name, "qemu")).strip()
    outcome.tripled = TRIPLE_FAULT in _read_text(
        log_path(outcome.name, "resets"))
    return outcome


def run(argv, name, limit, echo=False):
    """Run QEMU until it ends or @limit seconds pass; return the Outcome.

    At the limit the registers and the memory are saved before it is ended.
    """
    started = time.monotonic()
    process = _start(argv, name, stdin=subprocess.DEVNULL,
                     stdout=subprocess.PIPE)
    outcome = Outcome(name, limit=limit)
    console = _Console(process.stdout, echo)
    try:
        while console.pump(started + limit - time.monotonic()):
            if time.monotonic() >= started + limit:
                outcome.hung = True
                outcome.dumps = qmp.save_state(log_path(name, "qmp"),
                                               f"{LOGS}/{name}")
                break
        else:
            process.wait(processes.STOP_GRACE)
    except subprocess.TimeoutExpired:
        outcome.hung = True
    finally:
        processes.stop(process)
        process.stdout.close()
    console.finish()
    outcome.console = console.text()
    return _finish(outcome, process, started)


def run_on_terminal(argv, name):
    """Run QEMU with our terminal as its console; return the Outcome."""
    started = time.monotonic()
    process = _start(argv, name)
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process.wait()
    finally:
        signal.signal(signal.SIGINT, handler)
        processes.stop(process)
    outcome = Outcome(name)
    outcome.console = _read_text(log_path(name, "log"))
    return _finish(outcome, process, started)
