# SPDX-License-Identifier: GPL-2.0-or-later
"""`make help`."""

TEXT = """\
make run          build, boot in QEMU, console here (Ctrl-A X leaves)
make test         everything: builds, machines, host checks; one verdict
make bench        instructions per operation, beside Linux's
make host-test    the suites of lib/ and mm/ as a Linux process, sanitized
make debug        QEMU stopped at its first instruction, gdb attached
make iso          the GRUB image, for a USB stick or another emulator
make doctor       the tools: where, which version, what is missing
make compile_commands.json  for editors
make clean        remove build/

Variables, with what they are when not set:
  CPUS=2 MEM=1G
  BOOT=iso        iso, uefi (GRUB both) or direct (QEMU loads the kernel)
  MACHINE=        pc, q35 or microvm; q35 for BOOT=uefi, else pc
  CPU=max         a CPU model of QEMU
  ACCEL=          tcg or kvm; kvm only where CPU and /dev/kvm allow it
  ARGS=           kernel command line: test=GLOB bench=GLOB seed=N repeat=N
  BUILD=release   release or debug
  CC=gcc          gcc or clang
  SAN=address     of make host-test: address (with undefined) or thread
  MODULES=        files to load as boot modules
  TIMEOUT=120     seconds for a run that nobody watches
  JOBS=           compile so many files at once; as many as there are CPUs
  QEMUFLAGS=      more options for QEMU, such as "-d cpu_reset,int"
  V=1             show every command line

  make test T='vmap*'       one part of the kernel's tests
  make test ROW='iso-*'     some rows only
  make bench BENCH='fix_size*' OUT=figures.json
  make run ARGS='test=list' </dev/null      power off, verdict as status
"""

if __name__ == "__main__":
    print(TEXT, end="")
