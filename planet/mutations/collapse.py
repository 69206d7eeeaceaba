"""The collapse: a model states a rule with both ends in one service, and mends it from what it is told.

The model is a script. All else is as with a real one: conversation, answer, reading, validators, report.
Its first rules are wrong. From then on it knows nothing but the text of the message that it gets back.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import count
from random import Random
from typing import Any

from planet.author.artifacts import Link, RulePlan, SchemaPlan
from planet.author.llm.author import LLMAuthor
from planet.author.llm.facts import proposal
from planet.author.llm.prompt import PARTS
from planet.catalog import load_catalog
from planet.construct import construct
from planet.construction.corruptions import collapse
from planet.construction.ground import Ground, numbered_ground
from planet.expand.plans import resources_of
from planet.identity import stream
from planet.language_model.answer import Answer
from planet.records.frozen import Frozen
from planet.records.world import Profile

_WORLDS_EACH = 40
"""Worlds that are looked at for each collapse: most have no reference inside a service."""
_BOTH = re.compile(r"V08: RULE-(\d+): \w+ and \w+ both belong to service")
_WAY_OUT = re.compile(
    r"for example, when the (?P<column>\w+) of a (?P<table>\w+) is (?P<value>\w+), "
    r"the (?P<effect_column>\w+) of the (?P<effect_table>\w+) by (?P<effect_link>\w+) "
    r"is (?P<effect_value>\w+)"
)
COLUMNS = ("number", "world_id", "caught", "repaired", "proposals", "report")


class Collapse(Frozen):
    """One collapsed rule, and what became of it."""

    number: int  # of the world
    world_id: str  # of the world that was meant
    caught: bool  # V08 fired on the first proposal
    repaired: bool  # a proposal after the report made a world that passes all twelve
    proposals: int  # of the rules; 2 when the first report was enough
    report: str  # what the model was told


def collapses(wanted: int, seed: int, profile: Profile) -> list[Collapse]:
    """`wanted` collapses, in worlds in order of their number; fewer when those cannot be collapsed."""
    found: list[Collapse] = []
    for number in count():
        if len(found) == wanted or number == wanted * _WORLDS_EACH:
            return found
        ground = numbered_ground(load_catalog(None, profile), seed, number, profile)
        wrong = collapsed(ground, stream(seed, "collapse", number)) if ground else None
        if ground is not None and wrong is not None:
            found.append(_played(ground, wrong, number))
    return found


def collapsed(ground: Ground, rng: Random) -> RulePlan | None:
    """The rules of a world, one of them with both ends in one service; None when no reference allows it."""
    schema = ground.artifacts["schema"]
    assert isinstance(schema, SchemaPlan)
    service = {name: table.service for name, table in resources_of(schema, ground.catalog).items()}
    for _, plan in collapse(ground, rng):
        assert isinstance(plan, RulePlan)
        if any(service[rule.table] == service[rule.effect_table] for rule in plan.rules):
            return plan
    return None


def _played(ground: Ground, wrong: RulePlan, number: int) -> Collapse:
    model = ScriptedModel(ground, wrong)
    author = LLMAuthor("scripted", answers=None, dollars_per_million=(0.0, 0.0))
    author.endpoint = model  # type: ignore[assignment]
    made = construct(ground.brief, author, ground.catalog, ground.seed)
    tries = [attempt for attempt in made.trace.attempts if attempt.link == "rules"]
    first = made.trace.reports[0] if made.trace.reports else None
    return Collapse(
        number=number,
        world_id=ground.world.id,
        caught=first is not None and "V08" in first.fired,
        repaired=made.world is not None and len(tries) > 1,
        proposals=len(tries),
        report=tries[1].report[0] if len(tries) > 1 and tries[1].report else "",
    )


class ScriptedModel:
    """An endpoint that answers in process: the links of a world, with wrong rules; then repairs."""

    def __init__(self, ground: Ground, wrong: RulePlan) -> None:
        self.ground, self.wrong = ground, wrong

    def __call__(self, request: dict[str, Any], settings: Any, budget: Any) -> Answer:
        """The answer to a conversation."""
        messages = [message["content"] for message in request["messages"]]
        text = repaired(messages[-2], messages[-1]) if len(messages) > 2 else self._first(messages[-1])
        return Answer(text=text, characters=len(text), finish="stop", tokens_in=0, tokens_out=0, dollars=0.0)

    def _first(self, question: str) -> str:
        link: Link = next(link for link in PARTS if question.startswith(f"Propose the {PARTS[link]}"))
        return proposal(link, self.wrong if link == "rules" else self.ground.artifacts[link])


def repaired(said: str, report: str) -> str:
    """What the model says next, from its last answer and the report on it alone.

    Every rule of which the report says that both its tables belong to one service becomes the rule that the
    report gives as an example.
    """
    plan = json.loads(said)
    for line in report.splitlines():
        fault, way_out = _BOTH.search(line), _WAY_OUT.search(line)
        if fault and way_out:
            plan["rules"][int(fault[1]) - 1] |= way_out.groupdict()
    return json.dumps(plan)


def told(found: Sequence[Collapse]) -> str:
    """One sentence."""
    caught, mended = sum(c.caught for c in found), sum(c.repaired for c in found)
    once = sum(c.repaired and c.proposals == 2 for c in found)
    return (
        f"{caught:,} of {len(found):,} rules collapsed into one service were caught, and {mended:,} repaired "
        f"from the report alone, {once:,} of them at once"
    )


def rows(found: Sequence[Collapse]) -> Iterator[list[Any]]:
    """One row each, for a table."""
    return ([c.number, c.world_id, int(c.caught), int(c.repaired), c.proposals, c.report] for c in found)
