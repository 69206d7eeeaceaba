"""Samples from what an author really did: the traces that `planet.synthesize` keeps beside its worlds.

Only a construction that ended in an admitted world teaches something: its last proposal of each link is
right, and where one came after a refusal, what was refused and why stands before it.
"""

import re

from planet.author.artifacts import LINKS
from planet.author.llm.facts import proposal
from planet.author.llm.prompt import conversation
from planet.author.llm.reading import read_artifact
from planet.catalog import Catalog
from planet.construct import Attempt, ConstructionTrace, expand
from planet.construction.ground import Artifacts, Ground
from planet.construction.sample import Sample, answered
from planet.construction.whole import check_stage, check_whole, whole

_VALIDATOR = re.compile(r"V\d\d(?=: )")


def samples_of(trace: ConstructionTrace, catalog: Catalog) -> list[tuple[Sample, str | None]]:
    """(sample, what is wrong with it): an admitted world as a whole, and its five links; [] if refused.

    `catalog`: the one that the world was made from.
    """
    if not trace.reports or not trace.reports[-1].admitted:
        return []
    artifacts: Artifacts = {}
    for attempt in trace.attempts:  # the last usable proposal of a link is the one in the world
        if attempt.problem is None:
            artifacts[attempt.link] = read_artifact(attempt.link, attempt.text, 0)
    world, key = expand(trace.brief, catalog, trace.seed, artifacts)
    made = Ground(trace.brief, catalog, trace.seed, artifacts, world, key)
    whole_world = whole(made)
    links = [_link([a for a in trace.attempts if a.link == link], made) for link in LINKS]
    return [(whole_world, check_whole(whole_world, made)), *((s, check_stage(s, made)) for s in links)]


def _link(attempts: list[Attempt], ground: Ground) -> Sample:
    """The last proposal of a link, with the one before it and what was found where there is one."""
    last, link = attempts[-1], attempts[-1].link
    previous = attempts[-2].text if len(attempts) > 1 else None
    context = ground.context(link, previous=previous, report=last.report, attempt=last.attempt)
    repaired = previous is not None and bool(last.report)
    found = _VALIDATOR.match(last.report[0]) if repaired else None
    return Sample(
        kind="repair" if repaired else "stage",
        world_id=ground.world.id,
        link=link,
        validator=(found.group() if found else "author") if repaired else None,
        messages=answered(conversation(link, context, "bare"), proposal(link, ground.artifacts[link])),
    )
