"""Validator-guided repair: a proposal that went wrong, what was found, and the proposal that was right."""

from collections.abc import Iterator

from planet.author.artifacts import Artifact, Link
from planet.author.llm.facts import proposal
from planet.author.llm.prompt import conversation, objection
from planet.author.llm.reading import read_artifact
from planet.construction.corruptions import CORRUPTIONS, OWN_CORRUPTIONS, Corrupted
from planet.construction.ground import Ground
from planet.construction.own_table import with_own_table
from planet.construction.sample import Sample, answered
from planet.errors import AuthorError
from planet.identity import stream

MOST_TRIES = 12
"""Ways of going wrong that are tried on one world before its validator is given up."""


def repairs(ground: Ground, seed: int) -> Iterator[tuple[str, Sample | None, Ground]]:
    """(validator, sample, the world it is about), for each validator that a proposal can offend.

    The sample is None where the world offers no way to go wrong; the world is a variant for V03, V04 and V12.
    """
    for name, ways in CORRUPTIONS.items():
        rng = stream(seed, "construction", name)
        yield name, _repair(name, ground, ways(ground, rng)), ground
    own = with_own_table(ground)
    for name, own_ways in OWN_CORRUPTIONS.items():
        rng = stream(seed, "construction", name)
        if own is None:
            yield name, None, ground
        else:
            yield name, _repair(name, own[0], own_ways(*own, rng)), own[0]


def _repair(validator: str, ground: Ground, ways: Iterator[Corrupted]) -> Sample | None:
    for tried, (link, wrong) in enumerate(ways):
        if tried == MOST_TRIES:
            return None
        report = _report(validator, ground, link, wrong)
        if report:
            return _sample(validator, ground, link, wrong, report)
    return None


def _report(validator: str, ground: Ground, link: Link, wrong: Artifact) -> tuple[str, ...]:
    """What the author of `link` is told; empty unless the validator is the first to find something."""
    try:
        report = ground.judged_with(link, wrong)
    except AuthorError:  # no world can be made of it, so no validator sees it
        return ()
    told = ground.told(link, report)
    return told if told and told[0].startswith(f"{validator}: ") else ()


def _sample(validator: str, ground: Ground, link: Link, wrong: Artifact, report: tuple[str, ...]) -> Sample:
    context = ground.context(link, previous=proposal(link, wrong), report=report, attempt=1)
    return Sample(
        kind="repair",
        world_id=ground.world.id,
        link=link,
        validator=validator,
        messages=answered(conversation(link, context, "bare"), proposal(link, ground.artifacts[link])),
    )


def check_repair(sample: Sample, ground: Ground) -> str | None:
    """Make both worlds that the sample tells of: why the report or the repair is not so, or None."""
    assert sample.link is not None and sample.validator is not None
    wrong, objected, right = (turn["content"] for turn in sample.messages[-3:])
    artifact = read_artifact(sample.link, wrong, len(wrong))
    report = _report(sample.validator, ground, sample.link, artifact)
    if objection(report) != objected:
        return f"{sample.validator} does not find what the sample says"
    made = ground.made_with(sample.link, read_artifact(sample.link, right, len(right)))[0].id
    return None if made == ground.world.id else f"the repair makes world {made}, not {ground.world.id}"
