"""Score a checkpoint on a folder of worlds: `python -m loop.evaluate CHECKPOINT DIR`.

CHECKPOINT is one of a run's, e.g. runs/closed_loop-1a2b3c4d-s0/checkpoints/64; DIR is a folder of worlds,
such as planet.synthesize writes, or the `worlds` folder of a run.
"""

import argparse
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from analysis.text_table import align, percent
from loop.command import Parser, one_line_errors
from loop.config import Config
from loop.episodes.playing import OPEN_ROUNDS, Played, play, repeated
from loop.episodes.scores import scores
from loop.errors import ConfigError, RunDirectoryError
from loop.run_directory import stored_config
from loop.worlds.pool import Environment
from loop.worlds.sessions import SessionPool
from loop.worlds.store import read_splits
from planet.errors import StorageError
from planet.store import read_world, world_ids
from policy.errors import CheckpointError


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m loop.evaluate", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("checkpoint", type=Path, metavar="CHECKPOINT")
    made.add_argument("worlds", type=Path, metavar="DIR")
    made.add_argument("--rollouts", type=int, default=4, metavar="N", help="episodes per task (default 4)")
    made.add_argument("--temperature", type=float, default=1.0, help="0 is greedy (default 1)")
    made.add_argument(
        "--split", metavar="NAME", help="of a run's worlds: test, validate, train, ... (default: all)"
    )
    made.add_argument("--k", type=int, help="tries of pass@k (default: the rollouts)")
    return made


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    given = parser().parse_args(argv)
    with one_line_errors() as outcome:
        if given.rollouts < 1:
            raise ConfigError(f"--rollouts: {given.rollouts} is not allowed; give at least 1")
        if not 0 <= given.temperature < math.inf:
            raise ConfigError(f"--temperature: {given.temperature} is not allowed; give 0 or more")
        if given.k is not None and not 1 <= given.k <= given.rollouts:
            raise ConfigError(f"--k: {given.k} is not allowed; give 1 to {given.rollouts}, the rollouts")
        step, config = located(given.checkpoint)
        environments = stored_environments(given.worlds, given.split)

        from loop.launch import make_learner

        learner = make_learner(config)
        try:
            learner.store(given.checkpoint.parent).load(step)
        except CheckpointError as error:
            raise RunDirectoryError(str(error)) from error
        episodes = play(
            learner,
            repeated(environments, given.rollouts, "evaluate", "evaluate"),
            SessionPool(config.policy.rollout.max_turns),
            temperature=given.temperature,
            batch=OPEN_ROUNDS * config.policy.rollout.slots,
        )
        print("\n".join(table(episodes, given.k or given.rollouts)))
    return outcome.code


def located(checkpoint: Path) -> tuple[int, Config]:
    """(step, configuration of its run) of a checkpoint; RunDirectoryError when it is none."""
    name = checkpoint.name.split(".")[0]
    if not re.fullmatch(r"[0-9]{1,9}", name):
        raise RunDirectoryError(
            f"{checkpoint}: not a checkpoint of a run; give one, e.g. "
            "runs/closed_loop-1a2b3c4d-s0/checkpoints/64"
        )
    return int(name), stored_config(checkpoint.resolve().parent.parent)


def stored_environments(folder: Path, split: str | None) -> list[Environment]:
    """The worlds of a folder, or of one split of a run's; ConfigError when there are none."""
    if split is None:
        try:
            return [Environment(*read_world(folder, name), origin="test") for name in world_ids(folder)]
        except StorageError as error:
            raise ConfigError(str(error)) from error
    found = [e for e in read_splits(folder).environments if e.origin == split]
    if not found:
        raise ConfigError(f"--split: {folder} has no worlds of split {split!r}; try test, validate or train")
    return found


def table(episodes: Sequence[Played], k: int) -> list[str]:
    """Scores as aligned lines: all episodes, then by family and by service."""
    header = ("", "episodes", "tasks", "worlds", "all-pass", "95 % interval", "reward", f"pass@{k}")
    rows = [
        (
            s.name,
            str(s.episodes),
            str(s.tasks),
            str(s.worlds),
            percent(s.all_pass.mean),
            f"{s.all_pass.low:.1%} to {s.all_pass.high:.1%}",
            f"{s.reward.mean:.3f}",
            percent(s.pass_at_k),
        )
        for s in scores(episodes, k)
    ]
    return align(header, rows)


if __name__ == "__main__":
    sys.exit(main())
