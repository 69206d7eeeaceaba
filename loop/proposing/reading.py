"""A report from its file: one alone, or several under their names as `analysis.weakness` writes them."""

import json
from pathlib import Path

from pydantic import ValidationError

from analysis.weakness import WeaknessReport
from loop.errors import ConfigError
from loop.plugins import nearest
from planet.plain_files import read_bounded


def read_report(path: Path, name: str | None = None) -> WeaknessReport:
    """The report called `name` in a file of several (None: the last one); ConfigError when there is none."""
    try:
        stored = json.loads(read_bounded(path).decode())
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(
            f"{path}: no report can be read ({error}); give the weakness.json of python -m analysis.weakness"
        ) from error
    return _parsed(path, _chosen(path, stored, name))


def _chosen(path: Path, stored: object, name: str | None) -> object:
    if not isinstance(stored, dict) or not stored:
        raise ConfigError(f"{path}: holds no report; give the weakness.json of python -m analysis.weakness")
    if "cells" in stored:
        if name is not None:
            raise ConfigError(f"{path}: holds one report without a name, not {name!r}; leave --report-id out")
        return stored
    if name is not None and name not in stored:
        raise ConfigError(f"{path}: holds no report {name!r}; {nearest(name, list(stored))}")
    return stored[name or list(stored)[-1]]


def _parsed(path: Path, value: object) -> WeaknessReport:
    try:
        return WeaknessReport.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(
            f"{path}: not a weakness report: {where}: {first['msg']}; "
            "give the weakness.json of python -m analysis.weakness"
        ) from error
