"""What a validator finds, and what all twelve say about a world."""

from typing import Literal

from planet.author.artifacts import Link
from planet.records.frozen import Frozen

Status = Literal["passed", "fired", "not_checked"]


class Violation(Frozen):
    """One thing that is wrong with a world."""

    validator: str  # "V01" to "V12"
    link: Link  # the link whose author must repair it
    where: str  # the part of the world, e.g. "invoice.amount"
    message: str  # what was seen, and what would be right


class ValidationReport(Frozen):
    """The verdict of all twelve."""

    world_id: str
    status: dict[str, Status]
    violations: tuple[Violation, ...]

    @property
    def admitted(self) -> bool:
        """Whether every validator passed."""
        return all(s == "passed" for s in self.status.values())

    @property
    def fired(self) -> tuple[str, ...]:
        """Validators that found something, in order."""
        return tuple(v for v, s in self.status.items() if s == "fired")
