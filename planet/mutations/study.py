"""Worlds in order of their number, until every check has its cases."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count

from planet.errors import PlanetError
from planet.mutations.tasks import TASK_WAYS
from planet.mutations.trial import Outcome, Part, Trial, try_world
from planet.mutations.worlds import WORLD_WAYS
from planet.records.world import Profile
from planet.side_by_side import side_by_side

CHECKS: dict[Part, tuple[str, ...]] = {"validators": tuple(WORLD_WAYS), "rules": tuple(TASK_WAYS)}
MOST_ROUNDS = 12
"""Times that more worlds are made for the checks that still have too few cases."""

Track = Callable[[Iterator[list[Outcome]], str, int], Iterator[list[Outcome]]]
"""Passes outcomes on and shows how far they are: (outcomes of each world, what, how many worlds)."""


def study(part: Part, each: int, seed: int, profile: Profile, jobs: int, track: Track) -> list[Outcome]:
    """`each` outcomes for every check, the earliest worlds first, whatever the number of processes.

    PlanetError when the worlds offer a check nothing to corrupt.
    """
    found: list[Outcome] = []
    numbers = count()
    for turn in range(MOST_ROUNDS):
        have = Counter(outcome.check for outcome in found)
        short = tuple(check for check in CHECKS[part] if have[check] < each)
        if not short:
            break
        worlds = max(each - have[check] for check in short) + (turn > 0)  # some offer a check nothing
        trials = [Trial(part, seed, next(numbers), profile, short) for _ in range(worlds)]
        for outcomes in track(side_by_side(try_world, trials, jobs), part, worlds):
            found += outcomes
    else:
        raise PlanetError(f"too few worlds can be corrupted for {', '.join(short)}; take another --seed")
    return _first(found, each, CHECKS[part])


def _first(found: list[Outcome], each: int, checks: tuple[str, ...]) -> list[Outcome]:
    """The first cases of each check, check by check."""
    kept = []
    for check in checks:
        kept += [outcome for outcome in found if outcome.check == check][:each]
    return kept
