"""The names of a task's tools (resources, columns, enum values), and those strange to a vocabulary.

A name with a word outside the vocabulary is said as a whole: `glaze_batch` in a call and "glaze batch" in an
instruction are one literal, so that an agent copies one token and cannot stop half-way. The `_id` of a
reference stands apart, because instructions say "kiln KLN-0007" and never "kiln id".
"""

import re
from collections.abc import Iterable
from random import Random

from planet.records.view import TaskView
from policy.vocabulary import GRAMMAR, Vocabulary

_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_NO_NAME = re.compile(r"(?!)")


def names_of(view: TaskView) -> dict[str, tuple[str, ...]]:
    """Resource -> names that its tools use, its own first and then columns and enum values, sorted.

    Words of the grammar (`policy.vocabulary.GRAMMAR`) are no names: every world has them.
    """
    names: dict[str, set[str]] = {}
    for tool in view.tools:
        if tool.resource is None:
            continue
        of_resource = names.setdefault(tool.resource, set())
        if tool.operation == "update":
            for column, schema in tool.parameters["properties"].items():
                of_resource.update((stem(column), *filter(_SNAKE.fullmatch, schema.get("enum", ()))))
    return {
        resource: (resource, *sorted(found - {resource} - set(GRAMMAR))) for resource, found in names.items()
    }


def unheard_names(view: TaskView, rng: Random) -> frozenset[str]:
    """Names to hide: about half of the resources, each with most of its columns and values, as own ones."""
    chosen: set[str] = set()
    for names in names_of(view).values():
        if rng.random() < 0.5:
            chosen.update(name for name in names if rng.random() < 0.8)
    return frozenset(chosen)


def stem(name: str) -> str:
    """A column without the `_id` of a reference."""
    return name.removesuffix("_id")


class Names:
    """The strange names of one task, and where they stand in a text."""

    def __init__(self, view: TaskView, vocabulary: Vocabulary, unheard: frozenset[str] = frozenset()) -> None:
        self.strange = frozenset(
            name
            for names in names_of(view).values()
            for name in names
            if name in unheard or any(part not in vocabulary.ids for part in name.split("_"))
        )
        self._in_text = _pattern(self.strange)

    def split(self, text: str) -> list[tuple[str | None, str]]:
        """The text in pieces (name, ""), for a strange name, and (None, text), for what lies between them."""
        pieces: list[tuple[str | None, str]] = []
        done = 0
        for match in self._in_text.finditer(text):
            pieces += [(None, text[done : match.start()]), (match[0].replace(" ", "_"), "")]
            done = match.end()
        return [*pieces, (None, text[done:])]


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Matches a name, spaces for underscores, where no word goes on; the longest of several."""
    said = sorted((name.replace("_", " ") for name in names), key=lambda name: (-len(name), name))
    if not said:
        return _NO_NAME
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, said))})(?![\w-])")
