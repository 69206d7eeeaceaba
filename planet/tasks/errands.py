"""Errands: the further parts of a task in a library world.

A task of a compact world is one draft. In a library world it has a leading part, after which its family is
named, and errands in the other services of the slice. Each part has records of its own, so that the parts can
be done in any order and none changes what another finds.
"""

import re
from collections.abc import Callable
from random import Random

from planet.records.task import PlannedCall
from planet.tasks.draft import Draft
from planet.tasks.families import FAMILIES

STAKE = 0.55
"""Chance that the leading part is one that puts a rule at stake. Others come to nothing more often, so that
in the end it is about 60 % of tasks."""
POLICY = ("propagate", "repair")
ERRANDS = tuple(name for name in FAMILIES if name not in POLICY)
MOST_ASSERTIONS = 10
MOST_CALLS = 18
"""Of the oracle: of 20 turns, two are left to look around."""
_TRIES = 20
_KEY = re.compile(r"[A-Z]{2,4}-[0-9]{4,}")


def leading_family(rng: Random) -> str:
    """The family of the leading part where nobody asked for one."""
    return rng.choice(POLICY if rng.random() < STAKE else ERRANDS)


def errands_for(
    lead: Draft, services: dict[str, str], goal: int, draw: Callable[[str], Draft | None], rng: Random
) -> tuple[Draft, ...]:
    """Parts beside `lead` until `goal` services are touched, each in a service that was not.

    services: table with tools -> its service. draw: family -> a draft, or None when there is none.
    """
    parts = [lead]
    touched = _touched(lead, services)
    for _ in range(_TRIES):
        if len(touched) >= goal:
            break
        more = draw(rng.choice(ERRANDS))
        if more is None or _touched(more, services) <= touched or not _fits(more, parts):
            continue
        parts.append(more)
        touched |= _touched(more, services)
    return tuple(parts[1:])


def merged(lead: Draft, errands: tuple[Draft, ...]) -> Draft:
    """One draft of all parts: the oracle does them in order, the alternative the other way round."""
    parts = (lead, *errands)
    assertions = [assertion for part in parts for assertion in part.assertions]
    return lead._replace(
        assertions=tuple(a.replace(id=f"a{number}") for number, a in enumerate(assertions, start=1)),
        allowed=tuple(permit for part in parts for permit in part.allowed),
        oracle=tuple(call for part in parts for call in part.oracle),
        alternative=tuple(call for part in reversed(parts) for call in part.alternative),
        mentions=tuple(mention for part in parts for mention in part.mentions),
        delta=tuple(edit for part in parts for edit in part.delta),
        links=tuple(dict.fromkeys(link for part in parts for link in part.links)),
        hops=sum(part.hops for part in parts),
    )


def _fits(more: Draft, parts: list[Draft]) -> bool:
    """Whether the part leaves the others alone, and the task stays within bounds."""
    whole = [*parts, more]
    if sum(len(part.assertions) + len(part.at_stake) for part in whole) > MOST_ASSERTIONS:
        return False
    if sum(len(part.oracle) for part in whole) > MOST_CALLS:
        return False
    if any(_keys(more) & _keys(part) for part in parts):
        return False
    pairs = [(a, b) for a in whole for b in whole if a is not b]
    return not any(_condition(a) & _written(b) or _kept(a) & _columns(b) for a, b in pairs)


def _touched(draft: Draft, services: dict[str, str]) -> set[str]:
    tables = {_table(call) for call in draft.oracle}
    return {services[table] for table in tables if table in services}


def _condition(draft: Draft) -> set[str]:
    """Tables among whose rows a comparison or a name must single out one: other parts may not write there."""
    singled = draft.family in ("conditional", "disambiguate")
    return {_table(call) for call in draft.oracle if call.required} if singled else set()


def _written(draft: Draft) -> set[str]:
    return {_table(call) for call in draft.oracle if call.required}


def _kept(draft: Draft) -> set[tuple[str, str | None]]:
    """Columns that the part wants left as they are; written elsewhere, they would look like an answer."""
    return {(a.table, a.column) for a in draft.assertions} if draft.family == "repair" else set()


def _columns(draft: Draft) -> set[tuple[str, str | None]]:
    return {(_table(call), column) for call in draft.oracle if call.required for column in call.arguments}


def _table(call: PlannedCall) -> str:
    return call.tool.partition("_")[2]


def _keys(draft: Draft) -> set[str]:
    """Ids of all records that the part speaks of, reads, prepares or writes."""
    found = {edit.key for edit in draft.delta} | {permit.key for permit in draft.allowed if permit.key}
    texts: list[object] = [edit.values for edit in draft.delta]
    texts += [mention.where for mention in draft.mentions]
    texts += [call.arguments for call in (*draft.oracle, *draft.alternative)]
    return found | set(_KEY.findall(repr(texts)))
