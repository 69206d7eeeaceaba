"""What this process uses of the machine, and what the machine has left: memory and file descriptors."""

import os
import platform
import resource
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

UNIT = 1e6
"""Bytes of the megabyte in which memory is told."""


def resident() -> int:
    """Bytes of memory that this process occupies; where the system tells only the most so far, that."""
    try:
        return int(_read("/proc/self/statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


def free_memory() -> tuple[int, str] | None:
    """(bytes that this process may still take, what limits them); None where nothing tells."""
    return min(_limits(), default=None)


def _limits() -> Iterator[tuple[int, str]]:
    with suppress(OSError, KeyError):
        lines = dict(line.split(":", 1) for line in _read("/proc/meminfo").splitlines())
        yield int(lines["MemAvailable"].split()[0]) * 1024, "free memory"
    group = "/sys/fs/cgroup/memory"
    with suppress(OSError, ValueError):  # no such group, or "max": no limit
        most, taken = int(_read(f"{group}.max")), int(_read(f"{group}.current"))
        yield most - taken, "what its control group leaves"
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        with suppress(OSError):
            taken = int(_read("/proc/self/statm").split()[0]) * os.sysconf("SC_PAGE_SIZE")
            yield most - taken, "what the limit on address space (ulimit -v) leaves"


def open_files() -> int | None:
    """File descriptors of this process; None where the system does not tell."""
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return None


def free_files() -> int | None:
    """File descriptors that this process may still open; None: no limit, or nobody tells."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = open_files()
    return None if most == resource.RLIM_INFINITY or used is None else most - used


def described() -> dict[str, str]:
    """The machine and the versions that a measurement depends on."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
    }


def _read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")
