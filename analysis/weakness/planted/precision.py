"""How many of the planted weak tools stand among the first: the report's ranking beside others."""

from collections.abc import Sequence
from random import Random
from statistics import fmean
from typing import NamedTuple

from analysis.weakness.claims import Rules
from analysis.weakness.planted.agent import ScriptedAgent
from analysis.weakness.planted.rankers import RANKERS
from analysis.weakness.planted.tasks import Place
from analysis.weakness.probe import ProbeEpisode
from analysis.weakness.report import weakness_report
from planet.identity import seed_of

WEAK_RATE, STRONG_RATE = 0.5, 0.9
"""Chance that a required call of a weak tool is right, and of any other."""


class Precision(NamedTuple):
    """Means over the repeats of one design."""

    tasks: int
    rollouts: int
    at_k: dict[str, float]  # ranker -> share of weak tools among the first k, k being their number
    claimed_weak: float  # share of the weak tools that are claimed
    claimed_strong: float  # number of other tools that are claimed


def planted_precision(
    places: Sequence[Place],
    tools: Sequence[str],
    agent: ScriptedAgent,
    *,
    weak: int = 5,
    rollouts: int = 4,
    repeats: int = 20,
    seed: int = 0,
    rules: Rules | None = None,
) -> Precision:
    """Plant `weak` weak tools, drawn anew for each repeat, and see who finds them."""
    hits: dict[str, list[float]] = {name: [] for name in RANKERS}
    claimed: list[tuple[float, int]] = []
    for repeat in range(repeats):
        draw = Random(seed_of(seed, "planted", repeat))
        planted = set(draw.sample(list(tools), weak))
        episodes = play_all(places, tools, planted, agent, rollouts, draw)
        report = weakness_report(episodes, rules=rules)
        for name, ranker in RANKERS.items():
            first = {cell.removeprefix("tool:") for cell in ranker(episodes, report, "tool")[:weak]}
            hits[name].append(len(first & planted) / weak)
        found = {cell.value for cell in report.claims() if cell.facet == "tool"}
        claimed.append((len(found & planted) / weak, len(found - planted)))
    return Precision(
        tasks=len(places),
        rollouts=rollouts,
        at_k={name: fmean(values) for name, values in hits.items()},
        claimed_weak=fmean(share for share, _ in claimed),
        claimed_strong=fmean(count for _, count in claimed),
    )


def play_all(
    places: Sequence[Place],
    tools: Sequence[str],
    planted: set[str],
    agent: ScriptedAgent,
    rollouts: int,
    draw: Random,
) -> list[ProbeEpisode]:
    """Every task `rollouts` times by an agent that is weak at the planted tools."""
    success = {tool: WEAK_RATE if tool in planted else STRONG_RATE for tool in tools}
    return [
        agent.play(place, success, draw, f"p{number}/g{rollout}")
        for number, place in enumerate(places)
        for rollout in range(rollouts)
    ]
