"""Seeds side by side: joblib starts a process for each, on this machine or through Ray on several."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import RLock
from typing import IO

from loop.errors import SweepError
from loop.sweep import cores
from loop.sweep.seed import MARK
from planet.side_by_side import use_ray

STOPPED = 130
"""Exit code of a seed that was stopped as asked, or not begun after that."""


@dataclass(frozen=True)
class Job:
    """One seed."""

    seed: int
    command: tuple[str, ...]  # arguments of `python -m loop.sweep.seed`
    log: Path
    folder: Path  # in which it runs


@dataclass
class Attached:
    """Processes of seeds on this machine; letting go of them ends each after its step."""

    asked: bool = False
    _inputs: dict[int, IO[str]] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock)  # a signal may come while the main thread holds it

    def hold(self, seed: int, stream: IO[str]) -> None:
        """Keep a process going."""
        with self._lock:
            self._inputs[seed] = stream
        if self.asked:
            self.release()

    def release(self) -> None:
        """Let all of them end after the step in hand; seeds that have not begun will not."""
        self.asked = True
        with self._lock:
            while self._inputs:
                self._inputs.popitem()[1].close()


def run_jobs(
    jobs: Sequence[Job], side_by_side: int, backend: str, say: Callable[[Job, str], None], attached: Attached
) -> dict[int, int]:
    """Run all seeds; seed -> exit code. `say` gets every line that a seed has for the sweep."""
    from joblib import Parallel, delayed, parallel_config

    if backend == "local":
        free: SimpleQueue[tuple[int, ...]] = SimpleQueue()
        for share in cores.shares(min(side_by_side, len(jobs))):
            free.put(share)

        def on_its_cores(job: Job) -> int:
            share = free.get()
            try:
                return run_job(job, say, attached, share)
            finally:
                free.put(share)

        with parallel_config("threading", n_jobs=side_by_side):
            codes = Parallel()(delayed(on_its_cores)(job) for job in jobs)
    else:
        use_ray(side_by_side, SweepError, show_output=True)
        with parallel_config("ray", n_jobs=side_by_side):
            codes = Parallel()(delayed(run_job)(job) for job in jobs)
    return {job.seed: code for job, code in zip(jobs, codes, strict=True)}


def run_job(
    job: Job,
    say: Callable[[Job, str], None] | None = None,
    attached: Attached | None = None,
    share: tuple[int, ...] = (),
) -> int:
    """Run one seed in a process of its own, on a share of the cores (empty: on all), its output in a log; its
    exit code."""
    if attached is not None and attached.asked:
        return STOPPED
    job.log.parent.mkdir(parents=True, exist_ok=True)
    pinned = ["--cores", cores.written(share)] if share else []
    process = subprocess.Popen(
        [sys.executable, "-m", "loop.sweep.seed", *job.command, "--attached", *pinned],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=job.folder,
        start_new_session=True,  # Ctrl-C is for the sweep, which lets go of its seeds
    )
    if attached is not None:
        attached.hold(job.seed, process.stdin)  # type: ignore[arg-type]  # it is a pipe
    with job.log.open("a", encoding="utf-8") as log:
        for line in process.stdout or ():
            log.write(line)
            log.flush()
            if line.startswith(MARK):
                (say or _print)(job, line.removeprefix(MARK).strip())
    return process.wait()


def _print(job: Job, line: str) -> None:
    """What Ray passes on to where the sweep was started."""
    print(f"seed {job.seed}: {line}", flush=True)
