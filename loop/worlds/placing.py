"""Where a goal is practised: what a brief has to ask for so that its world can hold the goal at all."""

from collections.abc import Sequence

from planet.catalog import Catalog
from planet.records.world import Brief, Difficulty


def placed(brief: Brief, catalog: Catalog) -> Brief:
    """The brief with the resources, services, industry and hops without which its goal cannot be met."""
    goal = brief.target.cells[0] if brief.target else ""
    facet, _, value = goal.partition(":")
    if facet in ("resource", "tool"):
        return brief.replace(resources=_first((value.removeprefix("update_"),), brief.resources))
    if facet in ("service", "pair"):
        return brief.replace(services=_first(value.split(">"), brief.services))
    if facet == "hops" and brief.target:
        difficulty = demanded(goal, brief.target.difficulty)
        return brief.replace(target=brief.target.replace(difficulty=difficulty))
    if facet == "industry" and brief.industry != value:
        country = f" in {catalog.country(brief.country).name}" if brief.country else ""
        title = catalog.industry(value).title
        return brief.replace(industry=value, text=f"A company{country}, in the industry: {title}.")
    return brief


def demanded(goal: str, difficulty: Difficulty) -> Difficulty:
    """A difficulty with the hops that a goal of that facet leaves no choice of."""
    facet, _, value = goal.partition(":")
    return difficulty.replace(hops=min(2, max(1, int(value)))) if facet == "hops" else difficulty


def _first(names: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*names, *others]))
