"""Scores of graded episodes: all-pass, reward and pass@k, each with an interval over worlds."""

from collections.abc import Callable, Iterable, Sequence
from math import comb
from typing import NamedTuple

from analysis.intervals import Interval, cluster_bootstrap
from loop.episodes.playing import Played


class Score(NamedTuple):
    """The scores of some episodes."""

    name: str
    episodes: int
    tasks: int
    worlds: int
    all_pass: Interval
    reward: Interval
    pass_at_k: Interval  # mean over tasks


def score(name: str, episodes: Sequence[Played], k: int) -> Score:
    """Score some episodes, at least one; intervals resample worlds."""
    worlds = [p.task.key.world_id for p in episodes]
    tries: dict[tuple[str, str], list[bool]] = {}
    for played in episodes:
        of = (played.task.id, played.task.key.world_id)
        tries.setdefault(of, []).append(played.grade.all_pass)
    chances = [pass_at_k(len(t), sum(t), k) for t in tries.values()]
    return Score(
        name=name,
        episodes=len(episodes),
        tasks=len(tries),
        worlds=len(set(worlds)),
        all_pass=cluster_bootstrap([float(p.grade.all_pass) for p in episodes], worlds),
        reward=cluster_bootstrap([p.grade.reward for p in episodes], worlds),
        pass_at_k=cluster_bootstrap(chances, [world for _, world in tries]),
    )


def pass_at_k(tries: int, passes: int, k: int) -> float:
    """The chance that one of `k` tries passes: 1 - C(n - c, k) / C(n, k) (arXiv 2107.03374).

    With fewer than `k` tries, k is their number.
    """
    k = min(k, tries)
    return 1.0 - comb(tries - passes, k) / comb(tries, k)


def scores(episodes: Sequence[Played], k: int) -> list[Score]:
    """All episodes together, then by family and by service."""
    table = [score("all", episodes, k)]
    table += _by("family", episodes, lambda p: [p.task.key.facets.family], k)
    table += _by("service", episodes, lambda p: p.task.key.facets.services, k)
    return table


def _by(
    facet: str, episodes: Sequence[Played], values: Callable[[Played], Iterable[str]], k: int
) -> list[Score]:
    groups: dict[str, list[Played]] = {}
    for played in episodes:
        for value in sorted(set(values(played))):
            groups.setdefault(value, []).append(played)
    return [score(f"{facet}:{value}", group, k) for value, group in sorted(groups.items())]
