"""From a folder to its page."""

from pathlib import Path

from analysis.command import Result
from analysis.report.anchors import Anchors
from analysis.report.document import document
from analysis.report.record import RunRecord
from analysis.report.run_page import contents, placed, run_head, run_parts
from analysis.report.runs import find_runs
from analysis.report.samples import FULL
from analysis.report.sweep_page import sweep_page
from analysis.report.verdict import run_verdict
from analysis.run_directory import open_run
from planet.whole_file import write_whole

NAME = "report.html"


def write_report(path: Path, out: Path | None = None) -> Result:
    """The page of a run or a folder of runs, whole or not at all; `out` None: report.html in the folder."""
    found = find_runs(path)
    if found is None:
        record = RunRecord(open_run(path))
        page, said = run_page(record), run_verdict(record.standing)
    else:
        page, said = sweep_page(path.resolve().name, found)
    out = out or path / NAME
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, page)
    return Result(said, (out,))


def run_page(record: RunRecord) -> str:
    """The page of one run."""
    parts = run_parts(record, Anchors("run"), FULL)
    return document(
        f"{record.run.run.name}: {record.run.label}", run_head(record), contents(parts), placed(parts)
    )
