"""The process of one seed: `python -m loop.sweep.seed SWEEP SEED --plan DIGEST --runs DIR --results DIR`.

It runs the arms of its seed one after the other, so that they share compiled programs and the warm start, and
leaves a result file after each. `loop.sweep` starts it; when its standard input ends, it ends after the step
in hand, so no seed outlives its sweep.
"""

import os
import signal
import sys
from pathlib import Path
from threading import Thread
from typing import Any

from loop.command import one_line_errors
from loop.config import Config
from loop.errors import SweepError
from loop.sweep.cores import keep_to
from loop.sweep.places import Places
from loop.sweep.plan import plan_of
from loop.sweep.runs import Sweep, SweepArm, nested, read_sweep
from planet.command import Parser

BEGIN, DONE = "begin", "done"
"""Words after MARK: a run begins, a run is done."""
MARK = "sweep:"
"""What lines for the sweep start with."""


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m loop.sweep.seed", description="Run the arms of one seed of a sweep.")
    made.add_argument("config", type=Path, help="the sweep's YAML file")
    made.add_argument("seed", type=int)
    made.add_argument("overrides", nargs="*", metavar="key=value")
    made.add_argument("--runs", type=Path, required=True, metavar="DIR")
    made.add_argument("--results", type=Path, required=True, metavar="DIR")
    made.add_argument("--plan", required=True, metavar="DIGEST", help="of the plan that the sweep follows")
    made.add_argument("--attached", action="store_true", help="end when the standard input ends")
    made.add_argument("--cores", metavar="N,N", help="the cores to use (default: all)")
    return made


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    given = parser().parse_intermixed_args(argv)
    if given.cores:
        keep_to(given.cores)  # before JAX counts them
    if given.attached:
        Thread(target=_end_with, args=(sys.stdin,), daemon=True).start()
    with one_line_errors() as outcome:
        sweep = read_sweep(given.config, tuple(given.overrides))
        run_seed(sweep, given.seed, Places(given.runs, given.results), given.plan)
    return outcome.code


def _end_with(stream: Any) -> None:
    stream.read()
    os.kill(os.getpid(), signal.SIGTERM)


def run_seed(sweep: Sweep, seed: int, places: Places, plan: str) -> None:
    """Run what is missing of a seed, in order, and write a result after each run.

    SweepError when the sweep no longer is what the plan with this digest says.
    """
    from loop.sweep.arms import run_arm
    from loop.sweep.measuring import measure
    from loop.sweep.result_file import accepted, write_record
    from planet.identity import digest

    if digest(plan_of(sweep)) != plan:
        raise SweepError(f"the sweep was changed under way, so it no longer follows plan {plan}; undo that")
    for arm in sweep.of(seed):
        file = places.result(arm.name, seed)
        if accepted(file, arm.name, seed, plan) is not None:
            continue
        print(f"{MARK} {BEGIN} {arm.name} {seed}", flush=True)
        directory = places.run(arm.name, seed)
        run_arm(configured(sweep, arm, seed, places, plan), directory, resume=True)
        write_record(file, measure(directory))
        print(f"{MARK} {DONE} {arm.name} {seed}", flush=True)


def configured(sweep: Sweep, arm: SweepArm, seed: int, places: Places, plan: str) -> Config:
    """The configuration of a run, with what it takes from finished runs of the same seed."""
    changes: list[dict[str, Any]] = [{"plan": plan}]
    if arm.start_from is not None:
        source = places.run(arm.start_from.arm, seed)
        if not (source / "finished").exists():
            raise SweepError(
                f"{source}: arm {arm.name} starts from this run, which is not there; remove "
                f"{places.result(arm.start_from.arm, seed)} and add --resume to run it again"
            )
        changes.append(nested(arm.start_from.key, source.as_posix()))
    matched = sweep.matched(arm)
    if matched is not None:
        from analysis.run_result import read_result

        spent = read_result(places.result(matched, seed)).charged_steps
        changes.append({"budget": {"charged_steps": spent}})
    return arm.at(seed, *changes)


if __name__ == "__main__":
    sys.exit(main())
