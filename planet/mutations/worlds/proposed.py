"""What an author proposes wrongly: the corruptions of which training samples for repair are made."""

from collections.abc import Iterator
from random import Random

from planet.construction.corruptions import CORRUPTIONS, OWN_CORRUPTIONS, Corrupted
from planet.construction.ground import Ground
from planet.construction.own_table import with_own_table
from planet.errors import AuthorError
from planet.mutations.worlds.change import Made, Way

A_PROPOSAL = "a wrong proposal of an author"
"""How these are called among the ways of a validator."""


def proposed(validator: str) -> Way:
    """The first proposal that goes wrong at what the validator looks at, and of which a world can be made."""

    def way(ground: Ground, rng: Random) -> Made | None:
        if validator in CORRUPTIONS:
            return _first(ground, CORRUPTIONS[validator](ground, rng))
        own = with_own_table(ground)
        return _first(own[0], OWN_CORRUPTIONS[validator](*own, rng)) if own else None

    return way


def _first(ground: Ground, wrong: Iterator[Corrupted]) -> Made | None:
    for link, artifact in wrong:
        try:
            made = ground.made_with(link, artifact)
        except AuthorError:  # refused before there is a world, so no validator is asked
            continue
        if made[0].id != ground.world.id:
            return made
    return None
