"""The processes of a run, as each of them sees the others.

Worlds, sessions and tools are cheap and follow from the seed, so every process has them all and goes through
the same steps; only arrays are shared out. What a process found for itself (a signal, a file, the answer of a
service) is told to all before anything follows from it.
"""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from analysis.errors import AnalysisError
from loop.errors import LoopError, ProcessesError
from planet.errors import PlanetError
from policy.errors import PolicyError

Made = TypeVar("Made")


class Crew(Protocol):
    """All processes of a run."""

    @property
    def count(self) -> int:
        """How many there are."""

    @property
    def index(self) -> int:
        """Which one this is, from 0."""

    @property
    def scratch(self) -> Path | None:
        """A folder of this process, gone with it; None: there are no others, so it needs none."""

    def gathered(self, said: bytes) -> list[bytes]:
        """What every process said, in their order; every process has to ask, in the same order."""


class Alone:
    """One process, which hears itself."""

    count = 1
    index = 0
    scratch = None

    def gathered(self, said: bytes) -> list[bytes]:
        """What was said."""
        return [said]


class Together:
    """Processes that JAX has joined."""

    def __init__(self, scratch: Path) -> None:
        import jax

        self.scratch = scratch
        self.count = jax.process_count()
        self.index = jax.process_index()

    def gathered(self, said: bytes) -> list[bytes]:
        """What every process said, over their devices."""
        from policy.processes import gathered

        return gathered(said)


ALONE = Alone()


def leads(crew: Crew) -> bool:
    """Whether this is the process that keeps the records."""
    return crew.index == 0


def told(crew: Crew, value: Any) -> list[Any]:
    """The JSON values of all processes, in their order."""
    if crew.count == 1:
        return [value]
    return [json.loads(said) for said in crew.gathered(json.dumps(value).encode())]


def leading(crew: Crew, value: Any) -> Any:
    """The JSON value of process 0."""
    return told(crew, value if leads(crew) else None)[0]


def anyone(crew: Crew, flag: bool) -> bool:
    """Whether it is so on any process."""
    return any(told(crew, flag))


def settled(crew: Crew, work: Callable[[], Made]) -> Made:
    """What work made, once it succeeded on every process; where it failed its own error is raised, and on
    the others a ProcessesError that says whose and why."""
    made, failure = None, None
    try:
        made = work()
    except (LoopError, PlanetError, PolicyError, AnalysisError, OSError) as error:
        if crew.count == 1:
            raise
        failure = error
    reasons = told(crew, None if failure is None else " ".join(str(failure).split()))
    for index, reason in enumerate(reasons):
        if reason is not None and index != crew.index and failure is None:
            raise ProcessesError(f"process {crew.index} ends because process {index} cannot go on: {reason}")
    if failure is not None:
        raise failure
    return made  # type: ignore[return-value]  # it failed nowhere


def asked_once(crew: Crew, ask: Callable[[], Made]) -> Made:
    """The answer that process 0 got, or the error that PLANET raised there; the others do not ask."""
    if crew.count == 1:
        return ask()
    outcome: tuple[bool, Any] = (True, None)
    if leads(crew):
        try:
            outcome = (True, ask())
        except PlanetError as error:
            outcome = (False, error)
    # From a process of the same program at the same commit, which was checked when they joined.
    worked, answer = pickle.loads(crew.gathered(pickle.dumps(outcome) if leads(crew) else b"")[0])
    if not worked:
        raise answer
    return answer  # type: ignore[no-any-return]
