"""Construction: an author proposes five links, expansion makes the world, twelve validators judge it.

What they find goes back to the author of the link at fault.
"""

from collections import Counter
from typing import Any

from planet.author.artifacts import (
    ARTIFACTS,
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
from planet.catalog import Catalog
from planet.errors import AuthorError, BriefError, BudgetSpent, CatalogError
from planet.expand.currencies import priced
from planet.expand.plans import artifact_faults, resources_of
from planet.expand.records import dated, record_rows
from planet.expand.rows import seed_rows
from planet.expand.rules import Rule, expand_rules, settle
from planet.identity import canonical_json
from planet.records.frozen import Frozen
from planet.records.world import (
    Brief,
    Company,
    Resource,
    SeedState,
    ServiceGraph,
    World,
    WorldKey,
)
from planet.validators import ValidationReport, validate
from planet.world.specs import layout_of

TRIES = 3
"""Proposals per link before construction gives up."""


class Attempt(Frozen):
    """One proposal and what became of it."""

    link: Link
    attempt: int  # 0 for the first
    artifact: dict | None  # as JSON; None: the author gave no readable artifact
    answer: str | None = None  # the author's text where no artifact could be read; None: there is none
    report: tuple[str, ...]  # violations that the proposal answers; empty on the first try
    problem: str | None  # why no artifact could be used; None: it was used
    cost: AuthorCost

    @property
    def text(self) -> str:
        """What was proposed, as text; empty when the author said nothing."""
        return canonical_json(self.artifact) if self.artifact is not None else self.answer or ""


class ConstructionTrace(Frozen):
    """Every attempt of one construction, in order, and the validation of each world that was made."""

    brief: Brief
    author: str
    seed: int
    attempts: tuple[Attempt, ...]
    reports: tuple[ValidationReport, ...]
    stopped: str | None = None  # why the author could not go on; None: it could

    @property
    def cost(self) -> AuthorCost:
        """The sum over all attempts."""
        return sum((a.cost for a in self.attempts), AuthorCost())

    @property
    def valid(self) -> bool:
        """Whether the newest world passed every validator."""
        return bool(self.reports) and self.reports[-1].admitted

    @property
    def refused(self) -> Counter[str]:
        """Validator -> worlds on which it fired; `author` counts proposals that could not be used.

        `author_budget`: the author stopped because what it may spend is spent.
        """
        fired = Counter(v for report in self.reports for v in report.fired)
        unusable = sum(a.problem is not None for a in self.attempts)
        return fired + Counter({"author": unusable, "author_budget": int(self.stopped is not None)})


class Construction(Frozen):
    """The outcome: a world with its key, or neither."""

    world: World | None
    key: WorldKey | None
    trace: ConstructionTrace


def construct(brief: Brief, author: Author, catalog: Catalog, seed: int) -> Construction:
    """Propose, expand, validate, repair.

    A link has TRIES proposals, and one more each time that a link before it was changed. Returns a
    construction without a world when the author did not get there, or when its budget is spent; BriefError
    when the brief cannot be met, AuthorUnavailable when the author cannot be asked.
    """
    check_names(brief, catalog)
    site = _Site(brief, author, catalog, seed)
    made = None
    while made is None and site.propose_missing():
        made = site.judge()
    world, key = made or (None, None)
    return Construction(world=world, key=key, trace=site.trace())


def check_names(brief: Brief, catalog: Catalog) -> None:
    """BriefError when the brief names what the catalog has not got."""
    try:
        if brief.industry:
            catalog.industry(brief.industry)
        if brief.country:
            catalog.country(brief.country)
        for kind in brief.services:
            catalog.service(kind)
        resources = [catalog.resource(name) for name in brief.resources]
    except CatalogError as error:
        raise BriefError(f"the brief cannot be met: {error}") from error
    bare = [r.name for r in resources if not r.tools]
    if bare:
        raise BriefError(f"the brief asks for {bare[0]!r} in the slice, but it has no tools; leave it out")


class _Site:
    """One construction as it goes on."""

    def __init__(self, brief: Brief, author: Author, catalog: Catalog, seed: int) -> None:
        self.brief, self.author, self.catalog, self.seed = brief, author, catalog, seed
        self.artifacts: dict[Link, Artifact] = {}
        self.tries: Counter[Link] = Counter()
        self.attempts: list[Attempt] = []
        self.reports: list[ValidationReport] = []
        self.findings: dict[Link, tuple[str, ...]] = {}
        self.said: dict[Link, str] = {}  # the newest proposal for each link, as text
        self.stopped: str | None = None

    def propose_missing(self) -> bool:
        """Have every missing link proposed, in order; False when tries or budget are used up."""
        for link in LINKS:
            while link not in self.artifacts:
                if self.tries[link] >= TRIES:
                    return False
                try:
                    self._propose(link)
                except BudgetSpent as error:
                    self.stopped = str(error)
                    return False
        return True

    def _propose(self, link: Link) -> None:
        context = Context(
            brief=self.brief,
            catalog=self.catalog,
            seed=self.seed,
            attempt=self.tries[link],
            artifacts=dict(self.artifacts),
            report=self.findings.get(link, ()),
            previous=self.said.get(link),
        )
        attempt, artifact = _propose(self.author, link, context)
        self.attempts.append(attempt)
        self.tries[link] += 1
        self.said[link] = attempt.text
        if artifact is not None:
            self.artifacts[link] = artifact
        else:
            self.findings[link] = (str(attempt.problem),)

    def judge(self) -> tuple[World, WorldKey] | None:
        """The world and key when all validators pass; else None, with the faulty links taken away."""
        world, key = expand(self.brief, self.catalog, self.seed, self.artifacts)
        report = validate(world, key, self.catalog)
        self.reports.append(report)
        if report.admitted:
            return world, key
        self.findings = findings_of(report)
        first = min(self.findings, key=LINKS.index)
        for link in LINKS[LINKS.index(first) :]:  # later links were proposed given it
            self.artifacts.pop(link, None)
            if link != first:
                self.tries[link] = min(self.tries[link], TRIES - 1)
        return None

    def trace(self) -> ConstructionTrace:
        """What has happened so far."""
        return ConstructionTrace(
            brief=self.brief,
            author=self.author.name,
            seed=self.seed,
            attempts=tuple(self.attempts),
            reports=tuple(self.reports),
            stopped=self.stopped,
        )


def findings_of(report: ValidationReport) -> dict[Link, tuple[str, ...]]:
    """What a report says to the author of each link at fault, link by link in order."""
    by_link: dict[Link, list[str]] = {}
    for violation in report.violations:
        by_link.setdefault(violation.link, []).append(f"{violation.validator}: {violation.message}")
    return {link: tuple(by_link[link]) for link in LINKS if link in by_link}


def _propose(author: Author, link: Link, context: Context) -> tuple[Attempt, Artifact | None]:
    """The attempt, and its artifact when a world can be made of it."""
    artifact, problem, cost, answer = None, None, AuthorCost(), None
    try:
        artifact, cost, problem = _read(author.propose(link, context), link)
    except AuthorError as error:
        problem, cost, answer = str(error), error.cost or AuthorCost(), error.answer
    if artifact is not None and problem is None:
        problem = "; ".join(artifact_faults(artifact, context.artifacts, context.catalog)) or None
    attempt = Attempt(
        link=link,
        attempt=context.attempt,
        artifact=artifact.model_dump(mode="json") if artifact is not None else None,
        answer=answer,
        report=context.report,
        problem=problem,
        cost=cost,
    )
    return attempt, artifact if problem is None else None


def _read(answer: Any, link: Link) -> tuple[Any, AuthorCost, str | None]:
    """Artifact (None: no record), cost and problem of what an author of anybody's returned for a link."""
    wanted = ARTIFACTS[link].__name__
    if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[1], AuthorCost):
        return None, AuthorCost(), f"{link} was not proposed as a pair; return {wanted} and AuthorCost"
    artifact, cost = answer
    if isinstance(artifact, ARTIFACTS[link]):
        return artifact, cost, None
    problem = f"{link} was proposed as {type(artifact).__name__}; propose {wanted}"
    return artifact if isinstance(artifact, Frozen) else None, cost, problem


def expand(
    brief: Brief, catalog: Catalog, seed: int, artifacts: dict[Link, Artifact]
) -> tuple[World, WorldKey]:
    """The world that five artifacts describe; deterministic in them and in `seed`."""
    company, graph, schema = artifacts["company"], artifacts["graph"], artifacts["schema"]
    rows, rules = artifacts["seed"], artifacts["rules"]
    assert isinstance(company, Company) and isinstance(graph, ServiceGraph) and isinstance(schema, SchemaPlan)
    assert isinstance(rows, SeedPlan) and isinstance(rules, RulePlan)
    resources = tuple(resources_of(schema, catalog).values())
    if brief.profile == "library":
        resources = priced(resources, company.currency)
    seed_state = _seed_state(brief, resources, rows.rows, rules.rules, company, catalog, seed)
    owners = {r.name: r.service for r in resources}
    documents, invariants = expand_rules(rules.rules, rules.distractors, resources, owners, seed)
    world = World(
        brief=brief,
        company=company,
        graph=graph,
        layout=layout_of(resources),
        seed=seed_state,
        documents=documents,
        slice=schema.slice,
    )
    return world, WorldKey(world_id=world.id, invariants=invariants)


def _seed_state(
    brief: Brief,
    resources: tuple[Resource, ...],
    counts: dict[str, int],
    rules: tuple[Rule, ...],
    company: Company,
    catalog: Catalog,
    seed: int,
) -> SeedState:
    """Rows that obey every rule: cell by cell in a compact world, whole records in a library world."""
    if brief.profile == "compact":
        return settle(seed_rows(resources, counts, catalog, company.country, seed), rules, resources)
    state = record_rows(resources, counts, catalog, company, seed)
    return dated(settle(state, rules, resources), resources, seed)
