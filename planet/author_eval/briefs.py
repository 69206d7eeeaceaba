"""Briefs from a file, one a line: a brief as JSON, or a scenario in plain words."""

from pathlib import Path

from pydantic import ValidationError

from planet.catalog import Catalog
from planet.construct import check_names
from planet.errors import BriefError
from planet.plain_files import read_bounded
from planet.records.world import Brief, Profile

LONGEST_LINE = 20_000
"""Characters."""


def read_briefs(path: Path, catalog: Catalog, profile: Profile) -> tuple[Brief, ...]:
    """The briefs of a file, empty lines and lines that begin with # left out.

    `catalog`: the whole; `profile`: of the worlds asked for in plain words, JSON says it itself. BriefError
    names the line.
    """
    try:
        lines = read_bounded(path).decode().splitlines()
    except (OSError, ValueError) as error:
        raise BriefError(f"{path}: cannot be read ({error}); give a text file, one brief a line") from error
    found = []
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#"):
            try:
                found.append(_brief(line.strip(), catalog, profile))
            except BriefError as error:
                raise BriefError(f"{path}: line {number}: {error}") from None
    if not found:
        raise BriefError(
            f"{path}: holds no brief; write one a line, e.g. a Brazilian manufacturer with sales"
        )
    return tuple(found)


def _brief(line: str, catalog: Catalog, profile: Profile) -> Brief:
    if len(line) > LONGEST_LINE:
        raise BriefError(f"the line has {len(line):,} characters; at most {LONGEST_LINE:,} are read")
    if not line.startswith("{"):
        from planet.briefs import understand

        return understand(line, catalog.of(profile), profile).brief
    try:
        brief = Brief.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the JSON"
        raise BriefError(f"{where}: {first['msg']}; a brief has at least a text") from None
    check_names(brief, catalog.of(brief.profile))
    return brief
