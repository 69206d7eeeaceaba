"""An author whom one process asks for all: a model's answer differs from call to call, and costs money."""

from loop.processes.crew import Crew, asked_once
from planet.author.artifacts import Artifact, Author, AuthorCost, Context, Link


class SharedAuthor:
    """Proposes what the author of process 0 proposed."""

    def __init__(self, author: Author, crew: Crew) -> None:
        self._author = author
        self._crew = crew
        self.name = author.name

    def propose(self, link: Link, context: Context) -> tuple[Artifact, AuthorCost]:
        """The artifact for a link, and its cost."""
        return asked_once(self._crew, lambda: self._author.propose(link, context))
