"""Task families: functions from a situation to a draft, or None when the situation does not afford it."""

from collections.abc import Callable

from planet.tasks.draft import Draft
from planet.tasks.families.conditional import conditional
from planet.tasks.families.create import create
from planet.tasks.families.disambiguate import disambiguate
from planet.tasks.families.lookup import lookup
from planet.tasks.families.policy import propagate, repair
from planet.tasks.families.two_hop import two_hop
from planet.tasks.families.update import update
from planet.tasks.situation import Situation

Family = Callable[[Situation], Draft | None]

FAMILIES: dict[str, Family] = {
    "update": update,
    "create": create,
    "two_hop": two_hop,
    "lookup": lookup,
    "disambiguate": disambiguate,
    "conditional": conditional,
    "propagate": propagate,
    "repair": repair,
}

__all__ = ["FAMILIES", "Family"]
