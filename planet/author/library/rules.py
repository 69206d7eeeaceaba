"""The rules of a library world: about fifteen, those between tables of the slice first.

An effect has a column of its own, a column that triggers is never an effect, and a value triggers one rule.
So rules can be obeyed together, and the seed state can be settled rule by rule.
"""

import re
from collections import Counter
from random import Random

from planet.expand.rules import Rule, rule_page, ruled_columns
from planet.records.world import Column, Pattern, Resource

COUNT = {15: 0.1, 16: 0.4, 17: 0.3, 18: 0.2}
"""Rules that are tried for -> chance; without the references for them there are fewer, on average 15."""
_INSIDE = 2
"""Rules on one reference inside the slice."""
_PAGES = 4
"""Pages that may name trigger and column of a rule: a search shows five, and one may be a distractor's."""
_WORD = re.compile(r"[a-z0-9]+")

Reference = tuple[str, str, str]
"""(child, link column, parent)."""


def library_rules(
    resources: dict[str, Resource],
    inside: list[Reference],
    across: list[Reference],
    first: str | None,
    rng: Random,
) -> tuple[Rule, ...]:
    """Rules on references between services; `first`: the pattern of the first one, None: any."""
    wanted = rng.choices(list(COUNT), list(COUNT.values()))[0]
    book = _Book(resources, {name for reference in inside for name in (reference[0], reference[2])})
    queue = [reference for reference in inside for _ in range(_INSIDE)]
    rng.shuffle(queue)
    others = [reference for reference in across if reference not in inside]
    for _ in range(3):  # a reference may carry several rules
        rng.shuffle(others)
        queue += others
    for reference in queue:
        if len(book.rules) == wanted:
            break
        pattern: Pattern = rng.choice(("record_required", "field_follows"))
        if not book.rules and first in ("record_required", "field_follows"):
            pattern = first  # type: ignore[assignment]
        book.add(reference, pattern, rng)
    return tuple(book.rules)


class _Book:
    """The rules so far, and what they use."""

    def __init__(self, resources: dict[str, Resource], offered: set[str]) -> None:
        self.resources, self.offered = resources, offered
        self.rules: list[Rule] = []
        self.effects: set[tuple[str, str]] = set()
        self.triggers: dict[tuple[str, str], set[str]] = {}
        self.services = {name: resource.service for name, resource in resources.items()}
        self.pages: list[set[str]] = []
        self.queries: list[set[str]] = []

    def add(self, reference: Reference, pattern: Pattern, rng: Random) -> None:
        """One more rule on the reference, if columns and pages allow it."""
        child, link, parent = self.resources[reference[0]], reference[1], self.resources[reference[2]]
        triggers = [c for c in ruled_columns(parent) if self._values(parent, c)]
        effects = [
            c
            for c in ruled_columns(child)
            if (child.name, c.name) not in self.effects and (child.name, c.name) not in self.triggers
        ]
        if not triggers or not effects:
            return
        trigger, effect = rng.choice(triggers), rng.choice(effects)
        rule = Rule(
            pattern=pattern,
            table=parent.name,
            column=trigger.name,
            value=rng.choice(self._values(parent, trigger)),
            effect_table=child.name,
            effect_link=link,
            effect_column=effect.name,
            effect_value=rng.choice(effect.values),
        )
        if self._is_found(rule):
            self.rules.append(rule)
            self.effects.add((child.name, effect.name))
            self.triggers.setdefault((parent.name, trigger.name), set()).add(rule.value)

    def _values(self, parent: Resource, column: Column) -> list[str]:
        """Values that may yet trigger; the first never does, and inside the slice two others stay free."""
        place = (parent.name, column.name)
        used = self.triggers.get(place, set())
        most = len(column.values) - (2 if parent.name in self.offered else 1)
        if place in self.effects or len(used) >= most:
            return []
        return [value for value in column.values[1:] if value not in used]

    def _is_found(self, rule: Rule) -> bool:
        """Whether searches for the words of every rule, this one included, still show its page."""
        title, body = rule_page(rule, self.services, 0)
        pages = [*self.pages, set(_WORD.findall(f"{title} {body}"))]
        queries = [*self.queries, set(_WORD.findall(f"{rule.table} {rule.column}".replace("_", " ")))]
        hits = Counter(place for place, query in enumerate(queries) for page in pages if query <= page)
        if max(hits.values()) > _PAGES:
            return False
        self.pages, self.queries = pages, queries
        return True
