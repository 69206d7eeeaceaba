"""One error tree for PLANET; each class is one boundary at which things can fail.

A message says what broke, the value seen, and what to do. A failed rollout is data and never raises; a failed
grader does raise, because "could not check" must never become a reward of 0.
"""


class PlanetError(Exception):
    """Any failure of world construction, execution or grading."""


class BriefError(PlanetError):
    """A brief asks for something the catalog cannot name (unknown industry, country, service)."""


class CatalogError(PlanetError):
    """A catalog file is unreadable, malformed, or refers to what does not exist."""


class AuthorError(PlanetError):
    """An author gave up on a link: every try was refused by a validator."""


class StorageError(PlanetError):
    """A world, task or trajectory on disk cannot be read or does not match its digest."""


class SessionError(PlanetError):
    """A session was used out of order, or its world does not load. Never raised by a tool call of an agent."""


class GraderError(PlanetError):
    """An assertion or invariant could not be checked. The run stops: an unchecked episode has no reward."""
