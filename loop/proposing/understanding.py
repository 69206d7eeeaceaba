"""From the cells of anyone's report to cells of PLANET: by name, by a near name, or by words of the catalog.

Words are compared by TF-IDF over the names, descriptions and keywords of resources, services and industries.
A tool or a table becomes the resource that it is about. What cannot be understood is kept and said.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal, NamedTuple

from analysis.weakness import Cell, WeaknessReport
from loop.errors import ConfigError
from loop.plugins import nearest
from loop.proposing.vocabulary import OPERATIONS, cells_by_facet, documents, words
from planet.catalog import Catalog

How = Literal["name", "near name", "words", "told", "left out", "reading", "nothing"]
LEAST = 0.38
"""Cosine of the TF-IDF vectors below which words say nothing; 0.37 once took "human agents" for employees."""
NEAR = 0.85
"""Similarity of two spellings, as difflib measures it, from which they count as one name."""
_PLACES = ("resource", "service", "industry")
"""Facets that words can lead to."""
_WORDLESS = ("operation", "hops", "pair", "kind")
"""Facets whose values are compared as names alone."""
_EMPTY = frozenset(
    words(
        "add book cancel change check create delete do edit fetch find get handle item list look lookup "
        "make manage modify new open query read record remove retrieve run search send set show submit "
        "update view detail info information data id by all"
    )
)
"""Words of tool names that tell of no thing."""


_WITHOUT_GOAL = {
    "left out": "left out, as told",
    "reading": "left out: worlds are judged by what is written, so none can be aimed at reading",
    "nothing": "not understood; say what it means with --map CELL=GOAL",
}


class Understood(NamedTuple):
    """What was made of one cell."""

    cell: str  # as the report has it
    goal: str | None  # a cell of PLANET; None: nothing
    how: How
    score: float | None  # cosine in (0, 1] of "words"; None: not measured
    shared: tuple[str, ...]  # the words that both have, of "words"

    @property
    def sentence(self) -> str:
        """One line for a reader."""
        if self.goal is None:
            return f"{self.cell}: {_WITHOUT_GOAL[self.how]}"
        by = {
            "words": f"by {', '.join(self.shared)}, {self.score or 0:.2f}",
            "told": "as told",
        }.get(self.how, f"by {self.how}")
        return f"{self.cell}: understood as {self.goal} ({by})"


class Interpreter:
    """Understands cells in the terms of one catalog. `told`: cell -> goal, or "none", that overrule it."""

    def __init__(self, catalog: Catalog, told: Mapping[str, str] | None = None) -> None:
        self._catalog = catalog
        self._known = cells_by_facet(catalog)
        self._told = dict(told or {})
        for cell, goal in self._told.items():
            facet, _, value = goal.partition(":")
            if goal != "none" and value not in self._known.get(facet, ()):
                valid = [f"{f}:{v}" for f, values in self._known.items() for v in values]
                raise ConfigError(
                    f"--map {cell}={goal}: no world can be aimed at {goal!r}; {nearest(goal, valid)}"
                )

    def understand(self, cell: str) -> Understood:
        """What a cell of a report means here."""
        if cell in self._told:
            goal = self._told[cell]
            return Understood(
                cell, None if goal == "none" else goal, "left out" if goal == "none" else "told", None, ()
            )
        facet, _, value = cell.partition(":")
        if value in self._known.get(facet, ()):
            return Understood(cell, cell, "name", None, ())
        if facet == "operation" and value.split("_")[0] in OPERATIONS:
            return Understood(cell, None, "reading", None, ())
        if facet == "tool" and (resource := self._resource_of_tool(value)):
            return Understood(cell, f"resource:{resource}", "name", None, ())
        return self._by_near_name(cell, facet, value) or self._by_words(cell, facet, value)

    def _resource_of_tool(self, tool: str) -> str | None:
        operation, _, resource = tool.partition("_")
        return resource if operation in OPERATIONS and resource in self._known["resource"] else None

    def _by_near_name(self, cell: str, facet: str, value: str) -> Understood | None:
        wanted = "_".join(words(value))
        own = (facet,) if facet in self._known and facet != "tool" else ()
        for place in own if facet in (*_PLACES, *_WORDLESS) else (*own, *_PLACES):
            spelled = {"_".join(words(name)): name for name in self._known[place]}
            near = get_close_matches(wanted, list(spelled), n=1, cutoff=NEAR) if wanted else []
            if near:
                name = spelled[near[0]]
                return Understood(cell, f"{place}:{name}", "name" if name == value else "near name", None, ())
        return None

    def _by_words(self, cell: str, facet: str, value: str) -> Understood:
        """The entry with the nearest words: a resource for a tool or a table, else of the facet or of any."""
        asked = [word for word in words(value) if word not in _EMPTY]
        if not asked or facet in _WORDLESS:
            return Understood(cell, None, "nothing", None, ())
        places = ("resource",) if facet in ("tool", "table") else (facet,) if facet in _PLACES else _PLACES
        vectorizer, entries, matrix = self._space
        scores = (vectorizer.transform([asked]) @ matrix.T).toarray()[0]
        found = [(float(s), e) for s, e in zip(scores, entries, strict=True) if e.partition(":")[0] in places]
        score, goal = max(found, key=lambda item: item[0])
        if score < LEAST:
            return Understood(cell, None, "nothing", None, ())
        shared = tuple(dict.fromkeys(word for word in asked if word in documents(self._catalog)[goal]))
        return Understood(cell, goal, "words", round(score, 4), shared)

    @cached_property
    def _space(self) -> tuple[Any, list[str], Any]:
        """(vectorizer, entries, matrix of shape (entry, word))."""
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

        told = documents(self._catalog)
        texts = [
            [w for w in text if w not in ENGLISH_STOP_WORDS and w not in _EMPTY] for text in told.values()
        ]
        vectorizer = TfidfVectorizer(analyzer=_as_it_is, sublinear_tf=True)
        return vectorizer, list(told), vectorizer.fit_transform(texts)


def _as_it_is(terms: list[str]) -> list[str]:
    return terms


def understand_report(
    report: WeaknessReport, interpreter: Interpreter, min_opportunities: int
) -> tuple[WeaknessReport, dict[str, Understood], list[Understood]]:
    """(the report in cells of PLANET, goal -> the cell that it stands for, everything that was asked).

    Asked are the cells that failed and were met in at least `min_opportunities` episodes. Where several
    become one goal, the weakest stands for all: their episodes may be the same, so nothing is added up.
    """
    cells: list[Cell] = []
    stands_for: dict[str, Understood] = {}
    asked: list[Understood] = []
    for cell in report.cells:
        if cell.failures <= 0 or cell.opportunities < min_opportunities:
            continue
        meaning = interpreter.understand(cell.name)
        asked.append(meaning)
        if meaning.goal is not None and meaning.goal not in stands_for:
            facet, _, value = meaning.goal.partition(":")
            stands_for[meaning.goal] = meaning
            cells.append(cell.replace(facet=facet, value=value))
    return report.replace(cells=tuple(cells)), stands_for, asked


def tell(asked: Sequence[Understood]) -> list[str]:
    """What was understood, what was not, and how many cells need no explanation; one line each."""
    plain = sum(meaning.cell == meaning.goal for meaning in asked)
    lines = [f"{len(asked)} weak cells, {plain} of them named as here"]
    return lines + [f"  {meaning.sentence}" for meaning in asked if meaning.cell != meaning.goal]
