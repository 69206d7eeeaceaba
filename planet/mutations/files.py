"""The files of a study: every case, the matrix, the ways, and a table for a reader."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from planet.mutations.collapse import COLUMNS as COLLAPSE
from planet.mutations.collapse import Collapse, rows, told
from planet.mutations.matrix import Line, by_way, matrix, verdict
from planet.mutations.study import CHECKS
from planet.mutations.trial import Outcome, Part
from planet.whole_file import write_whole

_COLUMNS = ("check", "way", "number", "world_id", "industry", "task_id", "seen", "alone", "fired", "message")


def write_study(
    folder: Path,
    found: dict[Part, list[Outcome]],
    made_by: dict[str, Any],
    collapsed: Sequence[Collapse] = (),
) -> list[Path]:
    """Each file appears whole, `mutations.json` last; the paths in that order."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {}
    for part, outcomes in found.items():
        lines = matrix(outcomes, CHECKS[part])
        texts[f"{part}.cases.csv"] = _table(_COLUMNS, map(_row, outcomes))
        texts[f"{part}.confusion.csv"] = _confusion(lines, CHECKS[part])
    pages = [_page(part, outcomes) for part, outcomes in found.items()]
    if collapsed:
        texts["collapse.csv"] = _table(COLLAPSE, rows(collapsed))
        pages.append(f"## The collapse\n\n{told(collapsed)}.\n")
    texts["mutations.md"] = "\n".join(pages)
    texts["mutations.json"] = json.dumps(_summary(found, made_by), indent=1) + "\n"
    for name, text in texts.items():
        write_whole(folder / name, text)
    return [folder / name for name in texts]


def _row(outcome: Outcome) -> list[Any]:
    told = outcome.model_dump(include=set(_COLUMNS))
    told |= {"seen": int(outcome.seen), "alone": int(outcome.alone), "fired": " ".join(outcome.fired)}
    return [told[column] for column in _COLUMNS]


def _confusion(lines: Sequence[Line], checks: Sequence[str]) -> str:
    rows = ([line.check, line.cases, line.seen, line.alone, *line.fired] for line in lines)
    return _table(("intended", "cases", "seen", "alone", *checks), rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def _page(part: Part, outcomes: Sequence[Outcome]) -> str:
    checks = CHECKS[part]
    head = ["intended", "cases", "seen", "alone", *checks]
    lines = [
        f"## {part.capitalize()}: corruptions by what fired on them",
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
    ]
    for line in matrix(outcomes, checks):
        fired = [str(count) if count else "" for count in line.fired]
        lines.append("| " + " | ".join([line.check, *map(str, line[1:4]), *fired]) + " |")
    return "\n".join([*lines, "", f"{verdict(outcomes)}.", ""])


def _summary(found: dict[Part, list[Outcome]], made_by: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = dict(made_by)
    for part, outcomes in found.items():
        told[part] = {
            "cases": len(outcomes),
            "seen": sum(outcome.seen for outcome in outcomes),
            "alone": sum(outcome.alone for outcome in outcomes),
            "worlds": len({outcome.world_id for outcome in outcomes}),
            "industries": len({outcome.industry for outcome in outcomes}),
            "ways": by_way(outcomes),
        }
    return told
