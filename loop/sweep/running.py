"""A sweep from its plan to its comparison."""

import argparse
import subprocess
import sys
from pathlib import Path

from loop.errors import Interrupted, RunError
from loop.resuming.interruption import Interruption
from loop.sweep.backend import Attached, Job, run_jobs
from loop.sweep.places import Places
from loop.sweep.plan import begin, plan_of, require_valid
from loop.sweep.progress import Estimate, outcome
from loop.sweep.result_file import accepted
from loop.sweep.runs import Sweep
from loop.sweep.seed import BEGIN

PATIENCE = 120.0
"""Seconds that the start waits for the MLflow parent."""
COLUMNS = 4
"""Runs that are put side by side at the end: more do not fit a terminal."""


def run_sweep(sweep: Sweep, places: Places, given: argparse.Namespace) -> int:
    """Do every run that has no result yet, then compare; the exit code of the comparison.

    Raises SweepError when the plan has changed, Interrupted when stopped, RunError when a seed failed.
    """
    plan = plan_of(sweep)
    require_valid(sweep, plan)
    digest = begin(plan, places.results, given.resume)
    estimate = Estimate(sweep, places)
    seeds = missing(sweep, places, digest)
    print(f"sweep {sweep.config.name}, plan {digest}: {estimate.line(given.jobs)}", flush=True)
    if seeds:
        _mlflow_parent(sweep, digest)
        _run(places, given, digest, seeds, estimate)
    code = _compare(sweep, places)
    print(f"results    {places.results}\nruns       {places.runs}")
    return code


def missing(sweep: Sweep, places: Places, plan: str) -> list[int]:
    """Seeds of which a result is missing; SweepError when a result there is of something else."""
    return [
        seed
        for seed in sweep.seeds
        # every file is looked at, so that a wrong one is told before anything runs
        if not all([accepted(places.result(a.name, seed), a.name, seed, plan) for a in sweep.of(seed)])
    ]


def _run(
    places: Places,
    given: argparse.Namespace,
    plan: str,
    seeds: list[int],
    estimate: Estimate,
) -> None:
    jobs = [_job(seed, places, given, plan) for seed in seeds]
    attached, interruption = Attached(), Interruption()

    def say(job: Job, line: str) -> None:
        what, arm, _ = line.split()
        if what == BEGIN:
            print(f"seed {job.seed}, {arm}: begins; output in {job.log}", flush=True)
            return
        found = outcome(estimate.results()[arm, job.seed])
        print(f"seed {job.seed}, {arm}: {found}; {estimate.line(given.jobs)}", flush=True)

    def stop(line: str) -> None:
        print(line, flush=True)
        attached.release()

    if given.backend == "local":
        with interruption.listening(stop):
            codes = run_jobs(jobs, given.jobs, given.backend, say, attached)
    else:
        codes = run_jobs(jobs, given.jobs, given.backend, say, attached)
    if attached.asked:
        raise Interrupted("stopped as asked")
    failed = [job for job in jobs if codes[job.seed] != 0]
    if failed:
        first = failed[0]
        raise RunError(
            f"{len(failed)} of {len(jobs)} seeds failed; seed {first.seed}: {_last_line(first.log)} "
            f"(all of it in {first.log}); mend that, then add --resume"
        )


def _job(seed: int, places: Places, given: argparse.Namespace, plan: str) -> Job:
    command = [str(given.config), str(seed), *given.overrides, "--plan", plan]
    command += ["--runs", str(places.runs), "--results", str(places.results)]
    return Job(seed, tuple(command), places.log(seed), Path.cwd())


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "no output")


def _mlflow_parent(sweep: Sweep, plan: str) -> None:
    """Make the parent run before the seeds could make two; a store that is down costs a warning."""
    for uri in sorted({arm.config.tracking.mlflow for arm in sweep.arms if arm.config.tracking.mlflow}):
        command = [sys.executable, "-m", "loop.tracking.parent", uri, sweep.config.name, "--plan", plan]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
            problem = done.stderr.strip().split("\n")[-1] if done.returncode else ""
        except subprocess.TimeoutExpired:
            problem = f"MLflow at {uri} did not answer for {PATIENCE:g} s"
        if problem:
            print(f"warning: {problem}; the sweep goes on, and the ledgers keep the records", flush=True)


def _compare(sweep: Sweep, places: Places) -> int:
    """Contrasts over the result files, and a few runs of one seed side by side; the exit code."""
    from analysis.compare.__main__ import main as side_by_side
    from analysis.contrasts.__main__ import main as contrasts

    code = contrasts([str(places.results), "--out", str(places.comparison)])
    runs = [places.run(arm.name, sweep.seeds[0]) for arm in sweep.arms]
    some = len(sweep.seeds) == 1 and 1 < len(runs) <= COLUMNS
    if some and all((run / "finished").exists() for run in runs):
        code = code or side_by_side([*map(str, runs), "--out", str(places.comparison)])
    return code
