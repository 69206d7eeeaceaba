"""`python -m planet.author_eval --model NAME --briefs FILE`: success, failures, cost, a comparison."""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from planet.author.artifacts import Author
from planet.author.llm.options import MODE, add_options, author_settings, option_given
from planet.author.load import load_author
from planet.author_eval.briefs import read_briefs
from planet.author_eval.comparison import Comparison, compare
from planet.author_eval.measure import Evaluation, evaluate, traces_of
from planet.author_eval.text import told, told_apart
from planet.catalog import Catalog, load_catalog
from planet.command import WRONG_USE, Parser, command, positive, run
from planet.construct import ConstructionTrace
from planet.errors import AuthorError
from planet.identity import canonical_json
from planet.progress import tracked
from planet.records.world import Brief
from planet.traces import write_trace
from planet.whole_file import write_whole


def main(argv: list[str] | None = None) -> int:
    """Exit code 0 when every brief was tried, 2 for wrong use or an author that cannot go on."""
    return run(_parser(), _run, argv)


def _parser() -> Parser:
    parser = command("author_eval", "How often an author makes worlds that pass, why not, and at what cost.")
    add = parser.add_argument
    add("--model", required=True, metavar="NAME", help="template, or a model as LiteLLM calls it")
    add("--briefs", type=Path, required=True, metavar="FILE", help="one a line, in words or as JSON")
    add("--against", metavar="NAME", help="another author on the same briefs")
    add("--against-mode", choices=("bare", "recipe"), help="its mode (default: that of the first)")
    add("--profile", choices=("compact", "library"), default="compact", help="of briefs in plain words")
    add("--seed", type=int, default=0, metavar="S", help="default 0")
    add("--jobs", type=positive, default=1, metavar="N", help="briefs at a time (default 1)")
    add("--overlay", type=Path, metavar="DIR", help="own catalog entries")
    add("--out", type=Path, metavar="DIR", help="folder for author_eval.json and the construction traces")
    add_options(parser)
    return parser


def _run(given: Namespace) -> int:
    option = option_given(given)
    if option and given.model == "template" and given.against in (None, "template"):
        raise AuthorError(f"{option} is for a language model, not template; leave it out or name a model")
    catalog = load_catalog(given.overlay, "library")  # each brief says which part of it is meant
    briefs = read_briefs(given.briefs, catalog, given.profile)
    authors = [_author(given.model, given, given.mode or MODE)]
    if given.against:
        authors.append(_author(given.against, given, given.against_mode or given.mode or MODE))
    done = []
    for number, (author, mode) in enumerate(authors):
        traces = traces_of(author, briefs, catalog, given.seed, given.jobs)
        done.append(evaluate(author, mode, briefs, _kept(traces, given.out, number, len(briefs))))
        print(*told(done[-1]), sep="\n", flush=True)
    comparison = compare(*done) if len(done) == 2 else None
    if len(done) == 2:
        print(told_apart(comparison, (_name(done[0]), _name(done[1]))))
    if given.out:
        _write(given.out, given.seed, briefs, catalog.of(given.profile), done, comparison)
        print(f"in {given.out / 'author_eval.json'}; every proposal is in {given.out / 'traces'}")
    return WRONG_USE if any(e.stopped for e in done) else 0


def _author(name: str, given: Namespace, mode: str) -> tuple[Author, str | None]:
    if name == "template":
        return load_author("template"), None
    return load_author("llm", **{**author_settings(given, name), "mode": mode}), mode


def _name(evaluation: Evaluation) -> str:
    return f"{evaluation.author} ({evaluation.mode})" if evaluation.mode else evaluation.author


def _kept(
    traces: Iterator[ConstructionTrace], out: Path | None, author: int, count: int
) -> Iterator[ConstructionTrace]:
    """The traces, shown as they come and written as they go by."""
    for number, trace in enumerate(tracked(traces, "authoring", count)):
        if out is not None:
            write_trace(out, f"{'ab'[author]}-{number:05d}", trace)
        yield trace


def _write(
    out: Path,
    seed: int,
    briefs: tuple[Brief, ...],
    catalog: Catalog,
    done: list[Evaluation],
    comparison: Comparison | None,
) -> None:
    content = {
        "seed": seed,
        "catalog": catalog.digest,
        "briefs": briefs,
        "evaluations": done,
        "comparison": comparison,
    }
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / "author_eval.json", f"{canonical_json(content)}\n")


if __name__ == "__main__":
    raise SystemExit(main())
