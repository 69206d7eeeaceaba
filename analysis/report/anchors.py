"""Names of places on the page, so that a cell leads to its episodes and an episode to its world."""

import re

from analysis.report.markup import Html, element


class Anchors:
    """The places of one run on a page. `prefix` tells the runs of a page apart."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._placed: set[str] = set()

    def name(self, kind: str, identity: str) -> str:
        """The id of a place; different for different things."""
        safe = re.sub(r"[^A-Za-z0-9]", lambda found: f"_{ord(found[0]):x}", identity)
        return f"{self._prefix}-{kind}-{safe}"

    def place(self, kind: str, identity: str) -> str:
        """The id of a place that the page will have."""
        name = self.name(kind, identity)
        self._placed.add(name)
        return name

    def placed(self, kind: str, identity: str) -> bool:
        """Whether the page has the place."""
        return self.name(kind, identity) in self._placed

    def link(self, kind: str, identity: str, words: object) -> Html:
        """A link to the place, or its words alone when the page does not have it."""
        if not self.placed(kind, identity):
            return element("span", words)
        return element("a", words, href=f"#{self.name(kind, identity)}")
