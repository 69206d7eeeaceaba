"""The admitted world that samples are made of, as artifacts; and what artifacts lead to."""

from typing import NamedTuple

from planet.author.artifacts import LINKS, Artifact, Context, Link
from planet.author.llm.reading import read_artifact
from planet.author.template import TemplateAuthor
from planet.catalog import Catalog
from planet.construct import construct, expand, findings_of
from planet.construction.scenarios import wishes, worded
from planet.errors import AuthorError, BriefError
from planet.expand.plans import artifact_faults
from planet.identity import canonical_json, seed_of
from planet.records.world import Brief, Profile, World, WorldKey
from planet.validators import ValidationReport, validate

Artifacts = dict[Link, Artifact]
_ATTEMPTS = 8
"""Briefs that are drawn for one world before it is given up."""


class Ground(NamedTuple):
    """One world that passed, and how it was proposed."""

    brief: Brief
    catalog: Catalog
    seed: int
    artifacts: Artifacts
    world: World
    key: WorldKey

    def context(self, link: Link, **fields: object) -> Context:
        """What an author sees when it proposes `link` of this world."""
        before = {other: self.artifacts[other] for other in LINKS[: LINKS.index(link)]}
        given = {"brief": self.brief, "catalog": self.catalog, "seed": self.seed, "attempt": 0}
        return Context(**{**given, "artifacts": before, **fields})  # type: ignore[arg-type]

    def made_with(self, link: Link, artifact: Artifact) -> tuple[World, WorldKey]:
        """The world with one link proposed otherwise; AuthorError when no world can be made of it."""
        changed: Artifacts = {**self.artifacts, link: artifact}
        for other in LINKS[LINKS.index(link) :]:
            faults = artifact_faults(changed[other], changed, self.catalog)
            if faults:
                raise AuthorError("; ".join(faults))
        return expand(self.brief, self.catalog, self.seed, changed)

    def judged_with(self, link: Link, artifact: Artifact) -> ValidationReport:
        """What the validators say of that world."""
        world, key = self.made_with(link, artifact)
        return validate(world, key, self.catalog)

    def told(self, link: Link, report: ValidationReport) -> tuple[str, ...]:
        """What a report says to the author of `link`."""
        return findings_of(report).get(link, ())


def ground(brief: Brief, catalog: Catalog, seed: int) -> Ground | None:
    """The template's world for the fields of a brief, which is then put into words; None when it found none.

    BriefError when there can be none.
    """
    made = construct(brief, TemplateAuthor(), catalog, seed)
    if made.world is None or made.key is None or not made.key.invariants:
        return None
    brief = worded(brief, made.world.company, catalog, seed)
    artifacts: Artifacts = {}
    for attempt in made.trace.attempts:  # the last usable proposal of a link is the one in the world
        if attempt.problem is None and attempt.artifact is not None:
            artifacts[attempt.link] = read_artifact(attempt.link, canonical_json(attempt.artifact), 0)
    return Ground(brief, catalog, seed, artifacts, made.world.replace(brief=brief), made.key)


def numbered_ground(catalog: Catalog, seed: int, number: int, profile: Profile) -> Ground | None:
    """The world of a numbered brief; briefs that the catalog cannot meet are drawn again, a few times."""
    own = seed_of(seed, "construction", number)
    for attempt in range(_ATTEMPTS):
        try:
            made = ground(wishes(catalog, seed, number, attempt, profile), catalog, own)
        except BriefError:
            continue
        if made is not None:
            return made
    return None
