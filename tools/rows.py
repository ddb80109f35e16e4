# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of `make test`: every build and machine that is tried."""

import row_bad
import row_guest
import row_host
import row_numa
import verdict
from row_guest import boot


def part(glob):
    """Return the rows for one part of the kernel's tests."""
    return [
        row_host.build("build-release", "release", "gcc"),
        row_host.build("build-debug", "debug", "gcc"),
        row_host.host_build(),
        boot("direct", f"test={glob}", boot="direct"),
        boot("debug", f"test={glob}", build="debug", boot="direct"),
        row_guest.hosted("hosted", glob),
    ]


def everything():
    """Return all rows, what others need first."""
    return [
        *row_host.check_rows(),
        row_host.build("build-release", "release", "gcc"),
        row_host.host_build(),
        row_host.host_build("thread"),
        row_host.build("build-clang", "release", "clang"),
        row_host.build("build-debug", "debug", "gcc"),
        row_host.size_row(),
        row_host.reproducible("reproducible"),
        row_guest.hosted("hosted", "*"),
        row_guest.hosted("hosted-1-cpu", "*", "cpus=1"),
        row_guest.hosted("hosted-8-cpus", "*", "cpus=8"),
        row_guest.hosted("hosted-32M", "*", "--ram=32M"),
        row_guest.hosted("hosted-high-ram", "*", "--high-ram=1G"),
        row_guest.hosted("hosted-thread", "*", sanitizer="thread"),
        boot("iso-bios", words="", boot="iso"),
        boot("iso-modules", boot="iso", mem="256M",
             modules=("README.md", "LICENSE")),
        boot("iso-uefi", boot="uefi", mem="256M"),
        boot("direct-1-cpu", boot="direct", cpus=1),
        boot("direct-4-cpus", boot="direct", cpus=4),
        boot("direct-8-cpus", boot="direct", cpus=8),
        boot("direct-17M-16-cpus", boot="direct", cpus=16, mem="17M"),
        boot("direct-32M", boot="direct", mem="32M"),
        boot("direct-512M", boot="direct", mem="512M"),
        boot("direct-6G", boot="direct", mem="6G"),
        boot("direct-q35", boot="direct", machine="q35"),
        boot("direct-microvm", boot="direct", machine="microvm"),
        boot("cpu-qemu64", boot="direct", cpu="qemu64"),
        *row_numa.rows(),
        boot("clang", compiler="clang", boot="direct"),
        boot("debug", build="debug", boot="direct"),
        boot("debug-shake", "test=* shake=1", build="debug", boot="direct"),
        row_guest.map_row(),
        *(row_guest.instructions_row(cpus) for cpus in row_guest.FIGURES),
        row_bad.verdict_row("fail", "failed", verdict.FAILED),
        row_bad.verdict_row("panic", "panic", verdict.PANIC),
        row_bad.verdict_row("hang", "hang", verdict.STATUS_HANG),
        row_bad.verdict_row("triple", "triple fault", verdict.STATUS_OTHER),
        *row_bad.misuse(),
        *row_bad.bad_input(),
    ]
