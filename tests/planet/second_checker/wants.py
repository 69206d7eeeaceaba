"""What a request means on the rows as they stand: the goals of its end state, and nothing beside."""

from typing import NamedTuple

from planet.records.frozen import Scalar
from planet.records.world import World
from tests.planet.second_checker.pages import StatedRule, breakers
from tests.planet.second_checker.reading import Ask, Unclear
from tests.planet.second_checker.state import State

Row = tuple[str, str]
"""(table, id) of a record."""


class Goal(NamedTuple):
    """A record that must end with these values; without a key, one new record that has them."""

    table: str
    key: str | None
    values: dict[str, Scalar]
    far: bool = False  # asked for by a policy page, not by the instruction


class Want(NamedTuple):
    """One request on the rows of its world."""

    ask: Ask
    goals: tuple[Goal, ...]
    decoys: tuple[Row, ...] = ()  # records that could be taken for the right one
    mended: tuple[tuple[StatedRule, str], ...] = ()  # rules that must be kept for these rows at the end


def want_of(ask: Ask, start: State, rules: tuple[StatedRule, ...], world: World) -> Want:
    """The meaning of a request; Unclear when it names no one record, or a page that says nothing of it."""
    meaning = {
        "update": _named,
        "create": _created,
        "two_hop": _followed,
        "lookup": _copied,
        "disambiguate": _described,
        "conditional": _compared,
    }
    if ask.family in meaning:
        return meaning[ask.family](ask, start, world)
    return _ruled(ask, start, rules)


def _named(ask: Ask, start: State, world: World) -> Want:
    return Want(ask, (Goal(ask.table, _existing(ask, start, ask.table, ask.key), dict(ask.sets)),))


def _created(ask: Ask, start: State, world: World) -> Want:
    link, owner = _link(ask, start, world)
    return Want(ask, (Goal(ask.table, None, {link: owner, **dict(ask.sets)}),))


def _followed(ask: Ask, start: State, world: World) -> Want:
    table, key = ask.table, _existing(ask, start, ask.table, ask.key)
    for column in ask.path:
        key = start.get(table, key, column)
        table = str(world.layout.resource(table).column(column).ref)
        _existing(ask, start, table, key)
    decoys = [(table, k) for k in start.rows[table] if k != key]
    return Want(ask, (Goal(table, key, dict(ask.sets)),), tuple(decoys[:1]))


def _copied(ask: Ask, start: State, world: World) -> Want:
    source = _existing(ask, start, ask.table, ask.other[1] if ask.other else None)
    values = {column: start.get(ask.table, source, column) for column, _ in ask.sets}
    if None in values.values():
        raise Unclear(f"the {ask.called} copies from {source}, which holds nothing there: {values}")
    goal = Goal(ask.table, _existing(ask, start, ask.table, ask.key), values)
    return Want(ask, (goal,), ((ask.table, source),))


def _described(ask: Ask, start: State, world: World) -> Want:
    assert ask.test and ask.label is not None
    column, _, value = ask.test
    named = start.where(ask.table, **{world.layout.resource(ask.table).label: ask.label})
    return _one_of(ask, named, [k for k in named if start.get(ask.table, k, column) == value])


def _compared(ask: Ask, start: State, world: World) -> Want:
    assert ask.test
    column, op, value = ask.test
    link, owner = _link(ask, start, world)
    owned = start.where(ask.table, **{link: owner})
    cells = {key: start.get(ask.table, key, column) for key in owned}
    beyond = [k for k, c in cells.items() if c is not None and (c > value if op == ">" else c < value)]
    return _one_of(ask, owned, beyond)


def _one_of(ask: Ask, candidates: list[str], meant: list[str]) -> Want:
    if len(meant) != 1:
        raise Unclear(f"the {ask.called} with {ask.test} means {len(meant)} of {candidates}: {meant}")
    decoys = tuple((ask.table, key) for key in candidates if key != meant[0])
    return Want(ask, (Goal(ask.table, meant[0], dict(ask.sets)),), decoys)


def _link(ask: Ask, start: State, world: World) -> tuple[str, str]:
    """The one reference by which a record of the table belongs to its owner, and the owner's id."""
    assert ask.other
    table, key = ask.other
    links = [c.name for c in world.layout.resource(ask.table).columns if c.ref == table]
    if len(links) != 1:
        raise Unclear(f"a {ask.table} refers to a {table} by {links}: whose it is has {len(links)} meanings")
    return links[0], _existing(ask, start, table, key)


def _existing(ask: Ask, start: State, table: str, key: str | None) -> str:
    if key not in start.rows[table] or key is None:
        raise Unclear(f"the {ask.called} needs a {table} {key}, and there is none")
    return key


# ── what the policy pages add ─────────────────────────────────────────────────────────────────────


def _ruled(ask: Ask, start: State, rules: tuple[StatedRule, ...]) -> Want:
    """Set the trigger, or keep it, and do what the pages on it say."""
    key = _existing(ask, start, ask.table, ask.key)
    on_it = [r for r in rules if r.table == ask.table and (r.column, r.value) in ask.sets]
    if not on_it or (ask.page and ask.page not in {r.page for r in on_it}):
        raise Unclear(f"no page says what the {ask.called} asks for; cited is {ask.page}")
    goals = [Goal(ask.table, key, dict(ask.sets))] if ask.family == "propagate" else []
    if ask.family == "repair":
        kept = all(start.get(ask.table, key, column) == value for column, value in ask.sets)
        if not kept or not any(key in breakers(rule, start) for rule in on_it):
            raise Unclear(f"the {ask.called} breaks no policy on {ask.sets}")
    goals += [goal for rule in on_it for goal in _effects(rule, key, start)]
    decoys = [
        (r.target, k) for r in on_it for k in start.rows[r.target] if start.get(r.target, k, r.link) != key
    ]
    return Want(ask, tuple(goals), tuple(decoys[:1]), tuple((rule, key) for rule in on_it))


def _effects(rule: StatedRule, key: str, start: State) -> list[Goal]:
    linked = start.where(rule.target, **{rule.link: key})
    wrong = [k for k in linked if start.get(rule.target, k, rule.effect) != rule.then]
    if rule.each:
        return [Goal(rule.target, k, {rule.effect: rule.then}, far=True) for k in wrong]
    if len(wrong) < len(linked):
        return []
    if linked:
        raise Unclear(f"{rule.page} can be met for {key} by a new {rule.target} or by changing {linked}")
    return [Goal(rule.target, None, {rule.link: key, rule.effect: rule.then}, far=True)]
