"""Result files: written whole, with a task per line, and accepted in the place of a run when they fit."""

import json
from pathlib import Path
from typing import Any

from analysis.run_result import RunResult, read_result
from loop.errors import SweepError
from loop.files import write_atomically
from planet.records.frozen import Frozen


def write_record(path: Path, record: Frozen) -> None:
    """Write a result or a retest; a reader sees none or the whole one."""
    write_atomically(path, render(record))


def render(record: Frozen) -> str:
    """JSON with a line per field, and a line per item of a list of records: small, and readable in a diff."""
    fields = record.model_dump(mode="json")
    return "{\n" + ",\n".join(f"{json.dumps(k)}: {_value(v)}" for k, v in fields.items()) + "\n}\n"


def _value(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(_compact(item) for item in value) + "\n]"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def accepted(path: Path, arm: str, seed: int, plan: str) -> RunResult | None:
    """The result that stands for a run; None without a file. SweepError when it is of something else."""
    if not path.exists():
        return None
    result = read_result(path)
    for what, found, wanted in (
        ("arm", result.arm, arm),
        ("seed", result.seed, seed),
        ("plan", result.plan_digest, plan),
    ):
        if found != wanted:
            raise SweepError(
                f"{path}: is of {what} {found}, not {wanted}; remove it and the run directory, then add "
                "--resume"
            )
    return result
