"""Phrases: sentence forms with parts to fill in. Text pools and industry descriptions are made of them."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from random import Random

from pydantic import Field

from planet.records.frozen import Frozen

SLOT = re.compile(r"\{([a-z_]+)\}")
"""A place in a form that one of the parts fills."""


class Phrases(Frozen):
    """Texts composed at random, or all of them in order: `forms` x the parts they name."""

    forms: tuple[str, ...]  # e.g. "{given} {family}"
    # slot name -> what may fill it; in a pool the country adds given, family and city
    parts: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    def slots(self) -> frozenset[str]:
        """Names of the slots of all forms."""
        return frozenset(name for form in self.forms for name in SLOT.findall(form))

    def draw(self, rng: Random, extra: Mapping[str, tuple[str, ...]] | None = None) -> str:
        """One text: a form, each slot filled independently, from `extra` where `parts` has no such slot."""
        form = rng.choice(self.forms)
        return SLOT.sub(lambda slot: rng.choice(self._choices(slot[1], extra or {})), form)

    def count(self, extra: Mapping[str, tuple[str, ...]] | None = None) -> int:
        """How many combinations there are (equal texts counted as often as they can be made)."""
        total = 0
        for form in self.forms:
            ways = 1
            for name in SLOT.findall(form):
                ways *= len(self._choices(name, extra or {}))
            total += ways
        return total

    def every(self) -> Iterator[str]:
        """All texts, form by form, the last slot changing fastest. For phrases that need no country."""
        for form in self.forms:
            for choice in product(*(self._choices(name, {}) for name in SLOT.findall(form))):
                fill = iter(choice)
                yield SLOT.sub(lambda _slot, fill=fill: next(fill), form)  # type: ignore[misc]

    def _choices(self, name: str, extra: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        return self.parts[name] if name in self.parts else extra[name]
