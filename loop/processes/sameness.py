"""What must be equal on all processes of a run: what it is, the program, and what every step recorded.

Processes that went different ways would wait for each other for ever, or learn from each other's mistakes, so
a difference ends all of them, with a line that names the process.
"""

import hashlib
from typing import Any

from loop.config import Config
from loop.errors import ConfigError, ProcessesError
from loop.learning.sources import source_digest
from loop.processes.crew import Crew, told
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step
from planet.identity import canonical_json

PACKAGES = ("planet", "policy", "analysis", "loop")
REMEDIES = {
    "configuration": "start all with the same configuration file and overrides",
    "code": "start all from the same commit",
    "libraries": "install the versions of constraints.txt everywhere",
}
"""What is compared when processes meet -> what to do when it differs."""


def require_one_run(crew: Crew, config: Config) -> None:
    """ConfigError for what several processes cannot do; ProcessesError when one of them is another run."""
    if crew.count == 1:
        return
    _require_shareable(config)
    import jax

    libraries = f"jax {jax.__version__}, jaxlib {jax.lib.__version__}"
    mine = {"configuration": config.run_id, "code": source_digest(*PACKAGES), "libraries": libraries}
    require_equal(told(crew, mine))


def require_equal(found: list[dict[str, str]]) -> None:
    """ProcessesError for the first process that differs from process 0, in the order of `REMEDIES`."""
    for name, remedy in REMEDIES.items():
        for index, theirs in enumerate(found):
            if theirs[name] != found[0][name]:
                raise ProcessesError(
                    f"process {index} has {name} {theirs[name]}, process 0 has {found[0][name]}; {remedy}"
                )


def _require_shareable(config: Config) -> None:
    if config.asynchronous is not None:
        raise ConfigError(
            "asynchronous: plays and learns in one process so far; leave it out, or start one process"
        )
    alone = (
        ("learner", "learner", config.learner),
        ("demonstrations", "demonstrator", config.demonstrations),
    )
    for key, role, plugin in alone:
        if plugin.is_built_in(role, "api"):
            raise ConfigError(
                f"{key}: api would ask its service once per process; start one process, or take another {key}"
            )


def require_equal_records(crew: Crew, step: Step, outcome: Outcome) -> None:
    """ProcessesError when a step came to other records on some process."""
    if crew.count == 1:
        return
    found = told(crew, _digests(outcome))
    for index, theirs in enumerate(found):
        names = sorted(n for n in theirs.keys() | found[0].keys() if theirs.get(n) != found[0].get(n))
        if names:
            raise ProcessesError(
                f"process {index} came to other records than process 0 in step {step.index} ({step.kind}): "
                f"{', '.join(names)}; give all the same catalog, plug-ins, libraries and kind of machine, "
                f"then go on with --resume"
            )


def _digests(outcome: Outcome) -> dict[str, str]:
    """Of every table that a step adds to, and of its metrics and details."""
    parts: dict[str, Any] = {"metrics": outcome.metrics, "detail": outcome.detail}
    for row in outcome.rows:
        parts.setdefault(row.table, []).append(row.model_dump(mode="json"))
    return {
        name: hashlib.sha256(canonical_json(part).encode()).hexdigest()[:16] for name, part in parts.items()
    }
