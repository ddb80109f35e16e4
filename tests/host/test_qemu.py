# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's command line, and runs of a program that stands in for it."""

import json
import socket
import threading
import unittest
from unittest import mock

import support
import elf
import guest
import host_test
import qemu
import qmp
import settings as conf

ELF = "build/release/quire.elf"


def machine(**changes):
    return conf.Settings(elf=ELF, machine="pc").replace(**changes)


def option(argv, name):
    return argv[argv.index(name) + 1]


class CommandLine(unittest.TestCase):
    def test_direct(self):
        settings = machine(boot="direct", args="test=list seed=1", cpus=1,
                           mem="32M")
        argv = qemu.command_line(settings, "x", "prompt=0")
        self.assertEqual(argv[0], "qemu-system-x86_64")
        self.assertEqual(option(argv, "-kernel"), ELF)
        self.assertEqual(option(argv, "-append"),
                         "prompt=0 test=list seed=1")
        self.assertEqual(option(argv, "-m"), "32768K")
        self.assertEqual(option(argv, "-smp"), "1")
        self.assertIn("-no-reboot", argv)
        self.assertIn("isa-debug-exit,iobase=0xf4,iosize=0x04", argv)
        self.assertNotIn("-cdrom", argv)

    def test_user_words_come_last(self):
        settings = machine(boot="direct", args="prompt=1")
        argv = qemu.command_line(settings, "x", "prompt=0")
        self.assertEqual(option(argv, "-append"), "prompt=0 prompt=1")

    def test_iso(self):
        argv = qemu.command_line(machine(), "x", iso="a.iso")
        self.assertEqual(option(argv, "-cdrom"), "a.iso")
        self.assertNotIn("-kernel", argv)
        self.assertNotIn("-bios", argv)

    def test_uefi(self):
        settings = machine(boot="uefi", machine="q35")
        with mock.patch.object(qemu, "firmware", lambda: "/f/OVMF.fd"):
            argv = qemu.command_line(settings, "x", iso="a.iso")
        self.assertEqual(option(argv, "-bios"), "/f/OVMF.fd")
        self.assertEqual(option(argv, "-M"), "q35")

    def test_uefi_without_firmware(self):
        settings = machine(boot="uefi", machine="q35")
        with mock.patch.object(qemu, "firmware", lambda: None):
            with self.assertRaisesRegex(conf.BadValue, "OVMF"):
                qemu.command_line(settings, "x", iso="a.iso")

    def test_module(self):
        settings = machine(boot="direct", modules=("a.bin",))
        argv = qemu.command_line(settings, "x")
        self.assertEqual(option(argv, "-initrd"), "a.bin")

    def test_interactive_shares_the_terminal(self):
        argv = qemu.command_line(machine(boot="direct"), "x",
                                 interactive=True)
        self.assertIn("mux=on", option(argv, "-chardev"))
        self.assertIn("-mon", argv)

    def test_more_options_come_last(self):
        settings = machine(boot="direct", qemuflags=("-d", "int"))
        argv = qemu.command_line(settings, "x")
        self.assertEqual(argv[-2:], ["-d", "int"])


class Words(unittest.TestCase):
    def command(self, args):
        settings = machine(boot="direct", args=args)
        with mock.patch("os.path.isfile", lambda path: True):
            return guest.command(settings, "x", "prompt=0")

    def test_as_many_as_the_kernel_takes(self):
        most = conf.MAX_WORDS - len("prompt=0 ")
        self.assertIn("prompt=0 " + "x" * most, self.command("x" * most))
        with self.assertRaisesRegex(conf.BadValue, "2048 bytes.* 2047"):
            self.command("x" * (most + 1))

    def test_prompt_without_a_terminal(self):
        with self.assertRaisesRegex(conf.BadValue, "prompt=1 needs a term"):
            guest.boot(machine(args="prompt=1"), "x", "prompt=0")


class Room(unittest.TestCase):
    def check(self, mem, boot="direct"):
        with mock.patch("elf.loaded_end", lambda path: 0x26b000):
            guest.check_room(machine(boot=boot, mem=mem))

    def test_image_has_to_fit(self):
        with self.assertRaisesRegex(conf.BadValue,
                                    "MEM=2M: too small, .* 2476 KiB"):
            self.check("2M")
        self.check("3M")
        self.check("2M", "iso")         # GRUB says it by itself

    def test_end_is_physical(self):
        text = ("  LOAD 0x1000 0x100000 0x100000 0x0358 0x8108 RWE 0x1000\n"
                "  LOAD 0xd000 0xffffffff801df000 0x1df000 0x8000 0x8c000 RW"
                " 0x1000\n")
        with mock.patch("elf._run", lambda *argv: text):
            self.assertEqual(elf.loaded_end("x"), 0x26b000)


class Claim(support.Scratch, unittest.TestCase):
    def test_each_has_a_name_of_its_own(self):
        with mock.patch.object(qemu, "_claims", []) as claims:
            names = [qemu.claim("run") for _ in range(3)]
            self.assertEqual(names, ["run", "run-2", "run-3"])
            claims.pop(1).close()
            self.assertEqual(qemu.claim("run"), "run-2")
            qemu.prepare("run")
            self.assertEqual(qemu.claim("run"), "run-4")
            for lock in claims:
                lock.close()


class HostTest(unittest.TestCase):
    def argv(self, **env):
        return host_test.argv({"HOST_TEST": "p", **env})

    def test_words(self):
        self.assertEqual(self.argv(), ["p"])
        self.assertEqual(self.argv(T="", ARGS=""), ["p"])
        self.assertEqual(self.argv(T="a'b $x", ARGS="seed=1 '--ram=1 M'"),
                         ["p", "test=a'b $x", "seed=1", "--ram=1 M"])

    def test_half_a_quote(self):
        with self.assertRaisesRegex(conf.BadValue, "ARGS=a'b: No closing"):
            self.argv(ARGS="a'b")


class Reproduce(unittest.TestCase):
    def line(self, words="", **changes):
        return guest.reproduce(machine(**changes), machine(), words)

    def test_only_what_differs(self):
        self.assertEqual(self.line(), "make run </dev/null")
        self.assertEqual(
            self.line("test=vmap*", boot="direct", mem="32M"),
            "make run MEM=32M BOOT=direct ARGS='test=vmap*' </dev/null")

    def test_build_and_compiler(self):
        self.assertEqual(self.line(out="build/debug-clang-werror"),
                         "make run BUILD=debug CC=clang </dev/null")


class Whereabouts(support.Scratch, unittest.TestCase):
    def test_each_cpu_by_symbol(self):
        qemu.prepare("x")
        with open("build/logs/x.registers", "w", encoding="utf-8") as file:
            file.write("\nCPU#0\nRAX=1 RBX=2\nRIP=0010 RFL=2\n"
                       "\nCPU#1\nRAX=1\nRIP=0025 RFL=2\n")
        locator = elf.Locator.__new__(elf.Locator)
        locator.addresses, locator.names = [0x10, 0x20], ["spin", "halt"]
        self.assertEqual(guest.whereabouts("x", locator),
                         ["CPU 0 was at spin+0x0", "CPU 1 was at halt+0x5"])

    def test_nothing_saved(self):
        self.assertEqual(guest.whereabouts("absent", None), [])


class Accelerator(unittest.TestCase):
    def accel(self, kvm=False, cores=2, **changes):
        with mock.patch.object(qemu, "have_kvm", lambda: kvm), \
                mock.patch("os.cpu_count", lambda: cores):
            return qemu.accelerator(machine(**changes))

    def test_one_cpu(self):
        self.assertEqual(self.accel(cpus=1), "tcg,thread=single")

    def test_as_many_as_cores(self):
        self.assertEqual(self.accel(cpus=2), "tcg,thread=multi")

    def test_more_than_cores(self):
        self.assertEqual(self.accel(cpus=4), "tcg,thread=single")

    def test_kvm_where_it_is_real(self):
        self.assertEqual(self.accel(kvm=True), "kvm")

    def test_told(self):
        self.assertEqual(self.accel(kvm=True, accel="tcg", cpus=1),
                         "tcg,thread=single")
        self.assertEqual(self.accel(accel="tcg,thread=single"),
                         "tcg,thread=single")


class Kvm(support.Scratch, unittest.TestCase):
    def have(self, flags, device=True):
        with open("cpuinfo", "w", encoding="utf-8") as file:
            file.write(f"model name : vmx lookalike\nflags : {flags}\n")
        if device:
            open("kvm", "wb").close()
        return qemu.have_kvm("kvm", "cpuinfo")

    def test_intel_and_amd(self):
        self.assertTrue(self.have("fpu vmx sse"))
        self.assertTrue(self.have("fpu svm sse"))

    def test_a_device_proves_nothing(self):
        self.assertFalse(self.have("fpu sse vmxish"))

    def test_flags_without_a_device(self):
        self.assertFalse(self.have("fpu vmx", device=False))


class Run(support.Scratch, unittest.TestCase):
    def run_program(self, text, limit=20):
        path = support.write_program(self.folder.name, "fake",
                                     "#!/bin/sh\n" + text)
        qemu.prepare("x")
        return qemu.run([path], "x", limit)

    def test_status_and_console(self):
        outcome = self.run_program("printf 'a\\r\\nb\\n'; exit 33")
        self.assertEqual(outcome.status, 33)
        self.assertEqual(outcome.console, "a\nb\n")
        self.assertFalse(outcome.hung)

    def test_complaint(self):
        outcome = self.run_program("echo 'qemu: no such device' >&2; exit 1")
        self.assertEqual(outcome.status, 1)
        self.assertEqual(outcome.complaint, "qemu: no such device")

    def test_signal(self):
        outcome = self.run_program("kill -SEGV $$")
        self.assertEqual(outcome.status, -11)

    def test_hang(self):
        outcome = self.run_program("echo started; exec sleep 60", limit=0.3)
        self.assertTrue(outcome.hung)
        self.assertEqual(outcome.console, "started\n")
        self.assertLess(outcome.seconds, 10)
        self.assertIn("no dump", outcome.dumps[0])

    def test_hang_that_prints_without_end(self):
        outcome = self.run_program("while :; do echo x; done", limit=0.3)
        self.assertTrue(outcome.hung)

    def test_triple_fault_is_read_from_the_log(self):
        outcome = self.run_program(
            "echo 'Triple fault' > build/logs/x.resets; exit 0")
        self.assertTrue(outcome.tripled)

    def test_logs_of_an_earlier_run_go(self):
        self.run_program("echo 'Triple fault' > build/logs/x.resets")
        self.assertFalse(self.run_program("exit 0").tripled)

    def test_missing_program(self):
        qemu.prepare("x")
        with self.assertRaisesRegex(conf.BadValue, "is not installed"):
            qemu.run(["no-such-qemu"], "x", 1)


class FakeMonitor(threading.Thread):
    """Answers QMP commands on a socket as QEMU would."""

    def __init__(self, path, answers):
        super().__init__(daemon=True)
        self.answers = answers
        self.asked = []
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen()

    def run(self):
        connection, _ = self.server.accept()
        stream = connection.makefile("rw", encoding="utf-8")
        stream.write('{"QMP": {}}\n')
        stream.flush()
        for line in stream:
            request = json.loads(line)
            self.asked.append(request)
            answer = self.answers.get(request["execute"], {})
            if isinstance(answer, Exception):
                answer = {"error": {"desc": str(answer)}}
            else:
                answer = {"return": answer}
            stream.write('{"event": "STOP"}\n' + json.dumps(answer) + "\n")
            stream.flush()
        stream.close()
        connection.close()
        self.server.close()


class SaveState(support.Scratch, unittest.TestCase):
    answers = {"human-monitor-command": "CPU#0\r\nRIP=1\r\n",
               "query-memory-size-summary": {"base-memory": 1 << 20}}

    def save(self, **more):
        monitor = FakeMonitor("s", {**self.answers, **more})
        monitor.start()
        said = qmp.save_state("s", "x")
        monitor.join(5)
        return said, [request["execute"] for request in monitor.asked]

    def test_registers_and_memory(self):
        said, asked = self.save()
        self.assertEqual(said, ["registers: x.registers",
                                "memory: x.core (opens in gdb)"])
        self.assertIn("dump-guest-memory", asked)
        with open("x.registers", encoding="utf-8") as file:
            self.assertEqual(file.read(), "CPU#0\nRIP=1\n")

    def test_no_room_for_memory(self):
        size = {"base-memory": 1 << 60}
        said, asked = self.save(**{"query-memory-size-summary": size})
        self.assertIn("not saved", said[1])
        self.assertNotIn("dump-guest-memory", asked)

    def test_refused_dump_is_said(self):
        said, _ = self.save(**{"dump-guest-memory": OSError("disk full")})
        self.assertEqual(said[-1],
                         "no dump: dump-guest-memory: disk full")

    def test_no_monitor(self):
        self.assertIn("no dump", qmp.save_state("absent", "x")[0])


if __name__ == "__main__":
    unittest.main()
