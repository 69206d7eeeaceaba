"""Orders: the worlds of a corpus, each of which follows from its number alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from planet.author.library import seldom
from planet.catalog import Catalog
from planet.identity import digest, seed_of, stream
from planet.records.world import Brief

SELDOM = 33
"""Of the library worlds that nobody gave a scenario, every 33rd is built around the next resource of a
shuffled list of the seldom ones: companies are usual, but everything occurs."""


class Order(NamedTuple):
    """One world to be made."""

    brief: Brief
    author: str  # as `load_author` takes it; of a language model, with all that its answers depend on
    overlay: Path | None
    seed: int
    tasks: int

    def origin(self, catalog: Catalog) -> str:
        """What the world follows from: equal origins give equal worlds."""
        return digest([self.brief, self.author, catalog.digest, self.seed, self.tasks])


def orders(
    brief: Brief, author: str, overlay: Path | None, seed: int, tasks: int, count: int, catalog: Catalog
) -> Iterator[Order]:
    """`count` orders for one scenario."""
    open_to_all = brief.profile == "library" and not brief.services and not brief.resources
    names = seldom(catalog) if open_to_all else []
    stream("seldom").shuffle(names)
    for number in range(count):
        turn, rest = divmod(number + 1, SELDOM)
        wish = brief.replace(resources=(names[(turn - 1) % len(names)],)) if names and rest == 0 else brief
        yield Order(wish, author, overlay, seed_of(seed, "corpus", number), tasks)
