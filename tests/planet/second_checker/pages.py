"""Policy pages as a person reads them: which of them state a rule, and who breaks it."""

import re
from typing import NamedTuple

from planet.records.world import Document, World
from tests.planet.second_checker.state import State

_SAYINGS = (
    (
        False,
        r"when the (?P<c>.+) of a (?P<t>.+) becomes (?P<v>.+) , (?P<s>.+) must hold a (?P<e>.+?)(?: for it)?",
    ),
    (False, r"for every (?P<t>.+) whose (?P<c>.+) is (?P<v>.+) , there must be a (?P<e>.+) in .+"),
    (True, r"when the (?P<c>.+) of a (?P<t>.+) becomes (?P<v>.+) , set the (?P<e>.+?)(?: in .+)?"),
    (True, r"for every (?P<t>.+) whose (?P<c>.+) is (?P<v>.+) , each (?P<e>.+)"),
)
"""(whether every linked record is meant, and not that there must be one; how it is said)."""
_EFFECTS = (
    r"(?P<t>.+) with (?P<cv>.+)",  # a ticket with status open
    r"(?P<c>.+) of its (?P<t>.+) to (?P<v>.+)",  # severity of its ticket to critical
    r"(?P<t>.+) in .+ must have (?P<cv>.+)",  # ticket in help desk must have severity critical
)


class StatedRule(NamedTuple):
    """When `table.column` is `value`, records of `target` that refer by `link` have `effect` = `then`."""

    page: str
    table: str
    column: str
    value: str
    target: str
    link: str
    effect: str
    then: str
    each: bool  # all that refer to the row, be they none; else at least one must be there


def stated_rules(world: World) -> tuple[StatedRule, ...]:
    """What the pages of a world state, page by page; pages that state no rule are passed over."""
    found = [rule for page in world.documents for rule in _rules_of(page, world)]
    pages = [rule.page for rule in found]
    assert len(set(pages)) == len(pages), f"a page of world {world.id} can be read in two ways: {pages}"
    return tuple(found)


def breakers(rule: StatedRule, state: State) -> set[str]:
    """Ids of the rows of `rule.table` for which the rule is not kept."""
    place = state.columns[rule.table].index(rule.column)
    triggered = {key for key, row in state.rows[rule.table].items() if row[place] == rule.value}
    if not triggered:
        return triggered
    names = state.columns[rule.target]
    link, effect = names.index(rule.link), names.index(rule.effect)
    referring = [(row[link], row[effect] == rule.then) for row in state.rows[rule.target].values()]
    if rule.each:
        return triggered & {key for key, kept in referring if not kept}
    return triggered - {key for key, kept in referring if kept}


def _rules_of(page: Document, world: World) -> list[StatedRule]:
    text = page.body.removesuffix(" .")
    found = []
    for each, saying in _SAYINGS:
        said = re.fullmatch(saying, text)
        trigger = said and _named(world, said["t"], f"{said['c']} {said['v']}")
        effect = said and _effect(world, said["e"])
        if said and trigger and effect:
            found += [
                StatedRule(page.id, *trigger, effect[0], link, *effect[1:], each)
                for link in _links(world, effect[0], trigger[0])
            ]
    return found


def _effect(world: World, text: str) -> tuple[str, str, str] | None:
    for saying in _EFFECTS:
        said = re.fullmatch(saying, text)
        if said:
            words = said.groupdict()
            named = _named(world, words["t"], words.get("cv") or f"{words['c']} {words['v']}")
            if named:
                return named
    return None


def _named(world: World, table: str, column_and_value: str) -> tuple[str, str, str] | None:
    """(table, column, value) of the one enum column and value that these words can be."""
    for resource in world.layout.resources:
        if spaced(resource.name) == table:
            for column in resource.columns:
                for value in column.values:
                    if f"{spaced(column.name)} {spaced(value)}" == column_and_value:
                        return resource.name, column.name, value
    return None


def _links(world: World, child: str, parent: str) -> list[str]:
    return [c.name for c in world.layout.resource(child).columns if c.ref == parent]


def spaced(name: str) -> str:
    """A name of the world as words."""
    return name.replace("_", " ")
