"""What a sweep found, put into a page between two marks: no number there is typed by hand."""

from pathlib import Path

from analysis.errors import DataError
from planet.whole_file import write_whole

BEGIN = "<!-- findings: python -m analysis.contrasts RESULTS_DIR --page FILE -->"
END = "<!-- end of findings -->"


def fill(page: Path, findings: str) -> Path:
    """Replace what stands between the marks of `page`, whole at any time. DataError without marks."""
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise DataError(f"{page} has no place for findings; put one line {BEGIN} and below it one line {END}")
    head, tail = text[: text.index(BEGIN)], text[text.index(END) :]
    write_whole(page, f"{head}{BEGIN}\n\n{findings.strip()}\n\n{tail}")
    return page
