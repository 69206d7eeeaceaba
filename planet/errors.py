"""One error tree for PLANET; each class is one boundary at which things can fail.

A message says what broke, the value seen, and what to do. A failed rollout is data and never raises; a failed
grader does raise, because "could not check" must never become a reward of 0.
"""

from typing import Any


class PlanetError(Exception):
    """Any failure of world construction, execution or grading."""


class BriefError(PlanetError):
    """A brief asks for something the catalog cannot name (unknown industry, country, service)."""


class CatalogError(PlanetError):
    """A catalog file is unreadable, malformed, or refers to what does not exist."""


class AuthorError(PlanetError):
    """An author has no artifact to propose, or one that no world can be made of.

    `cost`: the `AuthorCost` of trying; None when it cost nothing.
    `answer`: the text from which no artifact could be read; None when there is no text.
    """

    def __init__(self, message: str, cost: Any = None, answer: str | None = None) -> None:
        super().__init__(message)
        self.cost = cost
        self.answer = answer


class TurnedDown(AuthorError):
    """A model's endpoint declines one request, of an author or of a policy; another one may be answered.

    `too_long`: because it is longer than the model reads.
    """

    def __init__(self, message: str, too_long: bool = False) -> None:
        super().__init__(message)
        self.too_long = too_long


class AuthorUnavailable(PlanetError):
    """An author, or a policy that is asked as one, cannot go on: its model does not answer, or refuses the
    key. No proposal is at fault."""


class BudgetSpent(AuthorUnavailable):
    """What an author, or a policy that is asked as one, may spend is spent."""


class StorageError(PlanetError):
    """A world, task or trajectory on disk cannot be read or does not match its digest."""


class SessionError(PlanetError):
    """A session was used out of order, or its world does not load. Never raised by an agent's tool call."""


class GraderError(PlanetError):
    """An assertion or invariant could not be checked. The run stops: an unchecked episode has no reward."""
