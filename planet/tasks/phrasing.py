"""Phrasings: the sentences in which a draft can be said."""

import re
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import yaml

from planet.records.world import Profile
from planet.tasks.draft import Draft

_OPTIONAL = re.compile(r"\[([^\]]*)\]")
_FIELD = re.compile(r"\{([a-z0-9]+)\}")


JOINS = (" . then ", " , then ", " . and ")
"""Between the parts of an instruction."""
COMPACT = 3
"""Phrasings of a family in compact worlds."""


class Phrasing(NamedTuple):
    """One instruction and the phrasing it was made with."""

    template: str  # e.g. "update-2"
    instruction: str


@cache
def phrasings() -> dict[str, tuple[str, ...]]:
    """Family -> its phrasings."""
    text = (Path(__file__).parent / "phrasings.yaml").read_text(encoding="utf-8")
    return {family: tuple(lines) for family, lines in yaml.safe_load(text).items()}


def phrase(draft: Draft, rng: Random, profile: Profile = "compact") -> Phrasing:
    """Say a draft in one of its family's phrasings, of which compact worlds have the first three."""
    lines = phrasings()[draft.family]
    lines = lines[:COMPACT] if profile == "compact" else lines
    number = rng.randrange(len(lines))
    return Phrasing(f"{draft.family}-{number + 1}", _fill(lines[number], draft.fields))


def _fill(line: str, fields: dict[str, str]) -> str:
    """A phrasing with its fields filled in; a part in brackets is left out when a field of it is missing."""
    kept = _OPTIONAL.sub(lambda part: part[1] if set(_FIELD.findall(part[1])) <= fields.keys() else "", line)
    return kept.format(**fields)
