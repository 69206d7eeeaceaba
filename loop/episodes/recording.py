"""Worlds, tasks and episodes as rows of the ledger."""

from collections.abc import Sequence
from typing import Literal

from analysis.ledger import Row, episode_rows, task_row, world_row
from loop.episodes.playing import Played
from loop.worlds.pool import Environment
from planet.cells import cells_of, owned

Purpose = Literal["train", "diagnose", "validate", "test"]


def environment_rows(run_id: str, step: int, environments: Sequence[Environment]) -> list[Row]:
    """One row per world and per task."""
    rows: list[Row] = []
    for e in environments:
        rows.append(
            world_row(run_id, step, e.world, origin=e.origin, iteration=e.iteration, brief_id=e.brief_id)
        )
        for task in e.tasks:
            names = [*(a.id for a in task.key.assertions), *task.key.at_stake]
            owners = {name: owned(task.key, name) for name in names}
            rows.append(task_row(run_id, step, task, split=e.origin, cells=cells_of(task.key), owned=owners))
    return rows


def played_rows(
    run_id: str,
    step: int,
    episodes: Sequence[Played],
    purpose: Purpose,
    variant: str,
    *,
    admitted: dict[str, bool] | None = None,
    whole: int | None = None,
) -> list[Row]:
    """The rows of some episodes. `admitted`: group id -> whether the gate took it.

    `whole`: how many of them, from the first, keep their whole trajectory; None: all.
    """
    rows: list[Row] = []
    for index, played in enumerate(episodes):
        group = played.wanted.group_id
        rows += episode_rows(
            run_id,
            step,
            played.wanted.episode_id,
            played.trajectory,
            played.grade,
            purpose=purpose,
            variant=variant,
            tokens=played.tokens,
            policy_version=played.version,
            group_id=group,
            admitted=admitted.get(group) if admitted is not None and group is not None else None,
            keep="whole" if whole is None or index < whole else "calls",
        )
    return rows


def outcome_metrics(prefix: str, episodes: Sequence[Played], families: bool = False) -> dict[str, float]:
    """All-pass share, mean reward and lengths of some episodes; per family where asked for."""
    count = max(1, len(episodes))
    metrics = {
        f"{prefix}/all_pass": sum(p.grade.all_pass for p in episodes) / count,
        f"{prefix}/reward": sum(p.grade.reward for p in episodes) / count,
        f"{prefix}/raw_reward": sum(p.grade.raw_reward for p in episodes) / count,
        f"{prefix}/calls": sum(p.steps for p in episodes) / count,
        f"{prefix}/tokens": sum(p.tokens for p in episodes) / count,
        f"{prefix}/truncated": sum(p.trajectory.ended != "answer" for p in episodes) / count,
    }
    if families:
        by_family: dict[str, list[bool]] = {}
        for played in episodes:
            by_family.setdefault(played.task.key.facets.family, []).append(played.grade.all_pass)
        for family, passes in sorted(by_family.items()):
            metrics[f"{prefix}/all_pass/{family}"] = sum(passes) / len(passes)
    return metrics
