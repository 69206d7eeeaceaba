"""Look up then act: copy what another record holds."""

from planet.tasks.draft import Draft, by_id, equal, may_write, read, write, write_each
from planet.tasks.situation import Situation, noun


def lookup(situation: Situation) -> Draft | None:
    """`give invoice INV-0007 the same priority and due date as invoice INV-0002`"""
    resource = situation.rng.choice(situation.offered)
    columns = situation.columns_to_set(resource)
    free = situation.free(resource)
    if not columns or not free:
        return None
    target = situation.rng.choice(free)
    names = [c.name for c in columns]
    barred = {n: {None, target[n], *situation.triggers(resource, n)} for n in names}
    sources = [r for r in situation.rows(resource) if all(r[n] not in barred[n] for n in names)]
    if not sources:
        return None
    source = situation.rng.choice(sources)
    change = {n: source[n] for n in names}
    table, key = resource.name, target["id"]
    look = read(f"get_{table}", id=source["id"])
    return Draft(
        family="lookup",
        fields={
            "a": noun(table),
            "id": key,
            "id2": source["id"],
            **{f"c{number}": noun(name) for number, name in enumerate(names, start=1)},
        },
        assertions=equal(table, key, change),
        allowed=(may_write(table, key, tuple(change)),),
        oracle=(look, write(table, key, change)),
        alternative=(read(f"get_{table}", id=key), look, *write_each(table, key, change)),
        mentions=(by_id(table, key), by_id(table, source["id"])),
        hops=1,
    )
