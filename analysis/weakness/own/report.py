"""The weakness reports of anyone's episode files: one per file, each compared with the one before."""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import Result
from analysis.csv_file import write_csv
from analysis.weakness.own.reading import OwnEpisodes, near_key, read_episodes
from analysis.weakness.report import WeaknessReport, weakness_report
from analysis.weakness.write import StoredReport, write_reports

CAPTION = (
    "Failure rate of the cells that were weakest in any report, one column per file of episodes in the order "
    "given; grey marks a cell that no task of the file required."
)
SHOWN = 5  # skipped lines and ignored keys that are printed
_BLAMED = {
    "assertions": "the tools of their assertions",
    "plan": "their plan or required tools",
    "trace": "the calls alone, which is a guess: name the tools of assertions, or required_tools",
}


def write_own_weakness(files: Sequence[str], out: Path, top: int = 12, skip_bad: bool = False) -> Result:
    """weakness.json, weakness.csv, weakness.png and weakness.txt in `out`; skipped.csv if lines were.

    DataError when a file cannot be read, or has a bad line and `skip_bad` is off.
    """
    reports: list[StoredReport] = []
    told: list[str] = []
    skipped: list[tuple[str, int, str]] = []
    before: WeaknessReport | None = None
    for number, file in enumerate(files):
        read = read_episodes(file, skip_bad)
        before = weakness_report(read.probes, previous=before)
        reports.append(StoredReport(f"r{number}", None, before, frozenset()))
        told += tell(f"r{number} is {file}", read)
        skipped += [(file, line, problem) for line, problem in read.skipped]
    written = write_reports(reports, out, top, CAPTION)
    text = "\n".join([*told, "", written.text])
    files_written = [*written.files, out / "weakness.txt"]
    files_written[-1].write_text(f"{text}\n", encoding="utf-8")
    if skipped:
        files_written.append(write_csv(out / "skipped.csv", ("file", "line", "problem"), skipped))
    return Result(text, tuple(files_written))


def tell(name: str, read: OwnEpisodes) -> list[str]:
    """What was read, by what tools are blamed, and what was left out, one line each."""
    lines = [f"{name}: {len(read.probes)} episodes"]
    lines += [
        f"  in {count} episodes tools are blamed by {_BLAMED[ground]}"
        for ground, count in sorted(read.grounds.items())
    ]
    if read.ignored:
        lines.append(f"  ignored keys: {_listed([_key(*item) for item in read.ignored.most_common()])}")
    if read.skipped:
        problems = [f"line {line}: {problem}" for line, problem in read.skipped]
        lines.append(f"  {len(problems)} bad lines left out: {_listed(problems, '; ')}")
    return lines


def _key(key: str, count: int) -> str:
    near = near_key(key)
    return f"{key} ({count}x" + (f", did you mean {near}?)" if near else ")")


def _listed(items: Sequence[str], mark: str = ", ") -> str:
    more = len(items) - SHOWN
    return mark.join(items[:SHOWN]) + (f"{mark}and {more} more" if more > 0 else "")
