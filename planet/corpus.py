"""`python -m planet.synthesize`: many worlds, each with audited tasks, in a folder.

Every world follows from its number and the command's seed alone, so the output is the same whatever the
number of processes, and an interrupted command goes on where it stopped: what the manifest holds is kept.
"""

from argparse import Namespace
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from planet.author.artifacts import Author
from planet.author.llm.author import LLMAuthor
from planet.author.llm.options import add_options, author_settings, option_given
from planet.author.load import load_author
from planet.catalog import Catalog, load_catalog
from planet.command import REFUSED, Parser, command, positive, run
from planet.construct import ConstructionTrace, check_names
from planet.errors import AuthorError, AuthorUnavailable, BriefError, BudgetSpent, StorageError
from planet.manifest import entries, has_manifest, journal
from planet.orders import Order, orders
from planet.progress import tracked
from planet.records.world import Brief
from planet.refusal_words import refused_lines
from planet.refusals import Refusal, Refusals
from planet.side_by_side import BACKENDS, side_by_side
from planet.store import write_files
from planet.synthesize import Synthesis, synthesize
from planet.traces import write_trace
from planet.world.session import forget_images


class Outcome(NamedTuple):
    """What became of an order."""

    name: str | None = None  # the world's id; None: there is none
    entry: dict[str, Any] | None = None  # what the manifest is to say of it; None: it has the world already
    refused: dict[str, int] | None = None  # validator, audit rule or reason -> count, when there is no world
    problem: str | None = None  # why its brief cannot be met, or what was wrong in the end
    stopped: str | None = None  # why the author could not go on


def main(argv: list[str] | None = None) -> int:
    """Make the worlds. Exit code 0 when there is one, 1 when all were refused, 2 for wrong use."""
    return run(_parser(), _run, argv)


def _parser() -> Parser:
    parser = command("synthesize", "Synthesize worlds with audited tasks. The same command again goes on.")
    parser.add_argument("--count", type=positive, required=True, metavar="N", help="worlds to make")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of worlds")
    parser.add_argument(
        "--profile", choices=("compact", "library"), default="compact", help="size of a world"
    )
    parser.add_argument("--author", default="template", metavar="NAME", help="template, llm, or module:Class")
    parser.add_argument("--model", metavar="NAME", help="of the author llm, as LiteLLM calls it")
    parser.add_argument("--brief", metavar="TEXT", help="the scenario in your own words")
    parser.add_argument("--country", metavar="CODE", help="ISO 3166 code, e.g. BR (default: any)")
    parser.add_argument("--industry", metavar="NAME", help="an industry of the catalog (default: any)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="default 0")
    parser.add_argument("--tasks", type=positive, default=10, metavar="N", help="tasks a world (default 10)")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes (default 1)")
    parser.add_argument("--backend", choices=BACKENDS, default="local", help="where the processes run")
    parser.add_argument("--overlay", type=Path, metavar="DIR", help="own catalog entries")
    add_options(parser)
    return parser


def _run(given: Namespace) -> int:
    catalog = load_catalog(given.overlay, given.profile)
    author = _author(given)  # an unusable one is told before anything is written
    if given.out.exists() and not given.out.is_dir():
        raise StorageError(f"{given.out} is no folder; name another with --out")
    brief = _brief(given, catalog)
    named = f"llm {author.settings.identity}" if isinstance(author, LLMAuthor) else given.author
    overlay = given.overlay.absolute() if given.overlay else None
    wanted = [*orders(brief, named, overlay, given.seed, given.tasks, given.count, catalog)]
    refused: Counter[str] = Counter()
    try:
        shared = author if isinstance(author, LLMAuthor) else None
        problem = _make_missing(wanted, catalog, given, refused, shared)
    except (KeyboardInterrupt, AuthorUnavailable):
        if _entries(given.out):
            print(f"stopped: the worlds made so far are in {given.out}; the same command goes on")
        raise
    made = _notes(given.out, {order.origin(catalog) for order in wanted})
    for entry in made:
        refused.update(entry["note"]["refused"])
    _print_summary(made, given, refused, problem)
    return 0 if made else REFUSED


def _author(given: Namespace) -> Author:
    if given.author != "llm":
        misplaced = f"--model {given.model}" if given.model else option_given(given)
        if misplaced:
            raise AuthorError(f"{misplaced} is for --author llm, not {given.author}; write one of them")
        return load_author(given.author)
    return load_author("llm", **(author_settings(given, given.model) if given.model else {}))


def _brief(given: Namespace, catalog: Catalog) -> Brief:
    """The scenario that all worlds share; prints what was understood of free text."""
    wishes = {k: v for k, v in (("country", given.country), ("industry", given.industry)) if v}
    check_names(Brief(text="", **wishes), catalog)
    if given.brief is None:
        country = f" in {catalog.country(given.country).name}" if given.country else ""
        industry = f", in the industry: {catalog.industry(given.industry).title}" if given.industry else ""
        return Brief(text=f"A company{country}{industry}.", profile=given.profile, **wishes)
    from planet.briefs import understand

    understood = understand(given.brief, catalog, given.profile)
    print(understood.sentence)
    return understood.brief.replace(**wishes)


# ── making ────────────────────────────────────────────────────────────────────────────────────────


def _make_missing(
    wanted: list[Order], catalog: Catalog, given: Namespace, refused: Counter[str], shared: Author | None
) -> str | None:
    """Make what the manifest lacks; count in `refused` what came to nothing. The last problem of a brief.

    `shared`: the author whose budget all orders share; None: each order has an author of its own.
    """
    present = {entry["note"].get("origin") for entry in _entries(given.out).values()}
    missing = [order for order in wanted if order.origin(catalog) not in present]
    problem = None
    lost = Refusals(given.out)
    with journal(given.out) as book:
        outcomes = tracked(_outcomes(missing, given, shared), "synthesizing", len(missing))
        for order, outcome in zip(missing, outcomes, strict=True):
            if outcome.stopped is not None:
                raise BudgetSpent(outcome.stopped)
            problem = outcome.problem or problem
            refused.update(outcome.refused or {})
            if outcome.refused:
                lost.note(Refusal(order.origin(catalog), outcome.refused, outcome.problem))
            if outcome.name is not None:
                if outcome.entry is None or outcome.name in book.entries:
                    refused["made before"] += 1
                else:
                    book.enter(outcome.name, outcome.entry)
            if book.entries:  # a folder without a world is not kept
                lost.save()
    return problem


def _why(trace: ConstructionTrace) -> str | None:
    """What was wrong at the end of a construction; None when a world was made, and refused later."""
    last = trace.attempts[-1] if trace.attempts else None
    if last is not None and last.problem:
        return f"the last refusal, at {last.link}: {last.problem}"
    if trace.reports and trace.reports[-1].violations:
        first = trace.reports[-1].violations[0]
        return f"the last refusal, at {first.link}: {first.validator} {first.message}"
    return None


def _entries(out: Path) -> dict[str, dict[str, Any]]:
    return entries(out) if has_manifest(out) else {}


def _outcomes(wanted: list[Order], given: Namespace, shared: Author | None) -> Iterator[Outcome]:
    """The outcome of each order, in order. An author that is shared stays in this process."""
    work = partial(carry_out, out=given.out.absolute(), shared=shared)  # a process may be elsewhere
    if shared is not None:
        return _in_threads(work, wanted, given.jobs)
    return side_by_side(work, wanted, given.jobs, given.backend)


def _in_threads(work: Callable[[Order], Outcome], wanted: list[Order], jobs: int) -> Iterator[Outcome]:
    """An author that waits for its model most of the time; its budget is counted in this process alone."""
    with ThreadPoolExecutor(jobs) as pool:
        waiting = deque(pool.submit(work, order) for order in wanted)
        try:
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def carry_out(order: Order, out: Path, shared: Author | None = None) -> Outcome:
    """Make a world and write its files; the manifest is left to the process that gave the order.

    A world that the manifest has is not written again: other tasks, or a brief in other words, would not
    match what the manifest says of it.
    """
    made = make(order) if shared is None else make(order, shared)
    if isinstance(made, str):
        return Outcome(refused={"brief": 1}, problem=made)
    origin = order.origin(load_catalog(order.overlay, order.brief.profile))
    if order.author != "template":
        write_trace(out, origin, made.trace)
    if made.world is None or made.key is None:
        return Outcome(refused=made.refused, problem=_why(made.trace), stopped=made.trace.stopped)
    # Only where it has files: the manifest changes with every world, and to read it for each would be slow.
    if (out / "worlds" / f"{made.world.id}.json").exists() and made.world.id in _entries(out):
        return Outcome(made.world.id, stopped=made.trace.stopped)
    note = {"origin": origin, "refused": made.refused, "audit_steps": made.audit_steps}
    entry = write_files(out, made.world, made.key, made.tasks, note)
    forget_images()  # a corpus is larger than memory
    return Outcome(made.world.id, entry, stopped=made.trace.stopped)


def make(order: Order, shared: Author | None = None) -> Synthesis | str:
    """One world, or why its brief cannot be met. `shared`: the author to ask; None: load the order's."""
    try:
        author = shared or load_author(order.author)
        catalog = load_catalog(order.overlay, order.brief.profile)
        return synthesize(order.brief, author, catalog, order.seed, tasks=order.tasks)
    except BriefError as error:
        return str(error)


# ── the last lines ────────────────────────────────────────────────────────────────────────────────


def _notes(out: Path, origins: set[str]) -> list[dict[str, Any]]:
    return [entry for entry in _entries(out).values() if entry["note"].get("origin") in origins]


def _print_summary(
    made: list[dict[str, Any]], given: Namespace, refused: Counter[str], problem: str | None
) -> None:
    totals = {
        part: sum(entry[part] for entry in made) for part in ("tables", "rows", "tools", "checks", "tasks")
    }
    print(
        f"{len(made)} of {given.count} worlds: {totals['tables']:,} tables, {totals['rows']:,} rows, "
        f"{totals['tools']:,} tools, {totals['checks']:,} hidden checks, {totals['tasks']:,} audited tasks"
    )
    for line in refused_lines(refused):
        print(line)
    if problem:
        print(problem)
    if made:
        first = min(_entries(given.out))
        print(f"in {given.out}; look at one with: python -m planet.inspect {given.out} {first}")
