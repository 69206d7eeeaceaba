"""`python -m planet.construction --count N --seed S --out DIR`: training samples for authors, as JSON lines.

    DIR/brief_to_world.jsonl   one per world: the whole company from its brief
    DIR/stage.jsonl            five per world: each link from the brief and the links before it
    DIR/repair.jsonl           up to twelve per world: one finding of each validator, and the repair
    DIR/intent_to_diff.jsonl   one per task: the changes of the state that a request asks for
    DIR/manifest.json          counts, and the digest of each file

Every sample is carried out before it is written. The files stand under other names until all of them are
whole; the same command gives the same bytes, whatever the number of processes.
"""

import hashlib
import json
import os
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from planet.catalog import Catalog, load_catalog
from planet.command import REFUSED, Parser, command, positive, run
from planet.construction.from_traces import samples_of
from planet.construction.produce import Produced, Wish, produce
from planet.construction.sample import KINDS, Kind
from planet.errors import AuthorError, StorageError
from planet.progress import tracked
from planet.side_by_side import side_by_side
from planet.traces import read_traces
from planet.whole_file import write_whole

DEFAULTS: dict[str, Any] = {"seed": 0, "profile": "compact", "tasks": 2, "jobs": 1}
"""Of the options that say what worlds are made; with --traces the worlds are there."""


def main(argv: list[str] | None = None) -> int:
    """Exit code 0 when every sample stood its check, 1 when one did not, 2 for wrong use."""
    return run(_parser(), _run, argv)


def _parser() -> Parser:
    parser = command("construction", "Training samples for authors in chat format, each of them carried out.")
    add = parser.add_argument
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--count", type=positive, metavar="N", help="worlds to make samples of")
    source.add_argument(
        "--traces", type=Path, metavar="DIR", help="worlds of an own author: samples of its traces"
    )
    add("--out", type=Path, required=True, metavar="DIR", help="folder for the files")
    add("--seed", type=int, metavar="S", help="with --count; default 0")
    add("--profile", choices=("compact", "library"), help="size of a world, with --count; default compact")
    add("--tasks", type=positive, metavar="N", help="requests a world, with --count; default 2")
    add("--jobs", type=positive, metavar="N", help="processes, with --count; default 1")
    add("--overlay", type=Path, metavar="DIR", help="own catalog entries")
    return parser


def _run(given: Namespace) -> int:
    _refuse_unused(given)
    catalog = load_catalog(given.overlay, "library")
    if given.out.exists() and not given.out.is_dir():
        raise StorageError(f"{given.out} is no folder; name another with --out")
    if given.traces:
        made_by: dict[str, Any] = {"traces": str(given.traces)}
        worlds = _from_traces(given.traces, catalog)
    else:
        asked = {name: getattr(given, name) or value for name, value in DEFAULTS.items()}
        seed, profile, tasks, jobs = (asked[name] for name in ("seed", "profile", "tasks", "jobs"))
        made_by = {"count": given.count, "seed": seed, "profile": profile, "tasks": tasks}
        catalog = catalog.of(profile)
        wishes = [Wish(seed, n, profile, tasks, given.overlay) for n in range(given.count)]
        worlds = tracked(side_by_side(produce, wishes, jobs), "constructing", given.count)
    with _Files(given.out) as files:
        missing: Counter[str] = Counter()
        wrong: list[str] = []
        for made in worlds:
            for sample in made.samples:
                files.write(sample.kind, sample.line())
            missing.update(made.missing)
            wrong += made.wrong
        files.close({**made_by, "catalog": catalog.digest, "missing": dict(sorted(missing.items()))})
    _tell(files.counts, missing, wrong, given.out)
    return REFUSED if wrong else 0


def _refuse_unused(given: Namespace) -> None:
    unused = next((name for name in DEFAULTS if given.traces and getattr(given, name) is not None), None)
    if unused:
        raise AuthorError(f"--{unused} is for --count: a trace says what its world was; leave it out")


def _from_traces(folder: Path, catalog: Catalog) -> Iterator[Produced]:
    """What each construction of an author gave; refused ones give nothing. `catalog`: all of it."""
    traces = 0
    for trace in read_traces(folder):
        traces += 1
        found = samples_of(trace, catalog.of(trace.brief.profile))
        right = [sample for sample, problem in found if problem is None]
        wrong = [f"{s.kind} of world {s.world_id}: {problem}" for s, problem in found if problem is not None]
        yield Produced(right, Counter() if found else Counter(world=1), wrong)
    if not traces:
        raise StorageError(
            f"{folder} holds no construction traces; make some with planet.synthesize --author llm"
        )


class _Files:
    """One file per kind, written as samples come, under their names once all are whole."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.counts: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
        self._digests = {kind: hashlib.sha256() for kind in KINDS}
        self._stack = ExitStack()
        self._open: dict[str, Any] = {}

    def __enter__(self) -> "_Files":
        self.folder.mkdir(parents=True, exist_ok=True)
        for kind in KINDS:
            self._open[kind] = self._stack.enter_context(self._beside(kind).open("wb"))
        return self

    def write(self, kind: Kind, line: str) -> None:
        """One more sample."""
        data = f"{line}\n".encode()
        self._open[kind].write(data)
        self._digests[kind].update(data)
        self.counts[kind] += 1

    def close(self, note: dict[str, Any]) -> None:
        """Give the files their names, the manifest last."""
        self._stack.close()
        files = {
            f"{kind}.jsonl": {"samples": self.counts[kind], "sha256": self._digests[kind].hexdigest()}
            for kind in KINDS
        }
        for kind in KINDS:
            self._beside(kind).replace(self.folder / f"{kind}.jsonl")
        content = json.dumps({**note, "files": files}, indent=1, sort_keys=True)
        write_whole(self.folder / "manifest.json", f"{content}\n")

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        for kind in KINDS:
            self._beside(kind).unlink(missing_ok=True)

    def _beside(self, kind: str) -> Path:
        return self.folder / f".{kind}.jsonl.{os.getpid()}.part"


def _tell(counts: Counter[str], missing: Counter[str], wrong: list[str], out: Path) -> None:
    shown = ", ".join(f"{counts[kind]:,} {kind}" for kind in KINDS)
    print(f"{sum(counts.values()):,} samples: {shown}")
    if missing:
        print("not afforded: " + ", ".join(f"{what} {count:,}" for what, count in sorted(missing.items())))
    for line in wrong[:10]:
        print(f"left out, did not stand its check: {line}")
    print(f"in {out}")


if __name__ == "__main__":
    raise SystemExit(main())
