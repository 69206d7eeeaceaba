"""What a family drafts: the hidden half of a task, and the fields that its phrasings speak of."""

from typing import NamedTuple

from planet.records.frozen import Scalar
from planet.records.task import AllowedWrite, Assertion, Edit, Mention, PlannedCall
from planet.records.world import Pattern


class Draft(NamedTuple):
    """A task before it is phrased and audited."""

    family: str
    fields: dict[str, str]  # filled into a phrasing
    assertions: tuple[Assertion, ...]
    allowed: tuple[AllowedWrite, ...]
    oracle: tuple[PlannedCall, ...]
    alternative: tuple[PlannedCall, ...]
    mentions: tuple[Mention, ...]
    delta: tuple[Edit, ...] = ()
    at_stake: tuple[str, ...] = ()
    pattern: Pattern | None = None
    links: tuple[tuple[str, str], ...] = ()  # (table, table) of references followed and rules at stake
    hops: int = 0  # reads that the oracle needs


def read(tool: str, **arguments: object) -> PlannedCall:
    """A call that changes nothing."""
    return PlannedCall(tool=tool, arguments=arguments, required=False)


def search(table: str, **values: Scalar) -> PlannedCall:
    """A search by equality on the given columns."""
    filters = [{"column": c, "op": "=", "value": v} for c, v in values.items()]
    return PlannedCall(tool=f"search_{table}", arguments={"filters": filters}, required=False)


def write(table: str, key: str | None, values: dict[str, Scalar]) -> PlannedCall:
    """An update of the row `key`, or the creation of a row when `key` is None."""
    arguments = dict(values) if key is None else {"id": key, **values}
    return PlannedCall(tool=f"update_{table}", arguments=arguments, required=True)


def write_each(table: str, key: str, values: dict[str, Scalar]) -> tuple[PlannedCall, ...]:
    """The same update column by column."""
    return tuple(write(table, key, {column: value}) for column, value in values.items())


def equal(table: str, key: str, values: dict[str, Scalar], first: int = 1) -> tuple[Assertion, ...]:
    """One `equals` assertion per column, numbered from `first`."""
    return tuple(
        Assertion(id=f"a{n}", kind="equals", table=table, where={"id": key}, column=column, value=value)
        for n, (column, value) in enumerate(values.items(), start=first)
    )


def by_id(table: str, key: str) -> Mention:
    """A record that the instruction names by its id."""
    return Mention(table=table, where={"id": key})


def may_write(table: str, key: str | None, columns: tuple[str, ...] = ()) -> AllowedWrite:
    """Columns of a row, or a created row, that a correct solution may write."""
    return AllowedWrite(table=table, key=key, columns=columns)
