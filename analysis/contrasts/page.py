"""What a sweep found, put into a page between two marks: no number there is typed by hand."""

import os
from pathlib import Path

from analysis.errors import DataError

BEGIN = "<!-- findings: python -m analysis.contrasts RESULTS_DIR --page FILE -->"
END = "<!-- end of findings -->"


def fill(page: Path, findings: str) -> Path:
    """Replace what stands between the marks of `page`, whole at any time. DataError without marks."""
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise DataError(f"{page} has no place for findings; put one line {BEGIN} and below it one line {END}")
    head, tail = text[: text.index(BEGIN)], text[text.index(END) :]
    part = page.with_name(f".{page.name}.{os.getpid()}.part")
    try:
        part.write_text(f"{head}{BEGIN}\n\n{findings.strip()}\n\n{tail}", encoding="utf-8")
        part.replace(page)
    finally:
        part.unlink(missing_ok=True)
    return page
