"""`python -m planet.replay DIR TRAJECTORY.json`: run an episode again and grade it anew."""

from argparse import Namespace
from pathlib import Path

from pydantic import ValidationError

from planet.command import REFUSED, Parser, command, run
from planet.errors import GraderError, StorageError
from planet.first_misfit import first_misfit
from planet.inspect.sentences import plain
from planet.plain_files import read_bounded
from planet.records.episode import Grade, Trajectory
from planet.records.task import Task
from planet.store import read_world, task_named
from planet.world.grading import RewardKind
from planet.world.session import Session, replay


def main(argv: list[str] | None = None) -> int:
    """Print the grade. Exit code 0, 1 when the episode does not replay as recorded, 2 for wrong use."""
    return run(_parser(), _run, argv)


def _parser() -> Parser:
    parser = command("replay", "Run an episode's calls again, compare every result, and grade the end.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="worlds made by planet.synthesize")
    parser.add_argument(
        "trajectory", type=Path, metavar="TRAJECTORY.json", help="as planet.play --save writes it"
    )
    parser.add_argument("--share", action="store_true", help="reward the plain share of satisfied evidence")
    return parser


def _run(given: Namespace) -> int:
    trajectory = read_trajectory(given.trajectory)
    stored = read_world(given.folder, trajectory.world_id)
    task = task_named(stored, trajectory.task_id)
    reward: RewardKind = "share" if given.share else "normalised"
    session = Session(stored.world, stored.key, turns=None, reward=reward)
    try:
        grade = replay(session, task, trajectory)
    except GraderError as error:
        print(plain(str(error)))
        return REFUSED
    finally:
        session.close()
    print_grade(grade, task)
    return 0


def read_trajectory(path: Path) -> Trajectory:
    """A trajectory from its JSON file; StorageError when it is none."""
    try:
        return Trajectory.model_validate_json(read_bounded(path))
    except FileNotFoundError as error:
        raise StorageError(f"{path} does not exist; planet.play --save writes trajectories") from error
    except ValidationError as error:  # before ValueError, of which it is one
        raise StorageError(f"{path} is no trajectory: {first_misfit(error)}") from error
    except ValueError as error:
        raise StorageError(f"{path} is no trajectory: {error}") from error


def print_grade(grade: Grade, task: Task) -> None:
    """Evidence by evidence, then the numbers."""
    conditions = {a.id: a for a in task.key.assertions}
    for evidence in grade.evidence:
        assertion = conditions.get(evidence.name)
        what = f"{evidence.table}.{evidence.column}" if evidence.column else evidence.table
        if assertion:
            where = ", ".join(f"{c} = {v!r}" for c, v in assertion.where.items())
            what = f"{what} where {where}" + (f": {assertion.value!r}" if assertion.column else "")
        mark = "yes" if evidence.satisfied else "NO "
        start = "" if evidence.violated_at_start else "  (held before anything was done)"
        print(plain(f"  {mark} {evidence.name:<8} {evidence.kind:<9} {what}{start}"))
    for row in grade.collateral:
        print(plain(f"  collateral: {row}"))
    for name, factor in grade.penalties.items():
        print(f"  penalty: {name} × {factor:g}")
    verdict = "all pass" if grade.all_pass else "not all pass"
    print(f"{verdict}; reward {grade.reward:.3f} (score {grade.score:.3f}, doing nothing {grade.floor:.3f})")


if __name__ == "__main__":
    raise SystemExit(main())
