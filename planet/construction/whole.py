"""Brief -> world, and one stage of it: proposals that lead to an admitted world."""

from planet.author.artifacts import LINKS
from planet.author.llm.facts import proposal, so_far
from planet.author.llm.prompt import brief_fields, conversation, message
from planet.author.llm.reading import read_artifact, read_object
from planet.construct import expand
from planet.construction.ground import Artifacts, Ground
from planet.construction.sample import Sample, answered
from planet.identity import canonical_json
from planet.validators import validate

SYSTEM = (
    "You design small simulated companies that run. From a brief, answer with one JSON object that holds the "
    "five parts of a company under company, graph, schema, seed and rules, and with nothing else."
)


def whole(ground: Ground) -> Sample:
    """All five links from the brief alone."""
    asked = [message("system", SYSTEM), message("user", canonical_json(brief_fields(ground.brief)))]
    return Sample(
        kind="brief_to_world",
        world_id=ground.world.id,
        link=None,
        validator=None,
        messages=answered(asked, canonical_json(so_far(ground.artifacts))),
    )


def check_whole(sample: Sample, ground: Ground) -> str | None:
    """Make the world that the sample's last turn says; why it is not the admitted one, or None."""
    parts = read_object(sample.answer)
    artifacts: Artifacts = {link: read_artifact(link, canonical_json(parts[link]), 0) for link in LINKS}
    world, key = expand(ground.brief, ground.catalog, ground.seed, artifacts)
    if world.id != ground.world.id:
        return f"it makes world {world.id}, not {ground.world.id}"
    fired = validate(world, key, ground.catalog).fired
    return f"{', '.join(fired)} refuse it" if fired else None


def stages(ground: Ground) -> list[Sample]:
    """Each link from the brief and the links before it, as a model in mode bare is asked for it."""
    return [
        Sample(
            kind="stage",
            world_id=ground.world.id,
            link=link,
            validator=None,
            messages=answered(
                conversation(link, ground.context(link), "bare"), proposal(link, ground.artifacts[link])
            ),
        )
        for link in LINKS
    ]


def check_stage(sample: Sample, ground: Ground) -> str | None:
    """Make the world with the sample's link; why it is not the admitted one, or None."""
    assert sample.link is not None
    artifact = read_artifact(sample.link, sample.answer, len(sample.answer))
    made = ground.made_with(sample.link, artifact)[0].id
    return None if made == ground.world.id else f"it makes world {made}, not {ground.world.id}"
