"""Conditional: of the records that refer to a named one, change the one beyond a threshold.

The comparison is made by the search tool, so that it needs no arithmetic of the agent.
"""

from planet.records.frozen import Scalar
from planet.records.task import Assertion, Edit
from planet.records.world import Column
from planet.tasks.draft import Draft, by_id, equal, may_write, read, search, write
from planet.tasks.situation import Row, Situation, column_fields, noun, said


def conditional(situation: Situation) -> Draft | None:
    """`for the invoice of customer CUS-0003 with amount above 500 set the priority to high and ...`"""
    if not situation.references:
        return None
    child, link, parent = situation.rng.choice(situation.references)
    columns = situation.columns_to_set(child)
    measures = [c for c in child.columns if c.type in ("amount", "int", "date") and c not in (columns or ())]
    owners, loose = situation.untriggered(parent), situation.untied(child, link, parent)
    if not columns or not measures or not owners or len(loose) < 2:
        return None
    owner, measure = situation.rng.choice(owners), situation.rng.choice(measures)
    moved = [r for r in situation.rng.sample(loose, 2) if r[link] != owner["id"]]
    children = [r for r in situation.rows(child) if r[link] == owner["id"]] + moved
    found = _beyond(situation, children, measure)
    if not found:
        return None
    row, threshold, above = found
    if row["id"] not in {r["id"] for r in situation.free(child)}:
        return None  # a rule binds it through another reference
    values = situation.new_values(child, columns, children)
    if not values:
        return None
    change = {c.name: v for c, v in zip(columns, values, strict=True)}
    table, key = child.name, row["id"]
    rest = next(r for r in children if r is not row)
    find = search(table, **{link: owner["id"]})
    condition = {"column": measure.name, "op": ">" if above else "<", "value": threshold}
    narrowed = find.replace(arguments={"filters": [*find.arguments["filters"], condition]})
    kept = Assertion(
        id="a3",
        kind="differs",
        table=table,
        where={"id": rest["id"]},
        column=columns[0].name,
        value=values[0],
    )
    return Draft(
        family="conditional",
        fields={
            "a": noun(table),
            "p": noun(parent.name),
            "pid": owner["id"],
            "m": noun(measure.name),
            "op": _WORDS[measure.type][above],
            "x": said(threshold),
            **column_fields(columns, values),
        },
        delta=tuple(Edit(op="set", table=table, key=r["id"], values={link: owner["id"]}) for r in moved),
        assertions=(*equal(table, key, change), kept),
        allowed=(may_write(table, key, tuple(change)),),
        oracle=(narrowed, write(table, key, change)),
        alternative=(find, read(f"get_{table}", id=key), write(table, key, change)),
        mentions=(by_id(parent.name, owner["id"]),),
        links=((table, parent.name),),
        hops=1,
    )


_WORDS = {
    "amount": {True: "above", False: "below"},
    "int": {True: "above", False: "below"},
    "date": {True: "after", False: "before"},
}


def _beyond(situation: Situation, children: list[Row], measure: Column) -> tuple[Row, Scalar, bool] | None:
    """(row, threshold, above): the one child above, or below, a value that another child has or nears."""
    ranked = sorted((r for r in children if r[measure.name] is not None), key=lambda r: r[measure.name])
    if len(ranked) < 2 or len(ranked) < len(children):
        return None
    above = situation.rng.random() < 0.5
    row, neighbour = (ranked[-1], ranked[-2]) if above else (ranked[0], ranked[1])
    low, high = sorted((row[measure.name], neighbour[measure.name]))
    if low == high:
        return None
    if measure.type == "date":
        return row, neighbour[measure.name], above  # strictly after (before) the neighbour's date
    middle = round((low + high) / 2)
    if not (low <= middle < high if above else low < middle <= high):
        return None
    return row, middle, above
