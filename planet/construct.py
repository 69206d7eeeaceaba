"""Construction: an author proposes five links, expansion makes the world, twelve validators judge it.

What they find goes back to the author of the link at fault.
"""

from collections import Counter

from planet.author.artifacts import (
    LINKS,
    Artifact,
    Author,
    AuthorCost,
    Context,
    Link,
    RulePlan,
    SchemaPlan,
    SeedPlan,
)
from planet.author.template import resources_of
from planet.catalog import Catalog
from planet.errors import AuthorError
from planet.expand.rows import seed_rows
from planet.expand.rules import expand_rules, settle
from planet.records.frozen import Frozen
from planet.records.world import Brief, Company, Schema, ServiceGraph, World, WorldKey
from planet.validators import ValidationReport, validate
from planet.world.tools import tool_specs

TRIES = 3
"""Proposals per link before construction gives up."""


class Attempt(Frozen):
    """One proposal and what became of it."""

    link: Link
    attempt: int  # 0 for the first
    artifact: dict | None  # as JSON; None: the author gave no readable artifact
    report: tuple[str, ...]  # violations that the proposal answers; empty on the first try
    problem: str | None  # why no artifact could be used; None: it was used
    cost: AuthorCost


class ConstructionTrace(Frozen):
    """Every attempt of one construction, in order, and the validation of each world that was made."""

    brief: Brief
    author: str
    seed: int
    attempts: tuple[Attempt, ...]
    reports: tuple[ValidationReport, ...]

    @property
    def cost(self) -> AuthorCost:
        """The sum over all attempts."""
        return sum((a.cost for a in self.attempts), AuthorCost())

    @property
    def refused(self) -> Counter[str]:
        """Validator -> worlds on which it fired; `author` counts proposals that could not be used."""
        fired = Counter(v for report in self.reports for v in report.fired)
        unusable = sum(a.problem is not None for a in self.attempts)
        return fired + Counter({"author": unusable})


class Construction(Frozen):
    """The outcome: a world with its key, or neither."""

    world: World | None
    key: WorldKey | None
    trace: ConstructionTrace


def construct(brief: Brief, author: Author, catalog: Catalog, seed: int) -> Construction:
    """Propose, expand, validate, repair; at most TRIES proposals per link.

    Returns a construction without a world when the author did not get there; raises BriefError when the brief
    itself cannot be met.
    """
    artifacts: dict[Link, Artifact] = {}
    tries: Counter[Link] = Counter()
    attempts: list[Attempt] = []
    reports: list[ValidationReport] = []
    findings: dict[Link, tuple[str, ...]] = {}
    world, key = None, None
    while True:
        for link in LINKS:
            while link not in artifacts and tries[link] < TRIES:
                context = Context(
                    brief=brief,
                    catalog=catalog,
                    seed=seed,
                    attempt=tries[link],
                    artifacts=dict(artifacts),
                    report=findings.get(link, ()),
                )
                attempt, artifact = _propose(author, link, context)
                attempts.append(attempt)
                tries[link] += 1
                if artifact is not None:
                    artifacts[link] = artifact
                else:
                    findings[link] = (attempt.problem or "",)
            if link not in artifacts:
                break
        if len(artifacts) < len(LINKS):
            break
        faults = _judge(brief, catalog, seed, artifacts, reports)
        if isinstance(faults, tuple):
            world, key = faults
            break
        first = min(faults, key=LINKS.index)
        findings = faults
        for link in LINKS[LINKS.index(first) :]:  # later links were conditioned on the one at fault
            artifacts.pop(link, None)
            if link != first:
                tries[link] = min(tries[link], TRIES - 1)
    trace = ConstructionTrace(
        brief=brief, author=author.name, seed=seed, attempts=tuple(attempts), reports=tuple(reports)
    )
    return Construction(world=world, key=key, trace=trace)


def _propose(author: Author, link: Link, context: Context) -> tuple[Attempt, Artifact | None]:
    artifact, problem, cost = None, None, AuthorCost()
    try:
        artifact, cost = author.propose(link, context)
    except AuthorError as error:
        problem = str(error)
    return (
        Attempt(
            link=link,
            attempt=context.attempt,
            artifact=artifact.model_dump(mode="json") if artifact is not None else None,
            report=context.report,
            problem=problem,
            cost=cost,
        ),
        artifact,
    )


def _judge(
    brief: Brief,
    catalog: Catalog,
    seed: int,
    artifacts: dict[Link, Artifact],
    reports: list[ValidationReport],
) -> tuple[World, WorldKey] | dict[Link, tuple[str, ...]]:
    """The admitted world and key, or what is wrong with which link. Adds to `reports` when one was made."""
    try:
        world, key = expand(brief, catalog, seed, artifacts)
    except AuthorError as error:
        return {"rules": (str(error),)}
    report = validate(world, key, catalog)
    reports.append(report)
    if report.admitted:
        return world, key
    return {
        link: tuple(f"{v.validator}: {v.message}" for v in report.violations if v.link == link)
        for link in LINKS
        if any(v.link == link for v in report.violations)
    }


def expand(
    brief: Brief, catalog: Catalog, seed: int, artifacts: dict[Link, Artifact]
) -> tuple[World, WorldKey]:
    """The world that five artifacts describe; deterministic in them and in `seed`."""
    company, graph, schema = artifacts["company"], artifacts["graph"], artifacts["schema"]
    rows, rules = artifacts["seed"], artifacts["rules"]
    assert isinstance(company, Company) and isinstance(graph, ServiceGraph) and isinstance(schema, SchemaPlan)
    assert isinstance(rows, SeedPlan) and isinstance(rules, RulePlan)
    resources = tuple(resources_of(schema, catalog).values())
    seed_state = seed_rows(resources, rows.rows, catalog, company.country, seed)
    owners = {r.name: r.service for r in resources}
    documents, invariants = expand_rules(rules.rules, rules.distractors, resources, owners, seed)
    world = World(
        brief=brief,
        company=company,
        graph=graph,
        layout=Schema(resources=resources, tools=tool_specs(resources)),
        seed=settle(seed_state, rules.rules, resources),
        documents=documents,
        slice=schema.slice,
    )
    return world, WorldKey(world_id=world.id, invariants=invariants)
