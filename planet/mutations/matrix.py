"""The confusion matrix: corruptions meant for a check, by the checks that fired on them."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from planet.mutations.trial import Outcome


class Line(NamedTuple):
    """What became of the corruptions meant for one check."""

    check: str
    cases: int
    seen: int  # the check fired
    alone: int  # and no other did
    fired: tuple[int, ...]  # how often each check did, in the order of all checks


def matrix(outcomes: Sequence[Outcome], checks: Sequence[str]) -> list[Line]:
    """One line for each check that has cases."""
    lines = []
    for check in checks:
        own = [outcome for outcome in outcomes if outcome.check == check]
        if own:
            fired = Counter(name for outcome in own for name in outcome.fired)
            lines.append(
                Line(
                    check=check,
                    cases=len(own),
                    seen=sum(outcome.seen for outcome in own),
                    alone=sum(outcome.alone for outcome in own),
                    fired=tuple(fired[name] for name in checks),
                )
            )
    return lines


def by_way(outcomes: Sequence[Outcome]) -> dict[str, dict[str, dict[str, int]]]:
    """Check -> way -> cases, seen, alone."""
    told: dict[str, dict[str, dict[str, int]]] = {}
    for outcome in outcomes:
        way = told.setdefault(outcome.check, {}).setdefault(outcome.way, dict(cases=0, seen=0, alone=0))
        way["cases"] += 1
        way["seen"] += outcome.seen
        way["alone"] += outcome.alone
    return {check: dict(sorted(ways.items())) for check, ways in sorted(told.items())}


def verdict(outcomes: Sequence[Outcome]) -> str:
    """The one sentence."""
    seen = sum(outcome.seen for outcome in outcomes)
    alone = sum(outcome.alone for outcome in outcomes)
    return (
        f"{seen:,} of {len(outcomes):,} corruptions were seen by the check meant to see them; "
        f"{alone:,} by it alone"
    )
