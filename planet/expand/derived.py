"""Tables that come with others, without tools: positions of a bill, the history of a record, links of two.

An author names them in three words; their columns follow from the tables that they belong to.
"""

from typing import Literal

from planet.records.frozen import Frozen
from planet.records.world import Column, Resource

DerivedKind = Literal["positions", "history", "link"]
OWNERS: dict[DerivedKind, int] = {"positions": 1, "history": 1, "link": 2}
"""How many tables a derived one belongs to."""

_ID = Column(name="id", type="id", required=True, unique=True)


class Derived(Frozen):
    """One derived table as an author names it."""

    kind: DerivedKind
    of: tuple[str, ...]  # one table; two for a link

    @property
    def name(self) -> str:
        """The table's name, e.g. `invoice_history`."""
        return "_".join((*self.of, self.kind))


def derived_table(plan: Derived, owners: tuple[Resource, ...], number: int) -> Resource:
    """The table; `number` tells links apart, 0 to 25. It belongs to the service of its first owner."""
    first = owners[0]
    make = {"positions": _positions, "history": _history, "link": _link}[plan.kind]
    columns = make(first)
    letters = {"positions": f"{first.prefix[:3]}P", "history": f"{first.prefix[:3]}H"}
    noun = " and ".join(owner.name.replace("_", " ") for owner in owners)
    return Resource(
        name=plan.name,
        service=first.service,
        description=f"{plan.kind.capitalize()} of {noun} records.",
        prefix=letters.get(plan.kind, f"LNK{chr(ord('A') + number % 26)}"),
        label="name",
        status="status",
        columns=(_ID, *columns, *(_owner(owner) for owner in owners)),
        tools=False,
    )


def _owner(owner: Resource) -> Column:
    return Column(name=f"{owner.name}_id", type="ref", required=True, ref=owner.name)


def _positions(owner: Resource) -> tuple[Column, ...]:
    price = Column(name="unit_price", type="amount", unit="currency", low=2.0, high=400.0)
    return (
        Column(name="name", type="text", required=True, pool="product"),
        Column(name="status", type="enum", required=True, values=("open", "delivered", "cancelled")),
        Column(name="pieces", type="int", unit="pieces", low=1.0, high=60.0),
        price,
        price.replace(name="line_total", high=24_000.0),
        Column(name="position_date", type="date"),
    )


def _history(owner: Resource) -> tuple[Column, ...]:
    values = owner.column(owner.status).values
    return (
        Column(name="name", type="text", required=True, pool="person"),
        Column(name="status", type="enum", required=True, values=values),
        Column(name="earlier", type="enum", values=values),
        Column(name="record_date", type="date"),
        Column(name="remark", type="text", pool="chore"),
    )


def _link(owner: Resource) -> tuple[Column, ...]:
    return (
        Column(name="name", type="text", required=True, pool="subject"),
        Column(name="status", type="enum", required=True, values=("proposed", "active", "ended")),
        Column(name="weight", type="int", unit="percent", low=1.0, high=100.0),
        Column(name="register_date", type="date"),
        Column(name="end_date", type="date"),
    )
