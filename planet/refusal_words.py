"""What is refused on the way from a brief to a world of a pool, in words: one table for all that tell it."""

from collections.abc import Mapping
from functools import cache

ADMISSION = {
    "reserved_pair": "worlds with a pair of services that is reserved for the test",
    "unseen_industry": "worlds of the industry that is held out for the test",
    "equal_world": "worlds equal to one that exists",
    "avoided_tools": "worlds with a tool set that their brief asked to avoid",
    "avoided_schema": "worlds with a schema that their brief asked to avoid",
    "off_target": "worlds of which fewer than half of the tasks require the cell aimed at",
}
"""Rules by which a run keeps a sound world out of its pool: the last once it has tasks
(`loop.worlds.synthesis`), the others before (`loop.worlds.admission`)."""

_REASONS = {
    "author": "proposals of which no world can be made",
    "author_budget": "worlds for which the author's budget did not suffice",
    "brief": "briefs that cannot be met",
    "made before": "worlds equal to one in the folder",
    "no_draft": "drafts of tasks that their world does not afford, or that miss the goal",
    "too_few_tasks": "worlds too poor for the tasks asked for",
}


@cache
def refusal_words() -> dict[str, str]:
    """Validator, audit rule, admission rule or reason -> what it refuses."""
    from planet.tasks.audit_rules import RULES
    from planet.validators import VALIDATORS

    claims = {rule.name: f"not so: {rule.claim}" for rules in (VALIDATORS, RULES) for rule in rules}
    return {**claims, **ADMISSION, **_REASONS}


def refused_lines(counts: Mapping[str, int]) -> list[str]:
    """A line per cause of refusals, with its count and what it refuses."""
    words = refusal_words()
    lines = (f"  refused {n:>6,}  {cause:<14} {words.get(cause, '')}" for cause, n in sorted(counts.items()))
    return [line.rstrip() for line in lines]
