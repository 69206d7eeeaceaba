"""What became of every brief, and the numbers that follow."""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from planet.author.artifacts import Author, AuthorCost, Link
from planet.catalog import Catalog
from planet.construct import ConstructionTrace, construct
from planet.errors import AuthorUnavailable, BriefError
from planet.identity import seed_of
from planet.records.frozen import Frozen
from planet.records.world import Brief


class Outcome(Frozen):
    """One brief: how far the author came, and what it cost."""

    number: int  # of the brief, from 0
    admitted: bool  # all twelve validators passed
    passed: int  # validators, of the last world that was made; 0: none was made
    proposals: int
    ends: tuple[tuple[str, Link], ...]  # (validator that fired at last or "author", link); empty: admitted
    fired: dict[str, int]  # validator -> worlds on the way that it refused; "author" -> unusable proposals
    problem: str | None  # the first thing that was wrong at the end, in words; None: admitted
    cost: AuthorCost


class Evaluation(Frozen):
    """One author on a list of briefs."""

    author: str
    mode: str | None  # None: the author has no modes
    briefs: int  # asked for
    outcomes: tuple[Outcome, ...]  # fewer than `briefs` when the author stopped
    stopped: str | None = None  # why it could not go on; None: it could

    @property
    def admitted(self) -> int:
        """Worlds that pass all twelve."""
        return sum(o.admitted for o in self.outcomes)

    @property
    def passed(self) -> float | None:
        """Validators passed, in the mean over the briefs; None when there are none."""
        return sum(o.passed for o in self.outcomes) / len(self.outcomes) if self.outcomes else None

    @property
    def cost(self) -> AuthorCost:
        """Of all proposals, those that led to nothing included."""
        return sum((o.cost for o in self.outcomes), AuthorCost())

    @property
    def ends(self) -> Counter[tuple[str, Link]]:
        """(validator or "author", link) -> briefs that ended there."""
        return Counter(end for outcome in self.outcomes for end in outcome.ends)

    @property
    def fired(self) -> Counter[str]:
        """Validator or "author" -> how often it refused something on the way."""
        total: Counter[str] = Counter()
        for outcome in self.outcomes:
            total.update(outcome.fired)
        return total


def traces_of(
    author: Author, briefs: Sequence[Brief], catalog: Catalog, seed: int, jobs: int = 1
) -> Iterator[ConstructionTrace]:
    """One construction per brief, in order; equal seeds ask for equal worlds whoever the author is.

    `catalog`: the whole, of which each brief's profile takes its part.
    `jobs`: threads, for an author that waits for its model. AuthorUnavailable when it cannot be asked.
    """

    def make(number: int) -> ConstructionTrace:
        brief = briefs[number]
        return _trace(brief, author, catalog.of(brief.profile), seed_of(seed, "author_eval", number))

    if jobs == 1:
        yield from map(make, range(len(briefs)))
        return
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(make, number) for number in range(len(briefs))]
        try:
            for future in waiting:
                yield future.result()
        finally:
            for future in waiting:
                future.cancel()


def _trace(brief: Brief, author: Author, catalog: Catalog, seed: int) -> ConstructionTrace:
    """A brief that this author finds no world for is its failure, as any other."""
    try:
        return construct(brief, author, catalog, seed).trace
    except BriefError:
        return ConstructionTrace(brief=brief, author=author.name, seed=seed, attempts=(), reports=())


def outcome_of(number: int, trace: ConstructionTrace) -> Outcome:
    """What a construction came to."""
    last = trace.reports[-1] if trace.reports else None
    admitted = last is not None and last.admitted
    unusable = trace.attempts[-1] if trace.attempts and trace.attempts[-1].problem else None
    ends: tuple[tuple[str, Link], ...] = (("author", "company"),)
    problem: str | None = "the brief cannot be met"
    if unusable is not None:
        ends, problem = (("author", unusable.link),), unusable.problem
    elif last is not None and last.violations:
        ends = tuple(dict.fromkeys((v.validator, v.link) for v in last.violations))
        problem = f"{last.violations[0].validator}: {last.violations[0].message}"
    return Outcome(
        number=number,
        admitted=admitted,
        passed=sum(status == "passed" for status in last.status.values()) if last else 0,
        proposals=len(trace.attempts),
        ends=() if admitted else ends,
        fired=dict(sorted(trace.refused.items())),
        problem=None if admitted else problem,
        cost=trace.cost,
    )


def evaluate(
    author: Author, mode: str | None, briefs: Sequence[Brief], traces: Iterator[ConstructionTrace]
) -> Evaluation:
    """The author's numbers, up to where its budget or its endpoint ended."""
    outcomes: list[Outcome] = []
    stopped = None
    try:
        for number, trace in enumerate(traces):
            if trace.stopped is not None:
                stopped = trace.stopped
                break
            outcomes.append(outcome_of(number, trace))
    except AuthorUnavailable as error:
        stopped = str(error)
    return Evaluation(
        author=author.name, mode=mode, briefs=len(briefs), outcomes=tuple(outcomes), stopped=stopped
    )
