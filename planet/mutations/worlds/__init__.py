"""Ways to corrupt a sound world, by the validator that has to see them."""

from planet.mutations.worlds.change import Way
from planet.mutations.worlds.checks import CHECKS
from planet.mutations.worlds.company import COMPANY
from planet.mutations.worlds.execution import EXECUTION
from planet.mutations.worlds.graph import GRAPH
from planet.mutations.worlds.links import LINKS
from planet.mutations.worlds.pages import PAGES
from planet.mutations.worlds.probes import PROBES
from planet.mutations.worlds.references import REFERENCES
from planet.mutations.worlds.rows import ROWS
from planet.mutations.worlds.rules import RULES
from planet.mutations.worlds.tables import TABLES
from planet.mutations.worlds.tools import TOOLS

WORLD_WAYS: dict[str, dict[str, Way]] = {
    "V01": COMPANY,
    "V02": GRAPH,
    "V03": TABLES,
    "V04": REFERENCES,
    "V05": TOOLS,
    "V06": ROWS,
    "V07": LINKS,
    "V08": RULES,
    "V09": CHECKS,
    "V10": PROBES,
    "V11": PAGES,
    "V12": EXECUTION,
}
"""Validator -> name of a way -> the way."""
