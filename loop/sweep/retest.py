"""Test the final policies of a finished sweep again, with more rollouts: less of a difference is then noise.

    python -m loop.sweep.retest RESULTS_DIR RUNS_DIR [--rollouts N] [--arms ARM,ARM] [--seeds N,N]

RESULTS_DIR is a sweep's folder of result files, RUNS_DIR that of its run directories. One file per run goes
to RESULTS_DIR/retest; runs that have theirs are left alone, so the same command goes on where it was stopped.
`python -m analysis.contrasts RESULTS_DIR --retest` compares by them.
"""

import argparse
import sys
import time
from itertools import groupby
from pathlib import Path

from analysis.errors import DataError
from analysis.ledger import Ledger, StepRow
from analysis.retest import Retest, TaskAgain, read_retest, retest_file
from analysis.run_result import RunResult, Tries, read_results
from loop.command import one_line_errors
from loop.config import Config
from loop.episodes.playing import Played
from loop.errors import Interrupted, RunDirectoryError, RunError, SweepError
from loop.evaluate import evaluation, play_stored
from loop.learning.learner import Learner
from loop.reporting.progress import span
from loop.resuming.checkpoints import subject_step
from loop.run_directory import RunDirectory, stored_config
from loop.sweep.measuring import commit
from loop.sweep.result_file import write_record
from loop.worlds.store import read_splits
from planet.command import Parser, positive
from planet.errors import StorageError
from planet.text_table import percent

ROLLOUTS = 16
"""Of each task: with them the scatter of a difference is mostly that of training (experiments/LOG.md)."""


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m loop.sweep.retest", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("results", type=Path, metavar="RESULTS_DIR")
    made.add_argument("runs", type=Path, metavar="RUNS_DIR")
    made.add_argument(
        "--rollouts", type=positive, default=ROLLOUTS, metavar="N", help=f"of each task (default {ROLLOUTS})"
    )
    made.add_argument("--arms", metavar="ARM,ARM", help="only these (default: all)")
    made.add_argument("--seeds", metavar="N,N", help="only these (default: all)")
    return made


def main(argv: list[str] | None = None) -> int:
    """The command; its exit code."""
    given = parser().parse_args(argv)
    with one_line_errors() as outcome:
        try:
            results = chosen(read_results(given.results), given.arms, given.seeds)
            retest(results, given.results, given.runs, given.rollouts)
        except DataError as error:
            raise SweepError(str(error)) from error
        except (Interrupted, KeyboardInterrupt):
            raise Interrupted("stopped; what was tested is kept, and the same command goes on") from None
    return outcome.code


def chosen(results: list[RunResult], arms: str | None, seeds: str | None) -> list[RunResult]:
    """Results of some arms and seeds, a seed's one after the other. SweepError when one names none."""
    for flag, asked, of in (("--arms", arms, lambda r: r.arm), ("--seeds", seeds, lambda r: str(r.seed))):
        known = sorted({of(result) for result in results})
        named = known if asked is None else asked.split(",")
        for name in named:
            if name not in known:
                raise SweepError(f"{flag}: {name!r} has no result; there are {', '.join(known)}")
        results = [result for result in results if of(result) in named]
    return sorted(results, key=lambda result: (result.seed, result.arm))


def retest(results: list[RunResult], folder: Path, runs: Path, rollouts: int) -> None:
    """Test what has not been tested again. SweepError when no run is there, or one was tested otherwise."""
    from loop.launch import make_learner

    wanted = [result for result in results if not _has(folder, result, rollouts)]
    there = [result for result in wanted if (runs / result.name).is_dir()]
    if wanted and not there:
        raise SweepError(f"{runs}: {wanted[0].name} is not there, nor any other; give the folder of the runs")
    for result in wanted:
        if result not in there:
            print(f"{result.name}: left out, {runs / result.name} is not there")
    began, done = time.monotonic(), 0
    for _, some in groupby(there, key=lambda result: result.seed):
        learner: Learner | None = None  # the arms of a seed share it, with what it has compiled
        for result in some:
            done += 1
            if _has(folder, result, rollouts):  # another process tested it meanwhile
                continue
            directory, config = _run(runs / result.name, result)
            learner = learner or make_learner(config)
            try:
                found = tested_again(learner, directory, config, result, rollouts)
            except (RunDirectoryError, RunError, StorageError) as error:
                raise SweepError(
                    f"{result.name}: {error}; or leave the run out with --arms and --seeds"
                ) from error
            if not _has(folder, result, rollouts):
                write_record(retest_file(folder, result), found)
            left = len(there) - done
            time_left = span((time.monotonic() - began) / done * left)
            print(
                f"{result.name}: all-pass {percent(found.all_pass)} of {rollouts} rollouts a task; "
                f"{left} runs to go, about {time_left}",
                flush=True,
            )
    print(f"compare    python -m analysis.contrasts {folder} --retest")


def _has(folder: Path, result: RunResult, rollouts: int) -> bool:
    """Whether a result has its retest; SweepError when that is of another length."""
    file = retest_file(folder, result)
    found = read_retest(file, result)
    if found is not None and found.rollouts != rollouts:
        raise SweepError(
            f"{file}: was tested with {found.rollouts} rollouts a task, not {rollouts}; give --rollouts "
            f"{found.rollouts}, or move {file.parent} away"
        )
    return found is not None


def _run(path: Path, result: RunResult) -> tuple[RunDirectory, Config]:
    """A result's run and its configuration; SweepError when another run is there, or an unfinished one."""
    directory, config = RunDirectory(path), stored_config(path)
    if config.run_id != result.run_id:
        raise SweepError(
            f"{path}: holds run {config.run_id}, not {result.run_id}, which the result is of; restore it"
        )
    if not directory.finished:
        raise SweepError(f"{path}: the run in it is not finished; resume its sweep, or restore the directory")
    return directory, config


def tested_again(
    learner: Learner, directory: RunDirectory, config: Config, result: RunResult, rollouts: int
) -> Retest:
    """The final policy of a run, and the one that went on, on its test tasks."""
    steps = {"final": subject_step(config, "final")}
    if result.extension is not None:
        with Ledger(config.ledger or directory.ledger, create=False) as ledger:
            steps["extended"] = max(row.step for row in ledger.rows(StepRow, config.run_id, kind="update"))
    splits = read_splits(directory.worlds)
    if splits.digest != result.splits_digest:
        raise SweepError(
            f"{directory.worlds}: its splits hash to {splits.digest}, the result has {result.splits_digest}; "
            "restore the folder"
        )
    wanted = evaluation(splits.of("test"), rollouts)
    tried: dict[str, dict[str, list[Played]]] = {}  # task id -> stage -> episodes, in order of their numbers
    for stage, step in steps.items():
        for episode in play_stored(learner, directory.checkpoints, step, config, wanted, result.temperature):
            tried.setdefault(episode.task.id, {}).setdefault(stage, []).append(episode)
    return Retest(
        arm=result.arm,
        seed=result.seed,
        run_id=result.run_id,
        rollouts=rollouts,
        temperature=result.temperature,
        commit=commit(),
        tasks=tuple(
            TaskAgain(task_id=task, **{stage: _tries(episodes) for stage, episodes in stages.items()})
            for task, stages in sorted(tried.items())
        ),
    )


def _tries(episodes: list[Played]) -> Tries:
    return Tries(
        passed=tuple(e.grade.all_pass for e in episodes),
        reward=sum(e.grade.reward for e in episodes) / len(episodes),
    )


if __name__ == "__main__":
    sys.exit(main())
