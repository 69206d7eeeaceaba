"""Two-hop: read a record, follow its reference, change what it points to."""

from planet.tasks.draft import Draft, by_id, equal, may_write, read, write, write_each
from planet.tasks.situation import Reference, Situation, column_fields, noun


def two_hop(situation: Situation) -> Draft | None:
    """`set the tier of the customer of invoice INV-0007 to gold and its region to north`"""
    chain = _chain(situation)
    if not chain:
        return None
    target = chain[-1].parent
    columns = situation.columns_to_set(target)
    start = situation.rng.choice(situation.rows(chain[0].child))
    keys = _follow(situation, chain, start["id"])
    if not columns or keys is None:
        return None
    row = next((r for r in situation.free(target) if r["id"] == keys[-1]), None)
    values = situation.new_values(target, columns, [row]) if row else None
    if not row or not values:
        return None
    change = {c.name: v for c, v in zip(columns, values, strict=True)}
    tables = [chain[0].child.name, *(link.parent.name for link in chain)]
    reads = tuple(read(f"get_{t}", id=k) for t, k in zip(tables[:-1], keys[:-1], strict=True))
    path = " of the ".join(noun(link.column) for link in reversed(chain))
    return Draft(
        family="two_hop",
        fields={"a": noun(tables[0]), "id": keys[0], "path": path, **column_fields(columns, values)},
        assertions=equal(target.name, row["id"], change),
        allowed=(may_write(target.name, row["id"], tuple(change)),),
        oracle=(*reads, write(target.name, row["id"], change)),
        alternative=(
            *reads,
            read(f"get_{target.name}", id=row["id"]),
            *write_each(target.name, row["id"], change),
        ),
        mentions=(by_id(tables[0], keys[0]),),
        links=tuple((link.child.name, link.parent.name) for link in chain),
        hops=len(chain),
    )


def _chain(situation: Situation) -> list[Reference]:
    """A path of as many references as asked for, or of one when the slice has no longer path."""
    firsts = list(situation.references)
    if not firsts:
        return []
    if situation.difficulty.hops >= 2:
        longer = [
            [a, b]
            for a in firsts
            for b in firsts
            if a.parent.name == b.child.name and a.child.name != b.parent.name
        ]
        if longer:
            return situation.rng.choice(longer)
    return [situation.rng.choice(firsts)]


def _follow(situation: Situation, chain: list[Reference], key: str) -> list[str] | None:
    """Ids along the path from `key`; None when a reference on it is empty."""
    keys = [key]
    for link in chain:
        row = next(r for r in situation.rows(link.child) if r["id"] == keys[-1])
        if row[link.column] is None:
            return None
        keys.append(row[link.column])
    return keys
