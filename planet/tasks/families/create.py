"""Create: a new record that refers to a named one."""

from planet.records.task import Assertion
from planet.records.world import Resource
from planet.tasks.draft import Draft, by_id, may_write, read, write
from planet.tasks.situation import Situation, column_fields, noun


def create(situation: Situation) -> Draft | None:
    """`create an invoice for customer CUS-0003 with priority high and channel email`"""
    options = [r for r in situation.references if _creatable(r.child, r.column)]
    if not options:
        return None
    child, link, parent = situation.rng.choice(options)
    columns = situation.columns_to_set(child)
    free = situation.untriggered(parent)  # a rule may speak of every child of a row that triggers it
    if not columns or not free:
        return None
    row = situation.rng.choice(free)
    siblings = [s for s in situation.rows(child) if s[link] == row["id"]]
    values = situation.new_values(child, columns, siblings)
    if not values:
        return None
    record = {link: row["id"], **{c.name: v for c, v in zip(columns, values, strict=True)}}
    return Draft(
        family="create",
        fields={
            "a": noun(child.name),
            "p": noun(parent.name),
            "pid": row["id"],
            **column_fields(columns, values),
        },
        assertions=_exist(child.name, link, record),
        allowed=(may_write(child.name, None),),
        oracle=(write(child.name, None, record),),
        alternative=(read(f"list_{child.name}"), write(child.name, None, dict(reversed(record.items())))),
        mentions=(by_id(parent.name, row["id"]),),
        links=((child.name, parent.name),),
    )


def _creatable(resource: Resource, link: str) -> bool:
    """Whether a new record needs nothing but the link: every other required column has a default."""
    given = {"id", resource.label, resource.status, link}
    return all(c.name in given or not c.required or c.default is not None for c in resource.columns)


def _exist(table: str, link: str, record: dict) -> tuple[Assertion, ...]:
    """A record with the whole, and one with each part, so that a half-right record earns a part."""
    parts = [{link: record[link], c: v} for c, v in record.items() if c != link]
    wheres = [*parts, dict(record)] if len(parts) > 1 else parts
    return tuple(
        Assertion(id=f"a{n}", kind="exists", table=table, where=where)
        for n, where in enumerate(wheres, start=1)
    )
