"""An instruction in the world's own names: one `Ask` for each of its requests."""

from typing import NamedTuple

from planet.records.frozen import Scalar
from planet.records.world import Column, Resource, World
from tests.planet.second_checker.grammar import JOINS, Words, noun, sayings, spaced, words_of


class Unclear(Exception):
    """An instruction that means nothing, or more than one thing, in its world."""


class Ask(NamedTuple):
    """One request. Which fields are filled follows from the family."""

    family: str
    table: str  # of the record that is named or described; of a creation, of the new record
    key: str | None  # the record's id; None: it is described, or new
    sets: tuple[tuple[str, Scalar], ...]  # column, value; of a look-up without value; of a repair it stays
    other: tuple[str, str] | None = None  # (table, id) of the record it belongs to, or is copied from
    path: tuple[str, ...] = ()  # references to follow, the first one first
    label: str | None = None  # the name by which it is called
    test: tuple[str, str, Scalar] | None = None  # (column, op, value) that singles the record out
    page: str | None = None  # the policy page that is cited

    @property
    def called(self) -> str:
        """For messages."""
        return f"{self.family} of {self.table} {self.key or ''}".strip()


class Reader:
    """Reads the instructions of one world."""

    def __init__(self, world: World) -> None:
        self.world, self.sayings = world, sayings(world)

    def read(self, instruction: str) -> tuple[Ask, ...]:
        """Its requests in order; Unclear when it can be read in no way, or in more than one."""
        readings = list(dict.fromkeys(self._readings(instruction)))
        if len(readings) != 1:
            raise Unclear(f"{len(readings)} readings of {instruction!r}: {readings}")
        return readings[0]

    def _readings(self, text: str) -> list[tuple[Ask, ...]]:
        found: list[tuple[Ask, ...]] = [(ask,) for ask in self._single(text)]
        for join in JOINS:
            place = text.find(join)
            while place >= 0:
                first = self._single(text[:place])
                rest = self._readings(text[place + len(join) :]) if first else []
                found += [(one, *others) for one in first for others in rest]
                place = text.find(join, place + 1)
        return found

    def _single(self, text: str) -> list[Ask]:
        hits = ((family, pattern.fullmatch(text)) for family, pattern in self.sayings)
        asks = (_ask(family, words_of(hit), self.world) for family, hit in hits if hit)
        return [ask for ask in asks if ask is not None]


def _ask(family: str, words: Words, world: World) -> Ask | None:
    """The request in names; None when the words do not belong together."""
    if any(len(set(words.get(place, ()))) > 1 for place in ("A", "P", "ID", *("C" * (family == "repair")))):
        return None
    table = _table(words["A"][0], world)
    way = _path(table, words.get("L", []), world)
    if way is None:
        return None
    path, last = way
    columns = words["C"][:1] if family == "repair" else words["C"]
    sets = _sets(last, columns, words.get("V"))
    test = _test(table, words)
    if sets is None or (test is None and {"D", "M"} & words.keys()):
        return None
    owned = family in ("create", "conditional")
    owner = _table(words["P"][0], world).name if owned else table.name
    other = words["ID"][0] if owned else words.get("FROM", [None])[0]
    return Ask(
        family=family,
        table=table.name,
        key=None if owned or family == "disambiguate" else words["ID"][0],
        sets=sets,
        other=(owner, other) if other else None,
        path=path,
        label=words["LABEL"][0][1:-1] if "LABEL" in words else None,
        test=test,
        page=words.get("DOC", [None])[0],
    )


def _table(text: str, world: World) -> Resource:
    return next(r for r in world.layout.resources if spaced(r.name) == text)


def _path(table: Resource, links: list[str], world: World) -> tuple[tuple[str, ...], Resource] | None:
    """References from `table`, and the table at their end; "the b of the a" goes by a first."""
    path = []
    for text in reversed(links):
        column = next((c for c in table.columns if c.ref and noun(c.name) == text), None)
        if column is None or column.ref is None:
            return None
        path.append(column.name)
        table = world.layout.resource(column.ref)
    return tuple(path), table


def _sets(
    table: Resource, columns: list[str], texts: list[str] | None
) -> tuple[tuple[str, Scalar], ...] | None:
    """Columns with their values; with None where the value stands in another record."""
    found: list[tuple[str, Scalar]] = []
    for number, text in enumerate(columns):
        column = next((c for c in table.columns if noun(c.name) == text and not c.ref), None)
        if column is None:
            return None
        value = value_of(column, texts[number]) if texts is not None else None
        if texts is not None and value is None:
            return None
        found.append((column.name, value))
    return tuple(found)


def _test(table: Resource, words: Words) -> tuple[str, str, Scalar] | None:
    """What singles a record out among others: a detail, or a threshold."""
    text = (words.get("D") or words.get("M") or [""])[0]
    column = next((c for c in table.columns if noun(c.name) == text and not c.ref), None)
    value = value_of(column, (words.get("X") or words.get("N") or [""])[0]) if column else None
    if column is None or value is None:
        return None
    return (
        column.name,
        {"above": ">", "after": ">"}.get(words.get("OP", ["="])[0], "=<"["OP" in words]),
        value,
    )


def value_of(column: Column, text: str) -> Scalar:
    """What words mean as a value of the column; None when they mean none."""
    if column.type == "enum":
        return next((v for v in column.values if spaced(v) == text), None)
    if column.type == "text":
        return text[1:-1] if text.startswith('"') else None
    if column.type == "date":
        return text if len(text) == 10 and text.count("-") == 2 else None
    if column.type in ("int", "amount") and text.replace(".", "", 1).removeprefix("-").isdigit():
        return float(text) if column.type == "amount" else int(text)
    return None
