"""Score a checkpoint on a folder of worlds: `python -m loop.evaluate CHECKPOINT DIR`.

CHECKPOINT is one of a run's, e.g. runs/closed_loop-1a2b3c4d-s0/checkpoints/64; DIR is a folder of worlds,
such as planet.synthesize writes, or the `worlds` folder of a run.
"""

import argparse
import sys
from pathlib import Path

from analysis.text_table import align, percent
from loop.command import Parser, one_line_errors
from loop.config import Config
from loop.errors import ConfigError, RunDirectoryError
from loop.run_directory import is_run


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m loop.evaluate", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("checkpoint", type=Path, metavar="CHECKPOINT")
    made.add_argument("worlds", type=Path, metavar="DIR")
    made.add_argument("--rollouts", type=int, default=4, metavar="N", help="episodes per task (default 4)")
    made.add_argument("--temperature", type=float, default=1.0, help="0 is greedy (default 1)")
    made.add_argument("--k", type=int, help="tries of pass@k (default: the rollouts)")
    return made


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    given = parser().parse_args(argv)
    with one_line_errors() as outcome:
        if given.rollouts < 1:
            raise ConfigError(f"--rollouts: {given.rollouts} is not allowed; give at least 1")
        if given.temperature < 0:
            raise ConfigError(f"--temperature: {given.temperature} is not allowed; give 0 or more")
        k = given.k or given.rollouts
        for line in evaluate(given.checkpoint, given.worlds, given.rollouts, given.temperature, k):
            print(line)
    return outcome.code


def evaluate(checkpoint: Path, folder: Path, rollouts: int, temperature: float, k: int) -> list[str]:
    """A table of scores as lines."""
    directory = checkpoint.resolve().parent.parent
    if not checkpoint.name.split(".")[0].isdigit() or not is_run(directory):
        raise RunDirectoryError(
            f"{checkpoint}: not a checkpoint of a run; give one, e.g. "
            "runs/closed_loop-1a2b3c4d-s0/checkpoints/64"
        )
    config = Config.model_validate_json((directory / "config.json").read_text(encoding="utf-8"))

    from loop.episodes.playing import play, repeated
    from loop.episodes.scores import scores
    from loop.launch import make_learner
    from loop.worlds.pool import Environment
    from loop.worlds.sessions import SessionPool
    from planet.store import read_world, world_ids

    environments = [
        Environment(*read_world(folder, world_id), origin="test") for world_id in world_ids(folder)
    ]
    learner = make_learner(config)
    learner.store(checkpoint.parent).load(int(checkpoint.name.split(".")[0]))
    episodes = play(
        learner,
        repeated(environments, rollouts, "evaluate", "evaluate"),
        SessionPool(config.policy.rollout.max_turns),
        temperature=temperature,
        batch=4 * config.policy.rollout.slots,
    )
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
