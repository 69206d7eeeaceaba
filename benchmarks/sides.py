"""`Side`: one of the programs that a benchmark compares, in a process and with an interpreter of its own.

A side is a module that reads its task as JSON from standard input, measures itself, and writes its figures as
JSON to the file that it is told. Sides take turns, so that a machine that slows down slows down all of them.
The modules of the other program's sides import nothing of this project but this module and those of the works
(`grpo_work`, `decoding_work`), which need the standard library alone: their interpreter may lack everything
that this project needs.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
WRONG_USE = 2

Figures = dict[str, Any]
"""What a side measured, by name."""


class SideError(Exception):
    """A side could not measure: a package is absent, or its program failed."""


class Side(NamedTuple):
    """One program that is to measure itself."""

    name: str  # as tables call it
    module: str  # what `python -m` runs
    python: str  # the interpreter
    given: Figures  # the task, as JSON


def measured(side: Side) -> Figures:
    """Run a side to its end; its figures. Raises SideError with the last line that it complained with."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        file = Path(folder) / "figures.json"
        try:
            done = subprocess.run(
                [side.python, "-m", side.module, str(file)],
                cwd=ROOT, env=_environment(side.given), input=json.dumps(side.given),
                capture_output=True, text=True, check=False,
            )  # fmt: skip
        except OSError as error:
            raise SideError(f"{side.python} cannot be run ({error.strerror}); name an interpreter") from error
        if done.returncode or not file.exists():
            said = done.stderr.strip().splitlines() or ["it said nothing"]
            raise SideError(f"{side.name} ended with exit code {done.returncode}: {said[-1]:.400}")
        return json.loads(file.read_text(encoding="utf-8"))


def taking_turns(
    sides: Sequence[Side], rounds: int, progressed: Callable[[Side, int], None]
) -> dict[str, list[Figures]]:
    """Every side's figures of every round: all sides once, then all of them again."""
    found: dict[str, list[Figures]] = {side.name: [] for side in sides}
    for number in range(1, rounds + 1):
        for side in sides:
            progressed(side, number)
            found[side.name].append(measured(side))
    return found


def answer(measure: Callable[[Figures], Figures], words: Sequence[str]) -> int:
    """The whole of a side's program: `words` are its arguments, one path for the figures."""
    try:
        (place,) = words
        given = json.load(sys.stdin)
        _stay_on(given.get("threads", cores()))
        text = json.dumps(measure(given))
    except SideError as error:
        print(error, file=sys.stderr)
        return WRONG_USE
    Path(place).write_text(text, encoding="utf-8")
    return 0


def needed(name: str) -> Any:
    """A package that only the benchmark needs, or a SideError that says how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.split(".")[0]:
            raise
        raise SideError(
            f"{sys.executable} has no package {name}; install the extra `peers`, or name an interpreter "
            f"that has it with --peer-python (docs/speed.md)"
        ) from None


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def peak_memory() -> int:
    """The most bytes that this process had resident so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _stay_on(threads: int) -> None:
    """Use no more cores than threads: some libraries know no other way to have fewer."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def _environment(given: Figures) -> dict[str, str]:
    """Libraries use so many threads and call nobody."""
    threads = str(given.get("threads", cores()))
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "JAX_PLATFORMS": "cpu",
    }
