"""V08: rules about what the world has not, and rules inside one service."""

from collections.abc import Callable
from random import Random

from planet.construction.ground import Ground
from planet.mutations.worlds.change import Made, Way, any_rule, restated, with_table
from planet.mutations.worlds.proposed import A_PROPOSAL, proposed
from planet.records.world import Invariant


def _restated(change: Callable[[Invariant], dict[str, str]]) -> Way:
    def way(ground: Ground, rng: Random) -> Made:
        rule = any_rule(ground, rng)
        return restated(ground, rule, **change(rule))

    return way


def number_as_effect(ground: Ground, rng: Random) -> Made | None:
    """An effect on a number, a date or a truth value."""
    rule = any_rule(ground, rng)
    table = ground.world.layout.resource(rule.effect_table)
    names = [c.name for c in table.columns if c.type in ("int", "amount", "date", "bool")]
    return restated(ground, rule, effect_column=rng.choice(names)) if names else None


def loose_link(ground: Ground, rng: Random) -> Made:
    """A link that is no reference to the table of the trigger."""
    rule = any_rule(ground, rng)
    table = ground.world.layout.resource(rule.effect_table)
    names = [c.name for c in table.columns if c.ref != rule.table]
    return restated(ground, rule, effect_link=rng.choice(names))


def one_service(ground: Ground, rng: Random) -> Made:
    """Both tables of a rule given to one service."""
    rule = any_rule(ground, rng)
    table = ground.world.layout.resource(rule.effect_table)
    return with_table(
        ground, table.name, table.replace(service=ground.world.layout.resource(rule.table).service)
    )


RULES: dict[str, Way] = {
    A_PROPOSAL: proposed("V08"),
    "both tables in one service": one_service,
    "an unknown table": _restated(lambda rule: {"table": f"{rule.table}_archive"}),
    "an unknown effect table": _restated(lambda rule: {"effect_table": f"{rule.effect_table}_archive"}),
    "an unknown column": _restated(lambda rule: {"column": f"{rule.column}_of_old"}),
    "a value that the trigger cannot have": _restated(lambda rule: {"value": f"{rule.value}_again"}),
    "a value that the effect cannot have": _restated(
        lambda rule: {"effect_value": f"{rule.effect_value}_again"}
    ),
    "an effect on a number": number_as_effect,
    "a link that does not link": loose_link,
    "a rule turned round": _restated(
        lambda rule: {
            "table": rule.effect_table, "column": rule.effect_column, "value": rule.effect_value,
            "effect_table": rule.table, "effect_column": rule.column, "effect_value": rule.value,
        }
    ),
}  # fmt: skip
