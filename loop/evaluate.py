"""Score a policy on a folder of worlds.

    python -m loop.evaluate CHECKPOINT DIR      a run's policy
    python -m loop.evaluate --model NAME DIR    any chat model with function calling, through LiteLLM

CHECKPOINT is one of a run's, e.g. runs/closed_loop-1a2b3c4d-s0/checkpoints/64; DIR is a folder of
worlds, such as planet.synthesize writes, or the `worlds` folder of a run.
"""

import argparse
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from analysis.intervals import Interval
from loop.command import FAILED, one_line_errors
from loop.config import Config
from loop.episodes.own_lines import write_lines
from loop.episodes.playing import Played, Wanted, open_sessions, play, repeated
from loop.episodes.scores import scores
from loop.errors import ConfigError, Interrupted, RunDirectoryError
from loop.learning.api.options import add_options, misplaced, settings_from
from loop.learning.learner import Learner
from loop.resuming.checkpoints import loaded
from loop.run_directory import stored_config
from loop.worlds.pool import Environment
from loop.worlds.sessions import SessionPool
from loop.worlds.spread import spread
from loop.worlds.store import is_written, read_splits
from planet.command import Parser
from planet.errors import StorageError
from planet.store import read_world, world_ids
from planet.text_table import align, percent
from policy.config import RolloutConfig
from policy.errors import CheckpointError


def parser() -> Parser:
    """The command line."""
    made = Parser(
        prog="python -m loop.evaluate",
        description=__doc__,
        usage="python -m loop.evaluate [-h] [options] (CHECKPOINT | --model NAME) DIR",
    )
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("places", type=Path, nargs="+", metavar="CHECKPOINT DIR", help="with --model only DIR")
    made.add_argument("--rollouts", type=int, default=4, metavar="N", help="episodes per task (default 4)")
    made.add_argument(
        "--temperature", type=float, help="0 is greedy (default: 1 of a checkpoint, its own of a model)"
    )
    made.add_argument(
        "--split", metavar="NAME", help="of a run's worlds: test, validate, train, ... (default: all)"
    )
    made.add_argument("--tasks", type=int, metavar="N", help="tasks at most, spread over the worlds")
    made.add_argument("--seed", type=int, default=0, metavar="S", help="of tasks and samples (default 0)")
    made.add_argument("--k", type=int, help="tries of pass@k (default: the rollouts)")
    made.add_argument(
        "--episodes", type=Path, metavar="FILE", help="write them as JSON lines, for analysis.weakness"
    )
    add_options(made)
    return made


def main(argv: list[str] | None = None) -> int:
    """The command. Exit code 1 when not all was played, 2 for wrong use, 130 when stopped by Ctrl-C."""
    given = parser().parse_intermixed_args(argv)
    with one_line_errors() as outcome:
        check(given)
        if given.model is not None:
            outcome.code = _score_model(given)
        else:
            _score_checkpoint(given)
    return outcome.code


def check(given: argparse.Namespace) -> None:
    """ConfigError for what no evaluation can be made of."""
    if given.rollouts < 1:
        raise ConfigError(f"--rollouts: {given.rollouts} is not allowed; give at least 1")
    if given.temperature is not None and not 0 <= given.temperature < math.inf:
        raise ConfigError(f"--temperature: {given.temperature} is not allowed; give 0 or more")
    if given.k is not None and not 1 <= given.k <= given.rollouts:
        raise ConfigError(f"--k: {given.k} is not allowed; give 1 to {given.rollouts}, the rollouts")
    if given.tasks is not None and given.tasks < 1:
        raise ConfigError(f"--tasks: {given.tasks} is not allowed; give at least 1")
    if given.episodes is not None and (given.episodes.is_dir() or not given.episodes.parent.is_dir()):
        raise ConfigError(
            f"--episodes: {given.episodes} is no place for a file; name one in a folder that exists"
        )
    if given.model is None:
        odd = misplaced(given)
        if odd:
            raise ConfigError(f"{odd} belongs to --model; give the name of one, or leave it out")
        if len(given.places) != 2:
            raise ConfigError(f"{len(given.places)} places given; give CHECKPOINT DIR, or --model NAME DIR")
    elif len(given.places) != 1:
        raise ConfigError(
            f"{' '.join(map(str, given.places))}: with --model give one place, the folder of worlds"
        )


def _score_checkpoint(given: argparse.Namespace) -> None:
    checkpoint = given.places[0]
    step, config = located(checkpoint)
    wanted = wanted_of(given)

    from loop.launch import make_learner

    temperature = 1.0 if given.temperature is None else given.temperature
    episodes = play_stored(make_learner(config), checkpoint.parent, step, config, wanted, temperature)
    print("\n".join(table(episodes, given.k or given.rollouts)))
    _keep(given, episodes)


def play_stored(
    learner: Learner,
    checkpoints: Path,
    step: int,
    config: Config,
    wanted: Sequence[Wanted],
    temperature: float,
) -> list[Played]:
    """Episodes of a run's policy as it was after a step; RunDirectoryError when its checkpoint is gone."""
    try:
        loaded(learner.store(checkpoints), step, config.run_id)
    except CheckpointError as error:
        raise RunDirectoryError(str(error)) from error
    return play(
        learner,
        wanted,
        SessionPool(config.policy.rollout.max_turns),
        temperature=temperature,
        batch=open_sessions(config),
    )


def _score_model(given: argparse.Namespace) -> int:
    """Play with a model; the exit code. What was played is told and kept, however the command ends."""
    from loop.learning.api.estimate import tell_estimate
    from loop.learning.api.evaluation import evaluate, tell_costs, turns_of
    from loop.learning.api.player import Player

    settings = settings_from(given)
    wanted = wanted_of(given)
    turns = given.turns or turns_of([w.environment for w in wanted])
    if given.dry_run:
        print("\n".join(tell_estimate(wanted, turns, settings)))
        return 0
    player = Player(settings, given.seed, RolloutConfig().max_unreadable)
    found = evaluate(player, wanted, SessionPool(turns), given.temperature)
    if found.played:
        print("\n".join(table(found.episodes, given.k or given.rollouts)))
        print()
        _keep(given, found.episodes)
    print("\n".join(tell_costs(player, found)))
    if found.stopped:
        raise Interrupted("stopped; what was answered is kept, and the same command goes on from there")
    return 0 if found.whole else FAILED


def wanted_of(given: argparse.Namespace) -> list[Wanted]:
    """The episodes that a command line asks for."""
    environments = stored_environments(given.places[-1], given.split)
    if given.tasks is not None:
        environments = spread(environments, given.tasks, given.seed)
    wanted = evaluation(environments, given.rollouts, given.seed)
    if not wanted:
        raise ConfigError(f"{given.places[-1]} holds no tasks; make worlds with python -m planet.synthesize")
    return wanted


def evaluation(environments: Sequence[Environment], rollouts: int, seed: int = 0) -> list[Wanted]:
    """Every task of some worlds, `rollouts` times; equal seeds give all policies equal random streams."""
    return repeated(environments, rollouts, "evaluate", f"evaluate/{seed}")


def _keep(given: argparse.Namespace, episodes: Sequence[Played]) -> None:
    if given.episodes is None:
        return
    write_lines(given.episodes, episodes)
    print(f"episodes  {given.episodes}; next: python -m analysis.weakness --episodes {given.episodes}")


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
    if not is_written(folder):
        raise ConfigError(
            f"--split: {folder} is not the worlds folder of a run; give one, or leave --split out to play all"
        )
    found = [e for e in read_splits(folder).environments if e.origin == split]
    if not found:
        raise ConfigError(f"--split: {folder} has no worlds of split {split!r}; try test, validate or train")
    return found


def table(episodes: Sequence[Played], k: int) -> list[str]:
    """Scores as aligned lines: all episodes, then by family and by service."""
    header = ("", "episodes", "tasks", "worlds", "all-pass", "95 % interval", "reward", "95 % interval",
              f"pass@{k}", "95 % interval")  # fmt: skip
    rows = [
        (
            s.name,
            str(s.episodes),
            str(s.tasks),
            str(s.worlds),
            *_share(s.all_pass),
            f"{s.reward.mean:.3f}",
            f"{s.reward.low:.3f} to {s.reward.high:.3f}",
            *_share(s.pass_at_k),
        )
        for s in scores(episodes, k)
    ]
    return align(header, rows)


def _share(of: Interval) -> tuple[str, str]:
    return percent(of.mean), f"{of.low:.1%} to {of.high:.1%}"


if __name__ == "__main__":
    sys.exit(main())
