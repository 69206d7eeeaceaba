"""What is in a cluster: how many items, and the words and tools that are commoner in it than outside."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from analysis.clustering.clusters import Space
from analysis.clustering.items import Item

WORDS, TOOLS = 4, 3
"""How many are named."""


class Contents(NamedTuple):
    """One cluster of one space."""

    space: str  # "text" or "tools"
    cluster: int
    items: int
    words: str  # the most typical first; empty: none is commoner than outside
    tools: str  # likewise


def contents(items: Sequence[Item], spaces: dict[str, Space]) -> list[Contents]:
    """Every cluster of every space, by its number."""
    words, tools = [_words(item.text) for item in items], [set(item.tools) for item in items]
    found = []
    for name, space in spaces.items():
        labels = space.labels.tolist()
        for cluster in sorted(set(labels)):
            inside = [label == cluster for label in labels]
            found.append(
                Contents(
                    name,
                    cluster,
                    sum(inside),
                    " ".join(typical(words, inside, WORDS)),
                    " ".join(typical(tools, inside, TOOLS)),
                )
            )
    return found


def typical(sets: Sequence[set[str]], inside: Sequence[bool], count: int) -> list[str]:
    """The members with the largest share of the sets inside minus the share of those outside, if positive."""
    within, without = Counter[str](), Counter[str]()
    for members, here in zip(sets, inside, strict=True):
        (within if here else without).update(members)
    here, there = max(1, sum(inside)), max(1, len(inside) - sum(inside))
    lead = {member: number / here - without[member] / there for member, number in within.items()}
    return sorted((m for m in lead if lead[m] > 0), key=lambda m: (-lead[m], m))[:count]


def _words(text: str) -> set[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return set(re.findall(r"[^\W\d_]{2,}", text.lower())) - ENGLISH_STOP_WORDS
