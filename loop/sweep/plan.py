"""The plan file: what a sweep will do and compare, hashed before its first run.

It is canonical JSON, so that equal plans are equal files; its digest stands in the ledger and in the result
of every run. A sweep is only resumed under the plan that it began with.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analysis.run_result import PLAN
from loop.errors import ConfigError, SweepError
from loop.files import write_atomically
from loop.sweep.runs import Sweep
from planet.identity import canonical_json, digest
from planet.plain_files import read_bounded

NAMED = 3
"""Differences that a refusal names."""

Plan = dict[str, Any]


def plan_of(sweep: Sweep) -> Plan:
    """Arms with their whole configurations, seeds, contrasts, budgets, metrics and the test salt."""
    config = sweep.config
    return {
        "name": config.name,
        "test_salt": config.test_salt,
        "arms": {
            arm.name: {
                "seeds": list(arm.seeds),
                "start_from": arm.start_from.model_dump() if arm.start_from is not None else None,
                "config": {k: v for k, v in arm.config.recorded().items() if k not in ("seed", "plan")},
            }
            for arm in sweep.arms
        },
        "order": [arm.name for arm in sweep.arms],
        "contrasts": [list(pair) for pair in config.contrasts],
        "budget": config.budget.model_dump(mode="json"),
        "metrics": list(config.metrics),
    }


def begin(plan: Plan, folder: Path, resume: bool) -> str:
    """Write the plan, or check that the sweep in the folder follows it; its digest.

    Raises SweepError when the folder holds a sweep that is not to be resumed, or one with another plan.
    """
    file = folder / PLAN
    stored = read_plan(file)
    if stored is None:
        if any(folder.glob("*.json")):
            raise SweepError(f"{folder}: holds results but no {PLAN}; give another --results, or move them")
        write_atomically(file, canonical_json(plan) + "\n")
    elif not resume:
        raise SweepError(f"{folder}: a sweep began there; add --resume to go on, or give it another name")
    else:
        require_equal(stored, plan, file)
    return digest(plan)


def read_plan(file: Path) -> Plan | None:
    """The plan in a file; None when there is no file. SweepError when it cannot be read."""
    try:
        return dict(json.loads(read_bounded(file)))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SweepError(f"{file}: cannot be read as a plan ({error}); restore it") from error


def require_equal(stored: Plan, plan: Plan, file: Path) -> None:
    """SweepError that names what differs between the plan a sweep began with and the present one."""
    found = list(differences(stored, json.loads(canonical_json(plan))))
    if found:
        named = "; ".join(found[:NAMED])
        more = f"; and {len(found) - NAMED} more" if len(found) > NAMED else ""
        raise SweepError(
            f"{file}: the plan has changed ({named}{more}); undo that, or give the sweep another name"
        )


def differences(old: Any, new: Any, where: str = "") -> Iterator[str]:
    """Every leaf that differs, as "key: old -> new", in alphabetical order."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            inner = f"{where}.{key}" if where else key
            if key not in old:
                yield f"{inner}: new"
            elif key not in new:
                yield f"{inner}: gone"
            else:
                yield from differences(old[key], new[key], inner)
    elif old != new:
        yield f"{where}: {canonical_json(old)} -> {canonical_json(new)}"


def require_valid(sweep: Sweep, plan: Plan) -> None:
    """ConfigError when an arm and its control share no seed, so that no contrast can be paired."""
    for arm, control in sweep.config.contrasts:
        seeds = [set(plan["arms"][name]["seeds"]) for name in (arm, control)]
        if not seeds[0] & seeds[1]:
            raise ConfigError(f"contrasts: {arm} and {control} share no seed; contrasts are paired by seed")
